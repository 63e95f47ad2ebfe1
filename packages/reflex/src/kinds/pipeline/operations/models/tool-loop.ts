import type { FaultData, Json, JsonObject } from '../../../../kernel/index.ts'
import {
  assistantMessage,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ToolCall,
  type Usage,
} from '../../../../models/index.ts'
import { integerOf, isOn, listOf } from '../../dot/graph.ts'
import { storeValue, perform, performAll } from '../../contract/asks.ts'
import { type ConversationPart, type ResultPart, resultMessage } from '../../contract/conversation.ts'
import type { Answer, Ask, NodeContext, Settled } from '../../contract/handler.ts'
import type { Offers } from '../../engine/offers.ts'
import type { Offer } from '../../../../tools/index.ts'
import { onResume } from '../commands/requirements.ts'
import { runPostHooks, runPreHooks } from './tool-hooks.ts'

const MAX_TURNS = 15
/** The limit of turns. Each answer reads the whole conversation again, so longer ones would be slow and should be several nodes. */
const MOST_TURNS = 200
/** The limit of calls of one turn. A call beyond the limit is answered with an error. */
const MOST_CALLS = 32
/** The limit of characters of a result in the note about its call. */
const MOST_NOTED = 2_000

/** The result of a conversation with a model. */
export interface Conversation {
  readonly reply: ModelReply
  /** The messages after the request, including the last reply. */
  readonly messages: readonly ModelMessage[]
  /** Calls in order, including refused ones. */
  readonly calls: readonly ToolCall[]
  readonly turns: number
  /** The sum over all turns. */
  readonly usage: Usage
  /** In US dollars; absent if a turn has no price. */
  readonly cost?: number
  /** The result of the terminal tool that ended it. */
  readonly result?: Json
}

/** A conversation without a final answer; with `error`, its last request failed. */
type ConversationFailure = { readonly error: FaultData } | { readonly problem: string; readonly turns?: number }

type ConversationResult = Conversation | ConversationFailure

/** Returns the tools that a node offers its model; an empty list if it offers none (reference pipeline 4.3.1). */
export function* requestOffers(context: NodeContext): Generator<Ask, readonly Offer[] | { readonly problem: string }, Answer> {
  const { attributes, node } = context
  if (!isOn(attributes, 'use_tools')) return []
  const tools = listOf(attributes, 'tools')
  const settled = yield* perform('offers', tools.length === 0 ? {} : { tools })
  if (settled.error !== undefined) return { problem: `${node.id}: ${settled.error.message}` }
  const { offers, unknown, withheld } = settled.ok as unknown as Offers
  for (const tool of unknown) context.note('tool_unknown', { node_id: node.id, tool })
  for (const tool of withheld) context.note('tool_withheld', { node_id: node.id, tool })
  return offers
}

/**
 * Asks a model and performs its calls of tools, until it answers. Each turn is an effect, each call is another one, and the
 * calls of a turn run at once. The model gets the error of a failed call: a tool that is not offered, invalid arguments, a
 * refused capability, a hook that refused. After a crash, and in a further attempt, the conversation continues after the last
 * recorded answer. Each request refers to the turns before it, so that the journal has each of them once.
 */
export function* converse(
  context: NodeContext,
  request: ModelRequest,
  offers: readonly Offer[],
): Generator<Ask, ConversationResult, Answer> {
  const most = integerOf(context.attributes, 'max_turns') ?? MAX_TURNS
  if (most < 1 || most > MOST_TURNS) return { problem: `${context.node.id}: max_turns must be a whole number from 1 to ${MOST_TURNS}` }
  const terminal = new Set(listOf(context.attributes, 'terminal_tools'))
  const messages: ModelMessage[] = []
  const calls: ToolCall[] = []
  const replies: ModelReply[] = []
  let { args, place } = yield* startConversation(request, offers)
  for (let turns = 1; turns <= most * context.attempt; turns++) {
    const settled = yield* perform('model', args)
    if (settled.error !== undefined) return { error: settled.error }
    const reply = settled.ok as unknown as ModelReply
    replies.push(reply)
    messages.push(assistantMessage(reply))
    const sum = { reply, messages, calls, turns, ...usageOf(replies) }
    const requested = reply.calls ?? []
    calls.push(...requested)
    if (requested.length === 0) return sum
    if (offers.length === 0 && turns > 1)
      return { problem: `${context.node.id}: the model called ${requested[0]?.name ?? 'a tool'}, which this node does not offer` }
    const ends = yield* callTools(context, requested, { offers, turn: turns })
    messages.push(...ends.map(({ message }) => message))
    const last = ends.find(
      ({ offer, message }) => offer !== undefined && message.failed !== true && (terminal.has(offer.tool) || terminal.has(offer.name)),
    )
    if (last !== undefined) return { ...sum, result: last.message.result }
    if (offers.length === 0) {
      args = { ...args, messages: [...request.messages, ...messages] as unknown as Json }
      continue
    }
    place = yield* keepPart({ after: place, reply: settled.at ?? '', results: ends.map(({ part }) => part) })
    args = { ...args, conversation: place }
  }
  return { problem: `${context.node.id}: the model called tools in each of its ${most} turns and gave no answer`, turns: most }
}

/** Returns the first request. If later requests are possible, the part that they share is stored on the board. */
function* startConversation(
  request: ModelRequest,
  offers: readonly Offer[],
): Generator<Ask, { readonly args: JsonObject; readonly place: string }, Answer> {
  if (offers.length === 0) return { args: request as unknown as JsonObject, place: '' }
  const { messages, output, ...settings } = request
  const tools = offers.map(({ name, description, schema }) => ({ name, description, schema }))
  const shared = { messages, tools, ...(output === undefined ? {} : { output }) } as unknown as JsonObject
  const place = yield* keepPart({ request: shared })
  return { args: { ...settings, conversation: place } as unknown as JsonObject, place }
}

function keepPart(part: ConversationPart): Generator<Ask, string, Answer> {
  return storeValue(part as unknown as JsonObject)
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>

interface CallEnd {
  readonly offer: Offer | undefined
  readonly message: ToolMessage
  readonly part: ResultPart
}

/** Performs the valid calls of a turn. Returns the results of all calls in order. */
function* callTools(
  context: NodeContext,
  requested: readonly ToolCall[],
  { offers, turn }: { readonly offers: readonly Offer[]; readonly turn: number },
): Generator<Ask, readonly CallEnd[], Answer> {
  const checked = requested.map((call, i) => ({ call, ...offerFor(call, i, offers) }))
  const valid = checked.flatMap(({ call, offer, problem }) =>
    offer === undefined || problem !== undefined ? [] : [{ tool: offer.tool, id: call.id, args: call.args, call }],
  )
  const allowed = yield* runPreHooks(context, valid)
  const settled = yield* performAll(
    allowed.map(({ tool, args }) => ({ effect: 'tool', args: { tool, args, by: 'model', ...onResume(context) } })),
  )
  const results = new Map(allowed.map(({ call }, i) => [call, settled[i]]))
  const ends = checked.map(({ call, offer, problem }, i): CallEnd => {
    const part = resultPart(call, results.get(call), problem)
    const message = resultMessage(part, () => results.get(call) ?? { ok: null })
    context.note('tool_call', callFacts(context, call, message, `${turn}.${i + 1}`))
    return { offer, message, part }
  })
  yield* runPostHooks(
    context,
    allowed.map(({ tool, id, args, call }) => ({ tool, id, args, result: resultValue(results.get(call)) })),
  )
  return ends
}

/** Returns the tool of a call, or the reason why it is not performed. */
function offerFor(call: ToolCall, place: number, offers: readonly Offer[]): { readonly offer?: Offer; readonly problem?: string } {
  const offer = offers.find(({ name, tool }) => name === call.name || tool === call.name)
  if (offer === undefined)
    return {
      problem: `there is no tool ${JSON.stringify(call.name)}; the tools are ${offers.map(({ name }) => name).join(', ') || 'none'}`,
    }
  if (call.invalid !== undefined) return { offer, problem: `the arguments of ${call.name} are not a JSON object` }
  return place < MOST_CALLS ? { offer } : { offer, problem: `at most ${MOST_CALLS} calls are allowed at once: call ${call.name} again` }
}

/** Returns the result of a call, as a reference to its recorded answer. A hook has refused a call without an answer. */
function resultPart({ id, name }: ToolCall, settled: Settled | undefined, problem = 'skipped by hook'): ResultPart {
  return { call: id, name, ...(settled?.at === undefined ? { said: problem } : { at: settled.at }) }
}

function resultValue(settled: Settled | undefined): Json {
  if (settled === undefined) return null
  return settled.error === undefined ? settled.ok : { error: settled.error.message }
}

function callFacts(context: NodeContext, call: ToolCall, { result, failed }: ToolMessage, number: string): JsonObject {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  const excerpt = text.length <= MOST_NOTED ? result : `${text.slice(0, MOST_NOTED).toWellFormed()}…`
  const { name, args, id } = call
  return { node_id: context.node.id, number, tool: name, tool_call_id: id, arguments: args, ok: failed !== true, result: excerpt }
}

function usageOf(replies: readonly ModelReply[]): Pick<Conversation, 'usage' | 'cost'> {
  const sum = (of: 'cached' | 'cacheWrite' | 'reasoning'): Partial<Usage> => {
    const amounts = replies.flatMap(({ usage }) => (usage[of] === undefined ? [] : [usage[of]]))
    return amounts.length === 0 ? {} : { [of]: amounts.reduce((all, one) => all + one, 0) }
  }
  const add = (of: 'input' | 'output'): number => replies.reduce((all, { usage }) => all + usage[of], 0)
  const priced = replies.every(({ cost }) => cost !== undefined)
  return {
    usage: { input: add('input'), output: add('output'), ...sum('cached'), ...sum('cacheWrite'), ...sum('reasoning') },
    ...(priced ? { cost: replies.reduce((all, { cost = 0 }) => all + cost, 0) } : {}),
  }
}
