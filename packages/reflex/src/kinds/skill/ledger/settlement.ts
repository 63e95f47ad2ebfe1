import type { JsonObject } from '../../../kernel/index.ts'
import { isSame } from './admission.ts'
import { type FiguresEntry, KEPT_EXECUTIONS, type KeyEntry, NO_FIGURES, type Owner, type StateEntry, type UseEntry } from './entries.ts'

/** The end of an execution that was admitted. */
export interface Settlement {
  readonly owner: Owner
  /** `unknown`: a step may have changed something, and it is not undone. */
  readonly status: 'ok' | 'failed' | 'unknown'
  /** The outputs that may be stored; absent if one is sensitive. */
  readonly outputs?: JsonObject
  /** True if an undo has failed. */
  readonly isRollbackIncomplete: boolean
  readonly major: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The entries with which an end is written down; `removeKey`: the key is free again. */
export interface Settled {
  readonly use: UseEntry
  readonly figures: FiguresEntry
  readonly key?: KeyEntry
  readonly removeKey?: true
  readonly state?: StateEntry
}

/** So many failures of one version after one another end its use (reference skill 1.9, 1.24). */
const FAILURES = 3

/** The entries that an end changes. */
export interface SettledEntries {
  readonly key?: KeyEntry | undefined
  readonly use: UseEntry
  readonly figures?: FiguresEntry
}

/**
 * Writes down the end of an execution. Only a success answers later calls of its key; a failure that has changed nothing, or that was undone
 * whole, frees the key; anything else is unknown, and the next call of the key is refused until somebody has looked.
 */
export function settle(end: Settlement, { key, use, figures = NO_FIGURES }: SettledEntries): Settled {
  const { owner, status, major, now, outputs } = end
  const ended = [...use.ended, [now, major, status === 'ok'] as const].slice(-KEPT_EXECUTIONS)
  const after: UseEntry = { running: use.running.filter((one) => !isSame(one, owner)), finished: now, ended }
  const state = stateAfter(end, ended)
  const added: FiguresEntry = { runs: figures.runs + 1, succeeded: figures.succeeded + (status === 'ok' ? 1 : 0) }
  return { use: after, figures: added, ...keyAfter(key, owner, status, outputs), ...(state === undefined ? {} : { state }) }
}

function keyAfter(
  key: KeyEntry | undefined,
  owner: Owner,
  status: Settlement['status'],
  outputs: JsonObject | undefined,
): Pick<Settled, 'key' | 'removeKey'> {
  if (key === undefined || !isSame(key.owner, owner)) return {}
  if (status === 'failed') return { removeKey: true }
  if (status === 'unknown') return { key: { ...key, status: 'unknown' } }
  return { key: { ...key, status: 'succeeded', ...(outputs === undefined ? {} : { outputs }) } }
}

function stateAfter({ isRollbackIncomplete, major, now }: Settlement, ended: UseEntry['ended']): StateEntry | undefined {
  const own = ended.filter(([, of]) => of === major).slice(-FAILURES)
  const isFailing = own.length === FAILURES && own.every(([, , ok]) => !ok)
  if (!isRollbackIncomplete && !isFailing) return undefined
  const reason = isRollbackIncomplete ? 'an undo has failed' : `the last ${FAILURES} executions have failed`
  return { state: 'quarantined', reason, since: now, by: 'reflex' }
}
