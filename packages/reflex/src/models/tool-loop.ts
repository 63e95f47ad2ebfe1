import { copyJson, isFault, type Json } from '../kernel/index.ts'
import { Account } from './account.ts'
import { withDetails } from './advice.ts'
import { faults } from './faults.ts'
import { type SchemaCheck, schemaCheck } from './structured.ts'
import type { ModelCall, ModelMessage, ModelReply, ModelRequest, Models, ToolCall, Usage } from './types.ts'

/** How a tool loop is run. */
export interface ToolLoop {
  /** Performs a call whose arguments fit the tool's schema. What it throws with verdict `fail` or `retry` is told to the model. */
  perform(call: ToolCall): Promise<Json>
  /** Turns of the model at most. 15 if absent (reference pipeline 2.3). */
  readonly maxTurns?: number | undefined
  /** Tools whose result ends the loop. */
  readonly terminal?: readonly string[] | undefined
  /** Takes each message that is added. A retry that begins with all of them repeats no call whose result is among them. */
  readonly onMessage?: ((message: ModelMessage) => void) | undefined
}

/** What came of a tool loop. */
export interface ToolLoopResult {
  /** The last reply. */
  readonly reply: ModelReply
  /** The whole conversation, the given messages first, the last reply last. */
  readonly messages: readonly ModelMessage[]
  readonly turns: number
  /** The result of the terminal tool that ended the loop. */
  readonly result?: Json | undefined
  /** Tokens of all turns. */
  readonly usage: Usage
  /** USD of all turns; absent when one of them is unpriced. */
  readonly cost?: number | undefined
}

const DEFAULT_TURNS = 15

/**
 * Asks a model and performs the tools that it calls, until it answers. Calls of one reply are performed one after the
 * other, in their order. The model gets an error for an unknown tool, arguments that do not fit and a failed tool. Messages that end
 * with calls whose results are missing are continued: these calls are performed first.
 *
 * Throws `R4018` when the model still calls tools in its last turn, and what `Models.generate` throws, each with `answer`
 * and `used` over all turns in its data. A tool's fault with verdict `wait` or `bug` ends the loop. Aborting the signal
 * ends it too; a tool under way is the caller's to stop.
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
  /** Performs calls; returns the result that ends the loop, if there is one. */
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
    fix: 'raise the number of turns, or mend the tool that the model calls again and again',
  })
}

/** The calls of the last turn that have no result yet. */
function unansweredCalls(messages: readonly ModelMessage[]): readonly ToolCall[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const last = messages[at]
  if (last?.role !== 'assistant' || messages.slice(at + 1).some(({ role }) => role !== 'tool')) return []
  const done = new Set(messages.slice(at + 1).map((message) => (message.role === 'tool' ? message.call : '')))
  return (last.calls ?? []).filter(({ id }) => !done.has(id))
}

/** One turn of the model. When it fails, the fault keeps what the turns before it have used as well. */
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

/** A model that is forced to call something would do so for ever: after the first turn it may answer. */
function choiceOf({ choice }: ModelRequest, turn: number): Pick<ModelRequest, 'choice'> {
  if (choice === undefined) return {}
  return { choice: turn > 1 && choice !== 'none' ? 'auto' : choice }
}

/** A reply as the message that later requests repeat: its text, its calls, and what its provider wants back. */
export function assistantMessage({ text, calls, native }: ModelReply): ModelMessage {
  return {
    role: 'assistant',
    ...(text === '' ? {} : { content: text }),
    ...(calls === undefined ? {} : { calls }),
    ...(native === undefined ? {} : { native }),
  }
}

/** Characters of a result that a model is given; a record has all of it. */
const MOST_RESULT = 50_000

/** Returns the result of a tool as it fits into a request: a long one is cut, and says so. */
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
  if (problem !== undefined) return failedOutcome(`${call.name} cannot be called so: ${problem}`)
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
