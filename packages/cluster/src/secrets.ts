import type { Fault } from 'reflex-runtime/kernel'
import { clusterFaults, type WorkerParts } from 'reflex-runtime/store'
import type { Connection } from './connection.ts'
import type { Names } from './sql/names.ts'

/** The most workers that a report names. */
const LISTED = 10

/**
 * Returns `R5111` if living workers have another secret than one that joins; undefined otherwise, and for a worker without a secret. Workers
 * compare fingerprints, from which the secrets cannot be found.
 */
export async function differingSecrets(
  { connection, names }: { readonly connection: Connection; readonly names: Names },
  { worker, fingerprint }: WorkerParts,
): Promise<Fault | undefined> {
  const others = await connection.query<{ id: string }>(
    `select id from ${names.own}.worker where seen + ttl > ${names.own}.now_ms() and fingerprint <> $1 order by began limit ${LISTED}`,
    [fingerprint ?? null],
  )
  if (others.length === 0) return undefined
  return clusterFaults.make('R5111', `the secret of worker ${worker.id} differs from that of ${others.map(({ id }) => id).join(', ')}`, {
    fix: 'copy ~/.reflex/secret from one machine to all the others, and restart their workers',
  })
}
