import { createHash } from 'node:crypto'
import type { Reflex } from '../app/reflex.ts'
import { canonicalJson, copyJson, isFault, isObject } from '../kernel/index.ts'
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
 * Starts a run once for each key of a principal. The ledger names the run before it is started, so a request that is repeated after
 * a crash starts the run that the first one could not. Throws `R6009` if the key was used with another body, and `R5007` if the run exists
 * without a record.
 */
export async function startOnce(
  reflex: Reflex,
  { key, principal, body, id }: StartRequest,
  start: (id: string | undefined) => Promise<RunHandle>,
): Promise<{ readonly handle: RunHandle } | { readonly run: string }> {
  if (key === undefined) return { handle: await start(id) }
  const hash = createHash('sha256')
    .update(canonicalJson(copyJson(body, 'body')))
    .digest('hex')
  const { host, store } = reflex
  const number = await store.append(STARTS, `${principal}/${key}`, { run: id ?? (await unusedRunName(reflex)), hash }, host.now())
  const [entry] = await store.ledger(STARTS, number - 1, 1)
  const value = isObject(entry?.value) ? entry.value : {}
  if (value.hash !== hash) throw serveFaults.make('R6009', `the key ${JSON.stringify(key)} was used for another request`)
  const run = typeof value.run === 'string' ? value.run : ''
  for (let tries = 1; ; tries++) {
    try {
      return { handle: await start(run) }
    } catch (thrown) {
      if (!isFault(thrown) || thrown.code !== 'R5007') throw thrown
      // Another request may be starting it at this moment: it can be shown from its first record on.
      if (((await store.read(run, 0))?.row.last ?? 0) > 0) return { run }
      if (tries === MOST_TRIES) throw thrown
    }
    await new Promise<void>((resolve) => void host.at(host.now() + WAIT_MS, resolve, true))
  }
}
