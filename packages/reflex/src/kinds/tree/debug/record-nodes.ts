import { type Change, isList, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import type { FindDefinition } from '../../../programs/kind-view.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { LaidNode } from '../compile/layout.ts'
import { textOf } from '../model/text-of.ts'
import { type FailureEntry, newFailures } from '../tick/failures.ts'
import { executionIn, type NodeStatus, operationRefIn, slotsOf, statusIn } from '../tick/node-states.ts'
import { laidOut, treeFinder } from './laid-out.ts'

/** The end of the operation of a leaf. */
export interface OperationEnd {
  readonly ref: Ref
  readonly isOk: boolean
  readonly value: Json
}

/** A node that a record concerns: its status has changed, it has failed or written, or its operation has ended. */
export interface RecordNode {
  readonly node: LaidNode
  readonly depth: number
  readonly before: NodeStatus
  /** The status after the record. */
  readonly status: NodeStatus
  /** The milliseconds for which it was RUNNING, if it no longer is. */
  readonly ms?: number
  /** Its failures in this record; several if it was ticked again. */
  readonly failures: readonly FailureEntry[]
  readonly wrote?: JsonObject
  readonly ended?: OperationEnd
  /** True if it was RUNNING and was stopped before it had answered. */
  readonly isHalted: boolean
}

/**
 * Returns the nodes that a record of a tree concerns, children before their parents: the order in which they answer. An execution begins with
 * all nodes FRESH.
 */
export function recordNodes(change: Change<CompiledTree>, definition: FindDefinition): RecordNode[] {
  const { record, before, frame, def, at } = change
  const { position } = frame
  if (!isList(position) || isReload(record.more?.note)) return []
  const { root, nodes } = laidOut(def, position, treeFinder(definition))
  const execution = executionIn(position)
  const [was, is] = [executionIn(before)?.number === execution?.number ? slotsOf(before) : [], slotsOf(position)]
  const failures = Map.groupBy(newFailures(record.writes), ({ node_path }) => node_path)
  const writes = writesByNode(record)
  const ended = operationEnd(change)
  const halted = haltedIds(record.more?.note)
  const found: RecordNode[] = []
  const visit = (node: LaidNode, depth: number): void => {
    for (const child of node.children) visit(child, depth + 1)
    const [old, now] = [statusIn(was[node.index]), statusIn(is[node.index])]
    const own = failures.get(node.path) ?? []
    const wrote = writes.get(node.path)
    const end = ended?.index === node.index ? ended.end : undefined
    if (old === now && own.length === 0 && wrote === undefined && end === undefined) return
    const since = old === 'RUNNING' && now !== 'RUNNING' ? sinceIn(was[node.index]) : undefined
    found.push({
      node,
      depth,
      before: old,
      status: now,
      failures: own,
      isHalted: old === 'RUNNING' && now === 'FRESH' && own.length === 0 && halted.has(node.id),
      ...(since === undefined || execution === undefined ? {} : { ms: Math.max(0, at - execution.start - since) }),
      ...(wrote === undefined ? {} : { wrote }),
      ...(end === undefined ? {} : { ended: end }),
    })
  }
  if (nodes.length > 0) visit(root, 0)
  return found
}

function isReload(note: Json | undefined): boolean {
  return isObject(note) && note.reload !== undefined
}

/** Returns the writes of nodes, by the path that labels them. Keys of the runtime are left out. */
function writesByNode({ writes = [], more = {} }: Change['record']): Map<string, JsonObject> {
  const labels = new Map((more.from ?? []).map(([key, label, scope]) => [`${String(scope)} ${key}`, label]))
  const byNode = new Map<string, Record<string, Json>>()
  const add = (flat: readonly Json[], scope?: Ref): void => {
    for (let i = 0; i < flat.length; i += 2) {
      const key = textOf(flat[i])
      const path = labels.get(`${String(scope)} ${key}`)
      if (typeof path !== 'string' || key.startsWith('_')) continue
      const known = byNode.get(path) ?? {}
      byNode.set(path, known)
      known[key] = flat[i + 1] ?? null
    }
  }
  add(writes)
  for (const [scope, flat] of more.sub ?? []) add(flat, scope)
  return byNode
}

/** Returns the leaf whose operation ends with a record. */
function operationEnd({ record: { input }, before }: Change): { readonly index: number; readonly end: OperationEnd } | undefined {
  const [type, ref, value = null, how] = (input ?? []) as readonly [string?, Ref?, Json?, Json?]
  if (ref === undefined || !isList(before)) return undefined
  if (type !== 'ok' && type !== 'err' && type !== 'answer' && type !== 'end') return undefined
  const index = operationRefIn(before, ref)
  if (index === undefined) return undefined
  const end = type === 'end' ? { ref, isOk: value === 'done', value: how ?? null } : { ref, isOk: type !== 'err', value }
  return { index, end }
}

function haltedIds(note: Json | undefined): ReadonlySet<Json> {
  const events = isObject(note) && isList(note.events) ? note.events : []
  return new Set(
    events.flatMap((event) => {
      const [type, payload] = isList(event) ? event : []
      return type === 'tree.node.cancelled' && isObject(payload) ? [payload.node_id ?? null] : []
    }),
  )
}

/** Milliseconds after the start of the execution. */
function sinceIn(slot: Json | undefined): number {
  return isList(slot) ? Number(slot[1] ?? 0) : 0
}
