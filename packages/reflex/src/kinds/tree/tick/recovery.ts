import { isList, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import { programName } from '../nodes/call.ts'
import { failureTrace } from './failures.ts'
import type { TreeEvent } from './ticking.ts'
import { argsOf, type TreeStep } from './tree-step.ts'

/** So many failed executions in so many milliseconds are an escalation (reference tree 4.11). */
export const MOST_FAILURES = 3
export const FAILURE_WINDOW_MS = 60_000
/** The key under which a recovery tree has what has failed. */
export const CONTEXT_KEY = '_failure_context'
const RECOVERY_KEY = '_recovery'

interface RecoveryState {
  /** The times of the last failures. */
  readonly failed: readonly number[]
  /** The strand of the recovery tree while it runs. */
  readonly ref: Ref | undefined
}

function stateOf(x: TreeStep): RecoveryState {
  const value = x.get(RECOVERY_KEY)
  const { failed = [], ref } = isObject(value) ? value : {}
  return { failed: isList(failed) ? failed.map(Number) : [], ref: ref as Ref | undefined }
}

/** True while the recovery tree of a tree runs. */
export function isRecovering(x: TreeStep): boolean {
  return stateOf(x).ref !== undefined
}

/**
 * Counts an execution that has failed. After the third in a minute the recovery tree begins, beside the tree, with the failures and the values of
 * the tree. Failures that come while it runs do not count, and a recovery tree has none itself.
 */
export function countFailure(x: TreeStep): readonly TreeEvent[] {
  const { recovery_tree: name } = x.def.source
  const { failed, ref } = stateOf(x)
  if (name === undefined || ref !== undefined || !argsOf(x).recovers) return []
  const recent = [...failed.filter((time) => time > x.now - FAILURE_WINDOW_MS), x.now]
  if (recent.length < MOST_FAILURES) {
    x.setInternal(RECOVERY_KEY, { failed: recent })
    return []
  }
  const args = { [CONTEXT_KEY]: contextOf(x) }
  x.setInternal(RECOVERY_KEY, { failed: [], ref: x.spawn(programName(name), { args, sees: 'nothing' }) })
  return [['tree.recovery.started', { recovery_tree: name, failures: recent.length }]]
}

function contextOf(x: TreeStep): JsonObject {
  const values = [...x.def.schemas.keys()].flatMap((key): [string, Json][] => {
    const value = x.get(key)
    return value === undefined ? [] : [[key, value]]
  })
  return { tree_id: x.def.id, failure_trace: failureTrace((key) => x.get(key)).entries, snapshot: Object.fromEntries(values) }
}

/** The recovery tree has ended. Returns the events of its end; undefined for another strand. */
export function recoveryEnded(x: TreeStep, ref: Ref, status: string): readonly TreeEvent[] | undefined {
  if (stateOf(x).ref !== ref) return undefined
  x.delete(RECOVERY_KEY)
  const facts = { recovery_tree: x.def.source.recovery_tree ?? null }
  return status === 'done' ? [['tree.recovery.completed', facts]] : [['tree.fallback', { ...facts, severity: 'critical' }]]
}
