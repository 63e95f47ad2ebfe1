import { isFault, isObject, type EffectAnswer, type Json, type JsonObject, type Repeat, unknownInterruption } from '../kernel/index.ts'
import type { ToolCall } from '../tools/tool.ts'
import { asksForInput, type CallEvent, type Connection, type OpenCall } from './connection.ts'
import { mcpFaults } from './faults.ts'
import type { McpProgress } from './library.ts'
import { answerFor, askPerson, type InputRequest } from './question.ts'
import type { Confinement, McpServer } from './server.ts'
import type { ListedTool } from './tool-list.ts'

/** One tool of a server, as it is called. */
export interface CalledTool {
  readonly server: McpServer
  readonly tool: ListedTool
  /** The rule for a call whose server ended: by its annotations if the server is trusted. */
  readonly repeat: Repeat
  readonly confinement: Confinement
}

const DEFAULT_TIME = 30_000
/** The most times a call that may be repeated is sent, and the most questions of one call. */
const MOST_TRIES = 3
const MOST_QUESTIONS = 100
const MOST_STATE = 64_000

/** The server ended during a call. */
class LostCall extends Error {}

/**
 * Calls a tool and returns what its server answered. A question of the server is thrown as an interruption, and the call continues with the
 * answer; if its process or its server has ended meanwhile, the rule of the tool applies. A server that ends during the call gets it again
 * only if the tool may be repeated; else the outcome is unknown, also as an interruption. Throws `R4504` to `R4511`.
 */
export async function callTool(called: CalledTool, args: JsonObject, call: ToolCall): Promise<unknown> {
  const { server, tool, repeat, confinement } = called
  const { answers = [] } = call
  const last = answers.at(-1)
  const state = stateOf(last)
  if (answers.length > MOST_QUESTIONS)
    throw mcpFaults.make('R4507', `${tool.name} of the server ${server.name} asks more than ${MOST_QUESTIONS} questions`)
  if (state['live'] === true && last !== undefined) {
    const held = server.take(idOf(call))
    if (held !== undefined) {
      held.answer(answerFor(last.answer))
      return server.with(confinement, (connection) => once(called, call, () => follow(called, held, connection, [], call)))
    }
    if (repeat === 'ask') throw lost(called, 'while its question was open')
  }
  const given = state['live'] === true ? answers : []
  for (let tries = 1; ; tries++) {
    try {
      return await server.with(confinement, (connection) => {
        const open = connection.begin(tool, paramsOf(called, args, answers), (progress) => report(progress, call))
        return once(called, call, () => follow(called, open, connection, given, call))
      })
    } catch (thrown) {
      if (!(thrown instanceof LostCall)) throw thrown
      if (repeat === 'ask') throw lost(called, 'during the call')
      if (tries >= MOST_TRIES) throw mcpFaults.make('R4504', `the server ${server.name} ended ${tries} times during a call of ${tool.name}`)
    }
  }
}

function lost({ server, tool }: CalledTool, when: string): Error {
  return unknownInterruption(`the server ${server.name} ended ${when}; nobody knows whether ${tool.name} has happened`)
}

async function once(called: CalledTool, call: ToolCall, work: () => Promise<unknown>): Promise<unknown> {
  if (call.signal.aborted) throw cancelled(called)
  const result = await work()
  called.server.onSuccess(called.confinement)
  return result
}

function cancelled({ server, tool }: CalledTool): Error {
  return mcpFaults.make('R4510', `${tool.name} of the server ${server.name} was cancelled`)
}

/** The name of a call in this process. */
function idOf({ run = '', key }: ToolCall): string {
  return `${run} ${key}`
}

/** Follows a call to its end, or to a question that nobody has answered yet. */
async function follow(
  called: CalledTool,
  open: OpenCall,
  connection: Connection,
  given: readonly EffectAnswer[],
  call: ToolCall,
): Promise<unknown> {
  const { server, tool } = called
  const rest = [...given]
  for (;;) {
    const event = await eventOf(called, open, call)
    if (event.is === 'asked') {
      const answer = rest.shift()
      if (answer !== undefined) {
        open.answer(answerFor(answer.answer))
        continue
      }
      const question = askFor(called, open, event.params)
      server.hold(idOf(call), open, called.confinement)
      throw question
    }
    if (event.is === 'failed') throw failureOf(called, event.error, connection)
    const result = JSON.parse(JSON.stringify(event.value)) as Json
    if (asksForInput(result)) return continueWith(called, result, call.answers ?? [])
    return result
  }
  function askFor({ server: { name } }: CalledTool, asked: OpenCall, params: JsonObject): Error {
    try {
      return askPerson(name, tool.name, { method: 'elicitation/create', params }, { live: true })
    } catch (thrown) {
      asked.cancel('the question cannot be asked')
      throw thrown
    }
  }
}

/** Waits for the next event of a call, within its time limit. Cancellation and a passed limit reach the server. */
async function eventOf({ server, tool, ...more }: CalledTool, open: OpenCall, call: ToolCall): Promise<CallEvent> {
  const { host, spec } = server
  const limit = spec.timeout ?? DEFAULT_TIME
  const stops: (() => void)[] = []
  const stopped = new Promise<Error>((resolve) => {
    const abort = (): void => resolve(cancelled({ server, tool, ...more }))
    stops.push(
      host.at(host.now() + limit, () =>
        resolve(
          mcpFaults.make('R4506', `${tool.name} of the server ${server.name} did not end within ${limit} ms`, {
            fix: 'set a larger "timeout" of the server, in milliseconds',
          }),
        ),
      ),
    )
    call.signal.addEventListener('abort', abort, { once: true })
    stops.push(() => call.signal.removeEventListener('abort', abort))
    if (call.signal.aborted) abort()
  })
  try {
    const event = await Promise.race([open.next(), stopped])
    if (!(event instanceof Error)) return event
    open.cancel(event.message)
    throw event
  } finally {
    for (const stop of stops) stop()
  }
}

/** Errors of the package after which nobody knows whether the server has got the call. */
const LOST = new Set(['CONNECTION_CLOSED', 'SEND_FAILED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
/** Errors before the server has got the call. */
const UNSENT = new Set(['NOT_CONNECTED', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function failureOf({ server, tool }: CalledTool, error: unknown, connection: Connection): Error {
  if (isFault(error)) return error
  const { code, message = '' } = error instanceof Error ? (error as Error & { readonly code?: unknown }) : {}
  const known = connection.failure(error)
  // A server that was stopped here, for what it sent: the call may have happened.
  if (isFault(known) && known.code !== 'R4504') return known
  if (typeof code === 'string' && UNSENT.has(code)) return known
  if ((typeof code === 'string' && LOST.has(code)) || connection.isClosed) return new LostCall(message)
  const named = `${tool.name} of the server ${server.name}`
  if (typeof code === 'number') return mcpFaults.make('R4508', `${named} was refused: ${message.slice(0, 2_000)}`, { data: { code } })
  if (typeof code === 'string' && code.startsWith('CLIENT_HTTP')) return known
  return mcpFaults.make('R4507', `${named} gave an answer that cannot be used: ${message.slice(0, 2_000)}`)
}

function report({ progress, total, message }: McpProgress, call: ToolCall): void {
  const about = {
    done: progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: message.slice(0, 500) }),
  }
  call.part({ progress: about })
}

// The protocol of 2026-07-28: a call ends with the questions, and is sent again with all answers and the state of the server.

/** Returns the state that a question keeps for its call. */
function stateOf(answer: EffectAnswer | undefined): JsonObject {
  const { mcp } = isObject(answer?.about) ? answer.about : {}
  return isObject(mcp) ? mcp : {}
}

/** Throws the next question of a result that asks for input. */
function continueWith({ server, tool }: CalledTool, result: JsonObject, answers: readonly EffectAnswer[]): never {
  const { inputRequests = {}, requestState } = result
  const round = { round: answers.length, requests: inputRequests, ...(typeof requestState === 'string' ? { state: requestState } : {}) }
  if (!isObject(inputRequests) || JSON.stringify(round).length > MOST_STATE)
    throw mcpFaults.make('R4509', `${tool.name} of the server ${server.name} asks with more than ${MOST_STATE} characters`)
  const [first] = Object.keys(inputRequests)
  if (first === undefined) throw mcpFaults.make('R4507', `${tool.name} of the server ${server.name} asks for input without a question`)
  throw nextQuestion(server.name, tool.name, round, first)
}

function nextQuestion(server: string, tool: string, round: JsonObject, id: string): Error {
  return askPerson(server, tool, requestOf(round['requests'], id), { ...round, id })
}

function requestOf(requests: Json | undefined, id: string): InputRequest {
  const request = isObject(requests) ? requests[id] : undefined
  const { method, params } = isObject(request) ? request : {}
  return { method: typeof method === 'string' ? method : '', params: isObject(params) ? params : {} }
}

/** Returns the parameters of a call: its arguments, and the answers of the last round. Throws the next question of a round that has more. */
function paramsOf({ server, tool }: CalledTool, args: JsonObject, answers: readonly EffectAnswer[]): JsonObject {
  const { round, requests, state } = stateOf(answers.at(-1))
  if (typeof round !== 'number' || !isObject(requests)) return { arguments: args }
  const given = answers.filter((answer) => stateOf(answer)['round'] === round)
  const responses = Object.fromEntries(given.map((answer) => [idIn(answer), answerFor(answer.answer)]))
  const open = Object.keys(requests).find((id) => !Object.hasOwn(responses, id))
  if (open !== undefined) throw nextQuestion(server.name, tool.name, { round, requests, ...(state === undefined ? {} : { state }) }, open)
  return { arguments: args, inputResponses: responses, ...(state === undefined ? {} : { requestState: state }) }
}

function idIn(answer: EffectAnswer): string {
  const { id } = stateOf(answer)
  return typeof id === 'string' ? id : ''
}
