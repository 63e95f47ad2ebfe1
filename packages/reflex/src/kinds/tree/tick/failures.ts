import { type FaultData, isObject, type Json, type JsonObject, type StepContext } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'

/** The failures that a tree keeps. */
const KEPT = 50
/** The keys that hold them: one each, so that a record has only the new ones. */
const COUNT_KEY = '_failure_count'
const ENTRY_KEY = '_failure.'
/** The key under which nodes and code read the reason of the last failure. */
export const REASON_KEY = '_failure_reason'
/** The key under which nodes and code read the trace as a list. */
export const TRACE_KEY = '_failure_trace'

/** A failure of a node. */
export interface Failure {
  readonly node: LaidNode
  readonly reason: string
  readonly fault?: FaultData | undefined
}

/** An entry of the failure trace (EP-03). */
export interface FailureEntry extends JsonObject {
  readonly node_id: string
  readonly node_path: string
  readonly reason: string
  readonly timestamp: number
}

/** Writes failures to the board, the newest 50 of an execution. */
export function keepFailures(x: StepContext, failures: readonly Failure[], isRecovered: (node: LaidNode) => boolean): void {
  const last = failures.at(-1)
  if (last === undefined) return
  const counted = x.get(COUNT_KEY)
  const { total = 0, first = x.now } = isObject(counted) ? counted : {}
  let number = Number(total)
  for (const failure of failures.slice(-KEPT))
    x.setInternal(`${ENTRY_KEY}${number++ % KEPT}`, {
      ...entryOf(failure, x.now),
      ...(isRecovered(failure.node) ? { recovered: true } : {}),
    })
  x.setInternal(COUNT_KEY, { total: Number(total) + failures.length, first, last: x.now })
  x.setInternal(REASON_KEY, last.reason)
}

/** Returns the failures that a record adds. What is written after their count are corrections of earlier ones. */
export function newFailures(writes: readonly Json[] = []): FailureEntry[] {
  const end = writes.findIndex((key, i) => i % 2 === 0 && key === COUNT_KEY)
  return writes
    .slice(0, Math.max(0, end))
    .map((key, i) => (i % 2 === 0 && typeof key === 'string' && key.startsWith(ENTRY_KEY) ? writes[i + 1] : undefined))
    .filter((entry): entry is FailureEntry => isObject(entry))
}

function entryOf({ node, reason, fault }: Failure, timestamp: number): FailureEntry {
  const code = fault?.rule ?? fault?.code
  return { node_id: node.id, node_path: node.path, ...(code === undefined ? {} : { error_code: code }), reason, timestamp }
}

/** Adds failures that are not recorded yet to entries. */
export function withUnrecorded(entries: readonly FailureEntry[], failures: readonly Failure[], now: number): readonly FailureEntry[] {
  return [...entries, ...failures.map((failure) => entryOf(failure, now))].slice(-KEPT)
}

/** Corrects the marks of failures once the execution has ended: it is known then which of them a node above has absorbed. */
export function markRecovered(x: StepContext, nodes: readonly LaidNode[], isRecovered: (node: LaidNode) => boolean): void {
  const counted = x.get(COUNT_KEY)
  const kept = Math.min(KEPT, isObject(counted) ? Number(counted.total) : 0)
  for (let i = 0; i < kept; i++) {
    const entry = x.get(ENTRY_KEY + i)
    if (!isObject(entry)) continue
    const node = nodes.find(({ path }) => path === entry.node_path)
    const { recovered = false, ...plain } = entry
    const now = node === undefined || isRecovered(node)
    if (now !== recovered) x.setInternal(ENTRY_KEY + i, now ? { ...plain, recovered: true } : plain)
  }
}

/** Forgets the failures of an earlier execution. */
export function forgetFailures(x: StepContext): void {
  if (x.get(COUNT_KEY) === undefined) return
  for (const key of [COUNT_KEY, REASON_KEY, ...Array.from({ length: KEPT }, (_, i) => ENTRY_KEY + i)]) x.delete(key)
}

/** Returns the failures that a board holds, oldest first, with how many there were. */
export function failureTrace(get: (key: string) => Json | undefined): {
  readonly entries: readonly FailureEntry[]
  readonly total: number
} {
  const counted = get(COUNT_KEY)
  const total = isObject(counted) ? Number(counted.total) : 0
  const first = Math.max(0, total - KEPT)
  const entries = Array.from({ length: total - first }, (_, i) => get(`${ENTRY_KEY}${(first + i) % KEPT}`))
  return { entries: entries.filter((entry): entry is FailureEntry => isObject(entry)), total }
}
