import { createHash } from 'node:crypto'
import type { Reflex } from '../app/reflex.ts'
import { canonicalJson, copyJson, isFault, isObject, type JsonObject, type RunRow } from '../kernel/index.ts'
import { serveFaults } from '../protocol/faults.ts'
import { unusedRunName } from '../runs/find-run.ts'
import type { RunHandle } from '../runs/handle.ts'

/** The milliseconds between two looks for a run that another request starts, and the most looks. */
const WAIT_MS = 25
const MOST_TRIES = 400
/** The ledger of the idempotency keys. */
const STARTS = 'serve.starts'

interface StartRequest {
  readonly key: string | undefined
  readonly principal: string
  readonly body: unknown
  readonly id: string | undefined
}

/**
 * Starts a run once for each key of a principal. Throws `R6009` if the key was used with another body, `R6062` while another process
 * starts the run.
 */
export async function startOnce(
  reflex: Reflex,
  { key, principal, body, id }: StartRequest,
  start: (id: string | undefined) => Promise<RunHandle>,
): Promise<StartedOnce> {
  return key === undefined ? { handle: unfollowed(await start(id)) } : startWithKey(reflex, { key, principal, body, id }, start)
}

/** A run that this call has started, or the name of the one that an earlier call with the key has started. */
export type StartedOnce = { readonly handle: RunHandle } | { readonly run: string }

/**
 * Starts the run of a key, unless it was started already. The ledger names the run before it is started, so a request that is repeated after
 * a crash starts the run that the first one could not; a process that died between the name and the first record has used up the
 * name, and the next one in the ledger counts. Resolves when the first record of the run is durable.
 */
export async function startWithKey(
  reflex: Reflex,
  { key, principal, body, id }: Omit<StartRequest, 'key'> & { readonly key: string },
  start: (id: string) => Promise<RunHandle>,
): Promise<StartedOnce> {
  for (let attempt = 1; ; attempt++) {
    const value = { run: id ?? (await unusedRunName(reflex)) }
    const claimed = await claimOnce(reflex, { principal, key: attempt === 1 ? key : `${key} ${attempt}`, body, value })
    const run = typeof claimed.run === 'string' ? claimed.run : ''
    try {
      const handle = await start(run)
      await firstRecord(handle)
      return { handle: unfollowed(handle) }
    } catch (thrown) {
      if (!isFault(thrown) || thrown.code !== 'R5007') throw thrown
      if ((await createdRow(reflex, run)).last > 0) return { run }
      if (await isBeingStarted(reflex, run)) return { run }
      if (id !== undefined) throw thrown
    }
  }
}

/** Stops following a run that the cluster carries on: nobody here waits for it any longer, and its state stays readable. */
function unfollowed(handle: RunHandle): RunHandle {
  if (handle.isFollowed) handle.close()
  return handle
}

/** Returns the row of a run that exists. The process that creates it may not have committed it yet. Throws `R6062` if that takes too long. */
async function createdRow({ host, store }: Pick<Reflex, 'host' | 'store'>, run: string): Promise<RunRow> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const row = (await store.read(run, 0))?.row
    if (row !== undefined) return row
    await new Promise<void>((resolve) => void host.at(host.now() + WAIT_MS, resolve, true))
  }
  throw serveFaults.make('R6062', `another process starts the run ${run} now`)
}

/**
 * Returns false for a run whose process died before its first record: it never begins. Waits while another process holds it, and throws
 * `R6062` if that takes too long. It finds out by opening the run, which fails for a run that is held or has no record. In a
 * cluster this process opens no run: it looks the run up in the store.
 */
async function isBeingStarted(reflex: Reflex, run: string): Promise<boolean> {
  const { host, store } = reflex
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const found = await openStarted(reflex, run)
    if (found !== 'held') return found
    await new Promise<void>((resolve) => void host.at(host.now() + WAIT_MS, resolve, true))
    if (((await store.read(run, 0))?.row.last ?? 0) > 0) return true
  }
  throw serveFaults.make('R6062', `another process starts the run ${run} now`)
}

async function openStarted(reflex: Reflex, run: string): Promise<boolean | 'held'> {
  try {
    // The workers of a cluster carry it on.
    if (!reflex.mayOpen(run)) return (await reflex.find(run)).last > 0 || 'held'
    await firstRecord(await reflex.resume(run))
    return true
  } catch (thrown) {
    const code = isFault(thrown) ? thrown.code : undefined
    if (code === 'R2016') return false
    if (code === 'R2001') return true
    // A run in the list without a record is one that a living process starts just now.
    if (code === 'R5001' || code === 'R5010') return 'held'
    throw thrown
  }
}

/** Resolves when the first record of a run is durable. Throws if this process has lost the run before. */
async function firstRecord({ run }: RunHandle): Promise<void> {
  if (run.durable > 0) return
  let stop: (() => void) | undefined
  await new Promise<void>((resolve) => {
    stop = run.subscribe(() => resolve(), resolve)
  })
  stop?.()
  if (run.durable === 0) throw serveFaults.make('R6062', `the first record of the run ${run.id} could not be stored`)
}

/**
 * Keeps a value under a key of a principal, and returns the value that the first request with the key kept. Throws `R6009` if that
 * request had another body.
 */
export async function claimOnce(
  { host, store }: Pick<Reflex, 'host' | 'store'>,
  { principal, key, body, value }: { readonly principal: string; readonly key: string; readonly body: unknown; readonly value: JsonObject },
): Promise<JsonObject> {
  const hash = createHash('sha256')
    .update(canonicalJson(copyJson(body, 'body')))
    .digest('hex')
  const number = await store.append(
    STARTS,
    `${principal.replaceAll('%', '%25').replaceAll('/', '%2F')}/${key}`,
    { ...value, hash },
    host.now(),
  )
  const [entry] = await store.ledger(STARTS, number - 1, 1)
  const kept = isObject(entry?.value) ? entry.value : {}
  if (kept.hash !== hash) throw serveFaults.make('R6009', `the key ${JSON.stringify(key)} was used for another request`)
  return kept
}
