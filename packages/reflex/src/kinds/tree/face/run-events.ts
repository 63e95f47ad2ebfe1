import { type Change, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { FindDefinition, KindEvent } from '../../../programs/kind-view.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { type RecordNode, recordNodes } from '../debug/record-nodes.ts'
import { writtenValue } from '../debug/written-value.ts'
import { textOf } from '../model/text-of.ts'
import type { EventSeverity } from '../board/error-table.ts'
import { priorityOf, severityOf } from '../seed/tree-event.ts'
import { executionIn, operationRefIn } from '../tick/node-states.ts'
import { EVENT_KEY } from '../tick/ticking.ts'
import { OPEN_AT, STATUS_AT, TICKS_AT } from '../tick/tree-state.ts'

type NamedEvent = readonly [type: string, payload: JsonObject]

/** The states of a tree, as `tree.tick.complete` names them. */
const TREE_STATUSES = ['IDLE', 'RUNNING', 'YIELDED', 'COMPLETED', 'FAILED'] as const

/**
 * Returns the events of a record of a tree (reference tree 6.4): the tick begins, nodes answer, what nodes and the tree report, the tick ends. They
 * are a projection of the journal, so a stored run has the same events as it had while it worked. A node that is made FRESH again in the middle of
 * an execution has the event `node.reset`; a new execution makes all nodes FRESH.
 */
export function treeEvents(change: Change<CompiledTree>, definition: FindDefinition): readonly KindEvent[] {
  const { n, at, def } = change
  const named = [...tickStart(change), ...nodeEvents(recordNodes(change, definition), change.frame.position), ...notedEvents(change)]
  return [...named, ...tickEnd(change, named)].map(([type, payload], i) => {
    const { severity: stated, priority: given, ...rest } = payload
    const severity = typeof stated === 'string' ? (stated as EventSeverity) : severityOf(type)
    const priority = typeof given === 'string' ? given : priorityOf(type, severity)
    return { id: `${n}.${i}`, type, source: def.id, severity, priority, timestamp: at, payload: { tree_id: def.id, record: n, ...rest } }
  })
}

/** The number of the tick at a position, with that of its execution. */
function tickAt(position: Json | undefined): string {
  return `${executionIn(position)?.number ?? 0}/${isList(position) ? Number(position[TICKS_AT]) : 0}`
}

function isOpen(position: Json | undefined): boolean {
  return isList(position) && position[OPEN_AT] !== 0
}

function tickFacts(position: Json | undefined): JsonObject {
  return { execution: executionIn(position)?.number ?? 0, tick_number: isList(position) ? Number(position[TICKS_AT]) : 0 }
}

function tickStart({ before, frame: { position }, record }: Change): NamedEvent[] {
  if (tickAt(before) === tickAt(position)) return []
  const event = writtenValue(record, EVENT_KEY)
  const trigger = event !== undefined ? { trigger_event: event } : record.input === undefined ? {} : { trigger: record.input[0] }
  return [['tree.tick.start', { ...tickFacts(position), ...trigger }]]
}

/** The tick ends with the record after which it waits for no leaf. */
function tickEnd({ before, frame: { position } }: Change, events: readonly NamedEvent[]): NamedEvent[] {
  const hasTicked = tickAt(before) !== tickAt(position) || (isOpen(before) && !isOpen(position))
  if (!hasTicked || isOpen(position) || !isList(position)) return []
  const status = TREE_STATUSES[Number(position[STATUS_AT])] ?? 'IDLE'
  const nodes_ticked = events.filter(([type]) => type === 'node.tick').length
  return [['tree.tick.complete', { ...tickFacts(position), status, nodes_ticked }]]
}

function nodeEvents(nodes: readonly RecordNode[], position: Json | undefined): NamedEvent[] {
  return nodes.flatMap((one): NamedEvent[] => {
    const { node, before, status, ms = 0, failures } = one
    const about = { node_id: node.id, node_path: node.path, node_type: node.manifest.type }
    const answers = failures.map(({ reason, error_code }): NamedEvent => {
      const code = typeof error_code === 'string' ? { error_code } : {}
      return ['node.tick', { ...about, status: 'FAILURE', duration_ms: ms, reason, ...code }]
    })
    if (status === 'FAILURE' && answers.length > 0) return answers
    const isAgain = hasSucceededBefore(one, position)
    if (isAgain) answers.push(['node.tick', { ...about, status: 'SUCCESS', duration_ms: ms }])
    if (status === before && !isAgain) return answers
    if (status === 'FRESH') return [...answers, ['node.reset', about]]
    return [...answers, ['node.tick', { ...about, status, duration_ms: isAgain ? 0 : ms }]]
  })
}

/** True for a leaf that has succeeded in a record, and then was made FRESH or began again in the same record, as in a loop. */
function hasSucceededBefore({ status, ended, failures, isHalted }: RecordNode, position: Json | undefined): boolean {
  if (ended?.isOk !== true || status === 'SUCCESS' || failures.length > 0 || isHalted) return false
  const { ref, value } = ended
  const isHeld = isList(position) && operationRefIn(position, ref) !== undefined
  return !isHeld && !(isObject(value) && value.status === 'running')
}

function notedEvents({ record: { more } }: Change): NamedEvent[] {
  const events = isObject(more?.note) && isList(more.note.events) ? more.note.events : []
  return events.flatMap((event): NamedEvent[] => {
    const [type, payload] = isList(event) ? event : []
    return type === undefined ? [] : [[textOf(type), isObject(payload) ? payload : {}]]
  })
}
