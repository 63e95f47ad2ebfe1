import type { FaultData } from '../../kernel/fault.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { assistantMessage, type ModelMessage, type ModelReply, type ModelRequest, type ToolCall, type Usage } from '../../models/index.ts'
import { integerOf, isOn, listOf } from '../dot/graph.ts'
import { askModel, perform, performAll } from '../engine/asks.ts'
import type { Answer, Ask, Scene, Settled } from '../engine/handler.ts'
import type { Offer, Offers } from '../engine/offers.ts'
import { onResume } from './requirements.ts'
import { hooksAfter, hooksBefore } from './tool-hooks.ts'

const MAX_TURNS = 15
/** A conversation is gone through again with each answer: longer ones would be slow, and belong into several nodes. */
const MOST_TURNS = 200
/** Calls of one turn that are made; a model that wants more at once is told so. */
const MOST_CALLS = 32
/** Characters of a result that a model is given; the journal has all of it. */
const MOST_RESULT = 50_000
/** Characters of a result in the remark about its call. */
const TOLD_RESULT = 2_000

/** What came of a conversation with a model. */
export interface Conversation {
  readonly reply: ModelReply
  /** What was said after the request, the last reply included. */
  readonly said: readonly ModelMessage[]
  /** Calls in their order, refused ones included. */
  readonly calls: readonly ToolCall[]
  readonly turns: number
  /** The sum over all turns. */
  readonly usage: Usage
  /** US dollars; absent when a turn is unpriced. */
  readonly cost?: number
  /** The result of the terminal tool that ended it. */
  readonly result?: Json
}

type Conversed = Conversation | { readonly error: FaultData } | { readonly problem: string }

/** The tools that a node offers its model; nothing where it offers none (reference pipeline 4.3.1). */
export function* offered(scene: Scene): Generator<Ask, readonly Offer[] | { readonly problem: string }, Answer> {
  const { attributes, node } = scene
  if (!isOn(attributes, 'use_tools')) return []
  const tools = listOf(attributes, 'tools')
  const settled = yield* perform('offers', tools.length === 0 ? {} : { tools })
  if (settled.error !== undefined) return { problem: `${node.id}: ${settled.error.message}` }
  const { offers, unknown, withheld } = settled.ok as unknown as Offers
  for (const tool of unknown) scene.note('tool_unknown', { node_id: node.id, tool })
  for (const tool of withheld) scene.note('tool_withheld', { node_id: node.id, tool })
  return offers
}

/**
 * Asks a model and calls the tools that it asks for, until it answers: each turn an effect, each call one of its own, the
 * calls of a turn at once. What went wrong with a call is told to the model: a tool that is not offered, arguments that do
 * not fit, a refused capability, a hook that said no. After a crash it goes on behind the last answer on record.
 */
export function* converse(scene: Scene, request: ModelRequest, offers: readonly Offer[]): Generator<Ask, Conversed, Answer> {
  const most = integerOf(scene.attributes, 'max_turns') ?? MAX_TURNS
  if (most < 1 || most > MOST_TURNS) return { problem: `${scene.node.id}: max_turns is a number from 1 to ${MOST_TURNS}` }
  const terminal = new Set(listOf(scene.attributes, 'terminal_tools'))
  const tools = offers.map(({ name, description, schema }) => ({ name, description, schema }))
  const said: ModelMessage[] = []
  const calls: ToolCall[] = []
  const replies: ModelReply[] = []
  for (let turns = 1; turns <= most; turns++) {
    const answer = yield* askModel({ ...request, messages: [...request.messages, ...said], ...(tools.length === 0 ? {} : { tools }) })
    if ('error' in answer) return answer
    const { reply } = answer
    replies.push(reply)
    said.push(assistantMessage(reply))
    const sum = { reply, said, calls, turns, ...usedBy(replies) }
    const asked = reply.calls ?? []
    calls.push(...asked)
    if (asked.length === 0 || offers.length === 0) return sum
    const ends = yield* called(scene, asked, { offers, turn: turns })
    said.push(...ends.map(({ message }) => message))
    const last = ends.find(
      ({ offer, message }) => offer !== undefined && message.failed !== true && (terminal.has(offer.tool) || terminal.has(offer.name)),
    )
    if (last !== undefined) return { ...sum, result: last.message.result }
  }
  return { problem: `${scene.node.id}: the model called tools in each of its ${most} turns and never answered` }
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>

interface End {
  readonly offer: Offer | undefined
  readonly message: ToolMessage
}

/** Makes the calls of a turn that can be made; the results of all, in their order. */
function* called(
  scene: Scene,
  asked: readonly ToolCall[],
  { offers, turn }: { readonly offers: readonly Offer[]; readonly turn: number },
): Generator<Ask, readonly End[], Answer> {
  const checked = asked.map((call, i) => ({ call, ...offerFor(call, i, offers) }))
  const fit = checked.flatMap(({ call, offer, problem }) =>
    offer === undefined || problem !== undefined ? [] : [{ tool: offer.tool, id: call.id, args: call.args, call }],
  )
  const made = yield* hooksBefore(scene, fit)
  const settled = yield* performAll(
    made.map(({ tool, args }) => ({ effect: 'tool', args: { tool, args, by: 'model', ...onResume(scene) } })),
  )
  const results = new Map(made.map(({ call }, i) => [call, settled[i]]))
  const ends = checked.map(({ call, offer, problem }, i): End => {
    const message = toolMessage(call, results.get(call), problem)
    scene.note('tool_call', callFacts(scene, call, message, `${turn}.${i + 1}`))
    return { offer, message }
  })
  yield* hooksAfter(
    scene,
    made.map(({ tool, id, args, call }) => ({ tool, id, args, result: heldBy(results.get(call)) })),
  )
  return ends
}

/** The tool that a call is for, or why it is not made. */
function offerFor(call: ToolCall, place: number, offers: readonly Offer[]): { readonly offer?: Offer; readonly problem?: string } {
  const offer = offers.find(({ name, tool }) => name === call.name || tool === call.name)
  if (offer === undefined)
    return { problem: `there is no tool ${JSON.stringify(call.name)}; there are ${offers.map(({ name }) => name).join(', ')}` }
  if (call.invalid !== undefined) return { offer, problem: `the arguments of ${call.name} are not a JSON object` }
  return place < MOST_CALLS ? { offer } : { offer, problem: `at most ${MOST_CALLS} calls at once: call ${call.name} again` }
}

/** What a model is told of a call; one that was to be made and was not had a hook against it. */
function toolMessage({ id, name }: ToolCall, settled: Settled | undefined, problem = 'skipped by hook'): ToolMessage {
  const about = { role: 'tool' as const, call: id, name }
  if (settled === undefined) return { ...about, result: problem, failed: true }
  return settled.error === undefined
    ? { ...about, result: shortened(settled.ok) }
    : { ...about, result: settled.error.message, failed: true }
}

function heldBy(settled: Settled | undefined): Json {
  if (settled === undefined) return null
  return settled.error === undefined ? settled.ok : { error: settled.error.message }
}

/** A result that a model can take in: one that is too long is cut, and says so. */
function shortened(result: Json): Json {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  return text.length <= MOST_RESULT ? result : `${text.slice(0, MOST_RESULT).toWellFormed()}\n… cut: ${text.length} characters in all`
}

function callFacts(scene: Scene, call: ToolCall, { result, failed }: ToolMessage, number: string): JsonObject {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  const told = text.length <= TOLD_RESULT ? result : `${text.slice(0, TOLD_RESULT).toWellFormed()}…`
  const { name, args, id } = call
  return { node_id: scene.node.id, number, tool: name, tool_call_id: id, arguments: args, ok: failed !== true, result: told }
}

function usedBy(replies: readonly ModelReply[]): Pick<Conversation, 'usage' | 'cost'> {
  const sum = (of: 'cached' | 'reasoning'): Partial<Usage> => {
    const told = replies.flatMap(({ usage }) => (usage[of] === undefined ? [] : [usage[of]]))
    return told.length === 0 ? {} : { [of]: told.reduce((all, one) => all + one, 0) }
  }
  const add = (of: 'input' | 'output'): number => replies.reduce((all, { usage }) => all + usage[of], 0)
  const priced = replies.every(({ cost }) => cost !== undefined)
  return {
    usage: { input: add('input'), output: add('output'), ...sum('cached'), ...sum('reasoning') },
    ...(priced ? { cost: replies.reduce((all, { cost = 0 }) => all + cost, 0) } : {}),
  }
}
