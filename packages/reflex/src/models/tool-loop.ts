import { copyJson, isFault, type Json } from '../kernel/index.ts'
import { Account } from './account.ts'
import { withDetails } from './advice.ts'
import { faults } from './faults.ts'
import { type SchemaCheck, schemaCheck } from './structured.ts'
import type { ModelCall, ModelMessage, ModelReply, ModelRequest, Models, ToolCall, Usage } from './types.ts'

/** The settings of a tool loop. */
export interface ToolLoop {
  /**
   * Performs a call whose arguments fit the schema of the tool. The model gets a thrown fault with verdict `fail` or
   * `retry` as the result.
   */
  perform(call: ToolCall): Promise<Json>
  /** The most turns of the model. Default 15 (reference pipeline 2.3). */
  readonly maxTurns?: number | undefined
  /** The tools whose result ends the loop. */
  readonly terminal?: readonly string[] | undefined
  /** Receives each added message. A retry that starts with all of them repeats no call whose result is among them. */
  readonly onMessage?: ((message: ModelMessage) => void) | undefined
}

/** The result of a tool loop. */
export interface ToolLoopResult {
  /** The last reply. */
  readonly reply: ModelReply
  /** The whole conversation, from the given messages to the last reply. */
  readonly messages: readonly ModelMessage[]
  readonly turns: number
  /** The result of the terminal tool that ended the loop. */
  readonly result?: Json | undefined
  /** The tokens of all turns. */
  readonly usage: Usage
  /** The cost of all turns in USD; absent if one of them has no price. */
  readonly cost?: number | undefined
}

const DEFAULT_TURNS = 15

/**
 * Asks a model and performs the tools that it calls, until it answers. The calls of one reply are performed one after
 * the other, in their order. The model gets an error for an unknown tool, for arguments that do not fit and for a
 * failed tool. Messages that end with calls without results are continued: these calls are performed first.
 *
 * Throws `R4018` if the model still calls tools in its last turn, and the faults of `Models.generate`, each with
 * `answer` and `used` over all turns in its data. A tool fault with verdict `wait` or `bug` ends the loop. Aborting the
 * signal also ends it; the caller stops a tool that is running.
 */
export async function toolLoop(models: Models, request: ModelRequest, loop: ToolLoop, call: ModelCall): Promise<ToolLoopResult> {
  const tools = new Map(
    (request.tools ?? []).map((tool) => [
      tool.name,
      schemaCheck(tool.schema, { schemaOwner: `the tool ${tool.name}`, subject: 'the arguments' }),
    ]),
  )
  const messages: ModelMessage[] = [...request.messages]
  const { maxTurns = DEFAULT_TURNS, terminal = [] } = loop
  const account = new Account()
  const addMessage = (message: ModelMessage): void => {
    messages.push(message)
    loop.onMessage?.(message)
  }
  /** Performs calls. Returns the result that ends the loop, if there is one. */
  const perform = async (calls: readonly ToolCall[]): Promise<{ readonly result: Json } | undefined> => {
    for (const made of calls) {
      call.signal.throwIfAborted()
      const outcome = await performCall(made, tools, loop)
      addMessage({ role: 'tool', call: made.id, name: made.name, ...outcome })
      if (outcome.failed === undefined && terminal.includes(made.name)) return { result: outcome.result }
    }
    return undefined
  }
  await perform(unansweredCalls(messages))
  for (let turns = 1; turns <= maxTurns; turns++) {
    const reply = await turn(models, { ...request, messages: [...messages], ...choiceOf(request, turns) }, call, account)
    const { usage, cost } = account
    addMessage(assistantMessage(reply))
    const sum = { reply, messages, turns, usage, ...(cost === undefined ? {} : { cost }) }
    if (reply.calls === undefined) return sum
    const last = await perform(reply.calls)
    if (last !== undefined) return { ...sum, ...last }
  }
  throw faults.make('R4018', `${request.label ?? 'the model'} called tools in each of its ${maxTurns} turns and never answered`, {
    data: { turns: maxTurns, ...account.facts },
    fix: 'raise the number of turns, or fix the tool that the model calls again and again',
  })
}

/** Returns the calls of the last turn that have no result yet. */
function unansweredCalls(messages: readonly ModelMessage[]): readonly ToolCall[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const last = messages[at]
  if (last?.role !== 'assistant' || messages.slice(at + 1).some(({ role }) => role !== 'tool')) return []
  const done = new Set(messages.slice(at + 1).map((message) => (message.role === 'tool' ? message.call : '')))
  return (last.calls ?? []).filter(({ id }) => !done.has(id))
}

/** Asks the model for one turn. If it fails, the fault also contains the usage of the earlier turns. */
async function turn(models: Models, request: ModelRequest, call: ModelCall, account: Account): Promise<ModelReply> {
  let reply: ModelReply
  try {
    reply = await models.generate(request, call)
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    const { used, answer } = thrown.data ?? {}
    account.addUsed(used)
    const data = { ...thrown.data, ...account.facts, ...(answer === undefined ? {} : { answer }) }
    throw Object.keys(data).length === 0 ? thrown : withDetails(thrown, { data })
  }
  account.addReply(reply)
  return reply
}

/**
 * Returns the tool choice of a turn. After the first turn, a forced choice becomes `auto`; otherwise the model would
 * call tools forever.
 */
function choiceOf({ choice }: ModelRequest, turn: number): Pick<ModelRequest, 'choice'> {
  if (choice === undefined) return {}
  return { choice: turn > 1 && choice !== 'none' ? 'auto' : choice }
}

/** Returns a reply as the message that later requests repeat: its text, its calls, and its native form for the provider. */
export function assistantMessage({ text, calls, native }: ModelReply): ModelMessage {
  return {
    role: 'assistant',
    ...(text === '' ? {} : { content: text }),
    ...(calls === undefined ? {} : { calls }),
    ...(native === undefined ? {} : { native }),
  }
}

/** The most characters of a result that a model gets; a record has the whole result. */
const MOST_RESULT = 50_000

/** Returns the result of a tool as it fits into a request: a long result is cut and marked as cut. */
export function shortResult(result: Json, most = MOST_RESULT): Json {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  return text.length <= most ? result : `${text.slice(0, most).toWellFormed()}\n… cut: ${text.length} characters in all`
}

interface Outcome {
  readonly result: Json
  readonly failed?: true
}

async function performCall(call: ToolCall, tools: ReadonlyMap<string, SchemaCheck>, loop: ToolLoop): Promise<Outcome> {
  const check = tools.get(call.name)
  if (check === undefined) return failedOutcome(`there is no tool ${call.name}; there are ${[...tools.keys()].join(', ') || 'none'}`)
  if (call.invalid !== undefined) return failedOutcome(`the arguments of ${call.name} are not a JSON object`)
  const { problem } = check(call.args)
  if (problem !== undefined) return failedOutcome(`${call.name} cannot be called with these arguments: ${problem}`)
  try {
    return { result: copyJson(await loop.perform(call), `result of ${call.name}`) }
  } catch (thrown) {
    if (!isFault(thrown) || thrown.verdict === 'wait' || thrown.verdict === 'bug') throw thrown
    return failedOutcome(thrown.message)
  }
}

function failedOutcome(why: string): Outcome {
  return { result: why, failed: true }
}
