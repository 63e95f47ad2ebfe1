import { isList, isObject, type Json, type JsonObject, type Change } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { integerOf, isOn, numberOf, textOf as attribute } from '../dot/graph.ts'
import { failureJump, gateJump } from '../model/jumps.ts'
import { branchOf } from '../contract/branch.ts'
import { pipelineFaults, STAGE_FAILED } from '../contract/faults.ts'
import { withoutSensitive } from './labels.ts'
import { shortJson, parseIfJson } from '../../../text/index.ts'
import { nodeOf, type Position } from '../contract/position.ts'
import { retryPolicy } from '../contract/retry.ts'
import { commandText, edgeFact, textOf, edgeChoicesOf, writesOf } from './story-facts.ts'
import { replyAuthor, usedBy } from '../../../history/model-usage.ts'

/** A record with its remarks, and the node at which its frame stood. */
export interface RemarkedChange extends Change<TypedGraph> {
  readonly remarks: readonly (readonly [type: string, payload: JsonObject])[]
  readonly node: string
}

type RemarkStory = (payload: JsonObject, heard: RemarkedChange, place: number) => readonly StoryEvent[]

/** The fact of events that only a trace and `--verbose` show. */
const DETAIL: JsonObject = { detail: true }

/** The events of each remark; remarks that are not listed are for machines. */
export const REMARK_STORIES: Readonly<Record<string, RemarkStory>> = {
  stage_started: ({ node_id }, heard) =>
    isSilent(heard, node_id) ? [] : [{ mark: 'enter', node: textOf(node_id), ...enteredEdge(heard, node_id) }],
  stage_completed: (payload, heard, place) => completed(payload, heard, place),
  stage_failed: ({ node_id, error, code, will_retry }, heard, place) =>
    will_retry === true ? [] : [failed(textOf(node_id), { code: textOf(code), error: textOf(error) }, heard, place)],
  stage_retrying: ({ node_id, attempt, delay_ms }, heard, place) => [retrying(heard, textOf(node_id), attempt, delay_ms, place)],
  stage_skipped: ({ node_id, reason }) => [{ mark: 'skip', node: textOf(node_id), text: textOf(reason) }],
  stage_warning: ({ node_id, warning }) => [warningEvent(node_id, textOf(warning))],
  middleware_halted: ({ node_id, reason, middleware }, { remarks, node }) =>
    remarks.some(([type, { error }]) => type === 'stage_failed' && textOf(error) === textOf(reason))
      ? []
      : [warningEvent(node_id ?? node, `${textOf(middleware)}: ${textOf(reason)}`)],
  middleware_skipped: ({ node_id, middleware }) => [warningEvent(node_id, `skips ${textOf(middleware)}`)],
  skip_refused: ({ node_id, middleware }) => [
    warningEvent(
      node_id,
      middleware === 'mandatory_middleware' ? 'a pipeline cannot disable its mandatory checks' : `must not skip ${textOf(middleware)}`,
    ),
  ],
  tainted_route: ({ node_id, to, keys }) => [
    warningEvent(node_id, `an untrusted value, ${isList(keys) ? keys.map(textOf).join(', ') : ''}, chose the edge to ${textOf(to)}`),
  ],
  // Counters of a simulation are part of what a branch wrote; they are not attempts to write a reserved key.
  update_refused: ({ node_id, key }) =>
    textOf(key).startsWith('internal.simulate.') ? [] : [warningEvent(node_id, `must not write ${textOf(key)}`)],
  variable_refused: ({ node_id, key, name }) => [warningEvent(node_id, `${textOf(key)} cannot be the variable ${textOf(name)}`)],
  parameter_missing: ({ node_id, key, name }) => [warningEvent(node_id, `${textOf(key)} is missing for ${textOf(name)}`)],
  secret_redacted: ({ node_id, key }) => [warningEvent(node_id, `a secret was removed from ${textOf(key)}`)],
  prompt_marked: ({ node_id, key }) => [warningEvent(node_id, `${textOf(key)} looks like instructions to a model: it is marked as data`)],
  taint_reduced: ({ node_id, key, from, to, why }) => [
    {
      mark: 'note',
      node: textOf(node_id),
      text: `${textOf(key)} is ${textOf(to)} now, was ${textOf(from)}: ${textOf(why)}`,
      facts: DETAIL,
    },
  ],
  taint_control: ({ node_id, key, level, from }) => [
    {
      mark: 'note',
      node: textOf(node_id),
      text: `decides by ${textOf(key)}, which is ${textOf(level)}, from ${textOf(from)}`,
      facts: DETAIL,
    },
  ],
  tool_call: ({ node_id, tool, ok, result }) => [
    ok === true
      ? { mark: 'step', node: textOf(node_id), text: `calls ${textOf(tool)}` }
      : warningEvent(node_id, `${textOf(tool)}: ${shortJson(result ?? null)}`),
  ],
  tool_unknown: ({ node_id, tool }) => [warningEvent(node_id, `there is no tool ${textOf(tool)}`)],
  tool_withheld: ({ node_id, tool }) => [
    warningEvent(node_id, `no model may call ${textOf(tool)}: only an author may write its arguments`),
  ],
  hook: ({ of, phase, ok }, { node }) => [
    ok === true
      ? { mark: 'step', node, text: `the ${textOf(phase)}_hook of the ${textOf(of)} ran` }
      : { mark: 'warn', node, text: `the ${textOf(phase)}_hook of the ${textOf(of)} failed` },
  ],
  signal: (signal, heard) => {
    const { node_id, topic, status } = signal
    const text = `signal ${textOf(topic)}: ${textOf(status)}`
    return isSilent(heard, node_id) ? [] : [{ mark: 'note', node: textOf(node_id), text, facts: { ...DETAIL, signal } }]
  },
  parallel_branch_started: (payload, heard) => (payload['index'] === 0 ? [forked(payload, heard)] : []),
  graph_adapted: ({ node_id, version, changes }) => [
    {
      mark: 'note',
      node: textOf(node_id),
      text: `changes the pipeline, version ${textOf(version)}: ${isList(changes) ? changes.map(textOf).join(', ') : ''}`,
    },
  ],
  goal_gate_retrying: ({ gate, target }, { node }) => [
    {
      ...warningEvent(gate, `the goal is not reached: back to ${textOf(target)}`),
      facts: { ids: { edge: gateJump(node, textOf(target)) } },
    },
  ],
  failure_routed: ({ from, to }) => [
    {
      mark: 'note',
      node: textOf(from),
      text: `goes back to ${textOf(to)}`,
      facts: { ids: { edge: failureJump(textOf(from), textOf(to)) } },
    },
  ],
  fan_out_detected: ({ node_id, targets }) => [
    { mark: 'note', node: textOf(node_id), text: `one after another: ${isList(targets) ? targets.map(textOf).join(', ') : ''}` },
  ],
  loop_restart: ({ edge, round }) => [
    { mark: 'note', node: isObject(edge) ? textOf(edge['to']) : '', text: `begins again, round ${Number(round) + 1}` },
  ],
  dead_end: ({ node_id }, heard) =>
    isSilent(heard, node_id) ? [] : [{ mark: 'note', node: textOf(node_id), text: 'no edge to follow: it ends here' }],
  budget_warning: ({ node_id, used }) => [
    warningEvent(node_id, `the budget is nearly spent: ${isList(used) ? used.map(textOf).join(', ') : ''}`),
  ],
  pipeline_resumed: ({ current_node }) => [{ mark: 'note', node: textOf(current_node), text: 'continues from a checkpoint' }],
}

/** True if the node is the start or the exit of a pipeline, which need no line. */
function isSilent({ def }: RemarkedChange, id: Json | undefined): boolean {
  const node = def.nodes.get(textOf(id))
  return node !== undefined && (node.canonical === 'start' || node.canonical === 'exit') && node.custom === undefined
}

/** Returns the edge that led to the node that begins. */
function enteredEdge({ before, frame, def }: RemarkedChange, id: Json | undefined): Pick<StoryEvent, 'facts'> {
  const from = before === undefined ? branchOf(frame)?.spec : nodeOf(before) === id ? (before as unknown as Position) : undefined
  const ids = edgeFact(def.graph, from?.edge)
  return ids['edge'] === undefined ? {} : { facts: { ids } }
}

function warningEvent(node: Json | undefined, text: string): StoryEvent {
  return { mark: 'warn', node: textOf(node), text }
}

const ASKING: ReadonlySet<string | undefined> = new Set(['choice', 'approval'])

/** Returns the end of a stage: its result, its usage, and the edge that it followed if it had several. */
function completed({ node_id, status, notes }: JsonObject, heard: RemarkedChange, place: number): readonly StoryEvent[] {
  if (isSilent(heard, node_id)) return []
  const id = textOf(node_id)
  const node = heard.def.nodes.get(id)
  const { input } = heard.record
  const value = input?.[0] === 'ok' ? input[2] : undefined
  const edgeFacts = edgeFrom(id, heard, place)
  const text = [
    status === 'success' ? '' : textOf(status).replace('_', ' '),
    node?.canonical === 'parallel' ? countText(heard) : '',
    commandText(value) ?? '',
    ASKING.has(node?.facts.form) && input?.[0] === 'timer' ? 'nobody answered in time' : '',
    short(textOf(notes)),
  ].filter((part) => part !== '')
  const { route, ...chosen } = edgeFacts ?? {}
  const by = doneBy(heard, value)
  // A person's choice needs no other reason.
  const onward = by['by'] === 'a person' ? chosen : { ...chosen, ...(route === undefined ? {} : { route }) }
  const facts: JsonObject = { at: heard.at, ...by, ...onward, ...shownWrites(heard) }
  if (node?.canonical === 'branch' && edgeFacts !== undefined)
    return [{ mark: 'decide', node: id, text: textOf(route), facts: { ...facts, by: 'rules' } }]
  return [{ mark: 'done', node: id, text: text.join(': '), facts }]
}

function failed(
  id: string,
  { code, error }: { readonly code: string; readonly error: string },
  heard: RemarkedChange,
  place: number,
): StoryEvent {
  const { input } = heard.record
  const edgeFacts = edgeFrom(id, heard, place)
  const used = input?.[0] === 'ok' ? usedBy(input[2]) : undefined
  const text = withoutNode(error, id)
  return {
    mark: 'fail',
    node: id,
    text,
    facts: { fault: faultOf(id, code, text), ...(used === undefined ? {} : { used }), ...edgeFacts },
  }
}

/** Returns the failure of a stage. The line already says that the stage failed, so the general code is left out of it. */
export function faultOf(node: string, code: string, message: string): JsonObject {
  const own = code === '' || code === STAGE_FAILED
  return { code: own ? STAGE_FAILED : code, message, path: node, ...(own ? { fix: STAGE_FIX, plain: true } : {}) }
}

const STAGE_FIX = pipelineFaults.entries.R2210.fix

/** The most characters of a remark in a line; a model's answer may have thousands. */
const REMARK = 100

function short(text: string): string {
  const line = text.trim()
  return line.length <= REMARK && !line.includes('\n') ? line : shortJson(parseIfJson(line), REMARK)
}

/** Removes the name of the node from a failure, because the line already names it. */
function withoutNode(error: string, id: string): string {
  return error.startsWith(`${id} `) ? error.slice(id.length + 1) : error.startsWith(`${id}: `) ? error.slice(id.length + 2) : error
}

/** Returns who performed the stage: a person, or a model with its usage. */
function doneBy({ record: { input } }: RemarkedChange, value: Json | undefined): JsonObject {
  const used = usedBy(value)
  if (input?.[0] === 'answer') return { by: 'a person' }
  if (used === undefined || !isObject(value)) return {}
  return { by: replyAuthor(value), used }
}

/** Returns the writes of a stage, without sensitive values (reference pipeline 5.4). */
function shownWrites({ record, frame }: RemarkedChange): JsonObject {
  const written = writesOf(record)
  return written === undefined ? {} : { wrote: withoutSensitive(written, (key) => frame.kindReader().get(key)) }
}

/** Returns `2 of 3 succeeded`, the number of branches. */
function countText({ record: { writes = [] } }: RemarkedChange): string {
  const written = (key: string): Json | undefined => writes[writes.findIndex((name, i) => i % 2 === 0 && name === key) + 1]
  if (!writes.includes('parallel.total_count')) return ''
  return `${textOf(written('parallel.success_count'))} of ${textOf(written('parallel.total_count'))} succeeded`
}

/** Returns the edge that was followed after a stage that has several edges. */
function edgeFrom(id: string, { def, remarks, frame }: RemarkedChange, place: number): JsonObject | undefined {
  const node = def.nodes.get(id)
  const outgoing = def.outgoing.get(id) ?? []
  if (node === undefined || outgoing.length < 2 || node.canonical === 'parallel' || isOn(node.node.attributes, 'fan_out')) return undefined
  const [, selected] = remarks.slice(place).find(([type, { from }]) => type === 'edge_selected' && from === id) ?? []
  if (selected === undefined) return undefined
  const { edge: taken } = frame.position as unknown as Position
  const { edge, open, closed, ids } = edgeChoicesOf(def, selected, taken)
  return { edge, route: textOf(selected['reason']), open: [edge, ...open], ...(closed.length === 0 ? {} : { closed }), ids }
}

/** Returns a failed attempt and the next one. */
function retrying(
  { remarks, def }: RemarkedChange,
  id: string,
  attempt: Json | undefined,
  delay: Json | undefined,
  place: number,
): StoryEvent {
  const [, failure] = remarks.slice(0, place).findLast(([type]) => type === 'stage_failed') ?? []
  const node = def.nodes.get(id)
  const all = node === undefined ? '' : ` of ${retryPolicy(node, def.graph.attributes).attempts}`
  const due = Number(delay)
  return {
    mark: 'warn',
    node: id,
    text: short(withoutNode(textOf(failure?.['error']), id)),
    facts: { attempt: `attempt ${textOf(attempt)}${all}`, ...(due > 0 ? { delay: due } : {}) },
  }
}

/** Returns the beginning of branches: their number, and how many must succeed. */
function forked({ node_id, branch }: JsonObject, { def, node, record, remarks }: RemarkedChange): StoryEvent {
  const id = textOf(node_id ?? node)
  const here = def.nodes.get(id)
  const items = textOf(branch).endsWith(']')
  const all = items ? undefined : branchesOf(def, id, remarks)
  const begun = record.more?.spawn?.length ?? 0
  const what = items ? 'its items' : `${all ?? begun} branch${(all ?? begun) === 1 ? '' : 'es'}`
  const rule = here === undefined || items ? '' : joinRule(here, all ?? begun)
  const once = all !== undefined && begun < all ? `${begun} at once` : ''
  return {
    mark: 'fork',
    node: id,
    text: [what, rule, once].filter((part) => part !== '').join(', '),
    facts: { branches: all ?? begun, rule },
  }
}

function branchesOf({ outgoing }: TypedGraph, id: string, remarks: RemarkedChange['remarks']): number {
  const [, started] = remarks.find(([type]) => type === 'parallel_started') ?? []
  const count = started?.['branch_count']
  return typeof count === 'number' ? count : (outgoing.get(id)?.length ?? 0)
}

/** Returns how many branches must succeed, if not all must. */
function joinRule({ node: { attributes } }: TypedNode, all: number): string {
  switch (attribute(attributes, 'join_policy')) {
    case 'first_success':
      return 'the first success counts'
    case 'k_of_n':
      return `quorum ${integerOf(attributes, 'join_k') ?? 1} of ${all}`
    case 'quorum':
      return `quorum ${Math.ceil((numberOf(attributes, 'quorum_fraction') ?? 0.5) * all)} of ${all}`
    default:
      return ''
  }
}
