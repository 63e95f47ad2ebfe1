import type { Reflex } from '../../app/reflex.ts'
import { copyJson, isFault, isObject, type JsonObject } from '../../kernel/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import type { RunHandle } from '../../runs/handle.ts'
import { schemaIssues } from '../../text/json-schema/check.ts'
import { faultOf, type ClientRuns } from './client-runs.ts'
import { elicitation, elicitedAnswer } from './elicitation.ts'
import type { McpContext } from './library.ts'
import type { ProgramTool } from './program-tools.ts'

/** A call of a program by a client. */
export interface ProgramCall {
  readonly reflex: Reflex
  readonly runs: ClientRuns
  readonly context: McpContext
  /** True if the client can show a form to its user. */
  readonly canElicit: boolean
  readonly tool: ProgramTool
}

/** The result of a tool, as the protocol has it. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent: JsonObject
  readonly isError?: true
}

/** Starts a run, or continues that of an earlier round of the same call, and returns its state when it rests, or asks the client's user. */
export async function callProgram(call: ProgramCall, input: JsonObject): Promise<object> {
  const state = call.context.mcpReq.requestState()
  const { run, handle } = typeof state === 'string' ? await continuedRun(call, state) : await startedRun(call, input)
  try {
    const problems = typeof state === 'string' ? await takeAnswers(call, run) : new Map<string, string>()
    const stop = cancelOnAbort(call, run)
    const asked = await restOf(call, run, problems)
    // The older protocol asks its user inside this request, which can still be cancelled.
    if (asked === undefined) stop()
    return asked ?? resultOf(await call.runs.document(run))
  } finally {
    // A run that this process holds continues.
    if (handle?.isFollowed === true) handle.close()
  }
}

/** The run of a call, with its handle if this process holds or follows it. */
interface CalledRun {
  readonly run: string
  readonly handle?: RunHandle | undefined
}

async function startedRun({ reflex, runs, tool, context }: ProgramCall, input: JsonObject): Promise<CalledRun> {
  checkArguments(tool.input, input, tool.name)
  const handle = await reflex.start(tool.program, {
    input,
    ...runs.sent,
    prepare: (handle) => reportProgress(handle, context),
  })
  return { run: handle.id, handle }
}

/** Returns the run that a client names in a later round. The state came from the client, so it proves nothing. */
async function continuedRun({ runs, reflex, tool, context }: ProgramCall, ref: string): Promise<CalledRun> {
  const { id, program } = await runs.find(ref)
  if (program[3] !== tool.program.hash) throw serveFaults.make('R6024', `${id} is not a run of ${tool.name}`, { run: id })
  if (reflex.runtime.openRuns.has(id)) return { run: id }
  const prepare = (handle: RunHandle): void => reportProgress(handle, context)
  if (!reflex.mayOpen(id)) return { run: id, handle: await reflex.follow(id, { prepare }) }
  return { run: id, handle: await reflex.resume(id, { prepare }).catch(ignoreOther) }
}

/** Another process may hold the run, and a run that has ended needs nothing. */
function ignoreOther(thrown: unknown): undefined {
  if (!isFault(thrown) || (thrown.code !== 'R5001' && thrown.code !== 'R2001')) throw thrown
}

/** Records the answers of the client's user. Returns why answers were refused, by question. */
async function takeAnswers({ runs, context }: ProgramCall, run: string): Promise<Map<string, string>> {
  const refused = new Map<string, string>()
  const { inputResponses = {} } = context.mcpReq
  const open = runs.questions(await runs.find(run))
  for (const [name, response] of Object.entries(inputResponses)) {
    const question = open.find(({ id }) => id === `${run}/${name}`)
    if (question === undefined) continue
    const answer = elicitedAnswer(question, response)
    if (answer === undefined) {
      refused.set(name, '')
      continue
    }
    try {
      await runs.answer(run, name, answer.value)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      // Somebody else has answered in the meantime.
      if (thrown.code !== 'R2002' && thrown.code !== 'R2001') refused.set(name, thrown.message)
    }
  }
  return refused
}

/** Waits until the run rests. Returns the request for the client's user, unless the run has ended or the user has declined. */
async function restOf(
  { reflex, runs, context, canElicit }: ProgramCall,
  run: string,
  problems: Map<string, string>,
): Promise<object | undefined> {
  await untilRest(reflex, run, context.mcpReq.signal)
  const row = await reflex.find(run)
  const questions = row.status === 'suspended' && canElicit ? runs.questions(row) : []
  const asked = questions.flatMap((question) => {
    const name = question.id.slice(run.length + 1)
    const problem = problems.get(name)
    // An empty problem: the user declined, so the question stays open for another way.
    return problem === '' ? [] : [[name, elicitation(question, problem)] as const]
  })
  if (asked.length === 0) return undefined
  return { resultType: 'input_required', inputRequests: Object.fromEntries(asked), requestState: run }
}

/** Resolves when a run has nothing to do, in this process or another one, or when the signal is aborted. */
export async function untilRest(reflex: Reflex, run: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const handle = await reflex.follow(run)
  let stop: () => void = () => undefined
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    await Promise.race([handle.run.idle(), aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    if (handle.isFollowed) handle.close()
  }
}

/** Sends a notification for each record, if the client asked for progress. The number of the record is the progress. */
function reportProgress(handle: RunHandle, { mcpReq }: McpContext): void {
  const progressToken = mcpReq['_meta']?.progressToken
  if (progressToken === undefined) return
  let last = 0
  const stop = handle.onLine(({ n, place, event }) => {
    if (mcpReq.signal.aborted) return stop()
    if (n <= last) return
    last = n
    const message = [event.mark, place, event.text].filter((part) => part !== undefined && part !== '').join(' ')
    void mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: n, message } }).catch(stop)
  })
}

/**
 * Cancels the run when the client cancels the call. A client whose connection ends has not cancelled: the run continues in a worker, or
 * waits. Returns a function that ends it.
 */
function cancelOnAbort({ reflex, runs, context }: ProgramCall, run: string): () => void {
  const { signal } = context.mcpReq
  const cancel = (): void => {
    const reason: unknown = signal.reason
    if (reason instanceof Error && 'code' in reason && reason.code === 'CONNECTION_CLOSED') return
    const text = typeof reason === 'string' && reason !== '' ? reason.slice(0, 1000) : 'the client cancelled the call'
    // A run that has ended in the meantime is not cancelled.
    void reflex.cancel(run, { by: runs.actor, reason: text, wait: 0 }).catch(() => undefined)
  }
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  return () => signal.removeEventListener('abort', cancel)
}

/** Throws `R6024` for arguments that do not match a schema. */
export function checkArguments(schema: JsonObject, input: JsonObject, tool: string): void {
  const issues = schemaIssues(schema, input)
  if (issues.length === 0) return
  const texts = issues.slice(0, 10).map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
  throw serveFaults.make('R6024', `${tool} cannot take these arguments: ${texts.join('; ')}`)
}

/** Returns arguments as an object. */
export function argumentsOf(given: unknown): JsonObject {
  const copy = copyJson(given ?? {}, 'arguments')
  return isObject(copy) ? copy : {}
}

/** Returns a document as the result of a tool. A failed run is an error of the tool. */
export function resultOf(document: JsonObject): ToolResult {
  const content = [{ type: 'text' as const, text: JSON.stringify(document) }]
  return { content, structuredContent: document, ...(document.status === 'failed' ? { isError: true as const } : {}) }
}

/** Returns what was thrown as the result of a tool, so that a model can read it and call again. */
export function failedCall(thrown: unknown): object {
  const { message, code, fix } = faultOf(thrown)
  return { content: [{ type: 'text', text: JSON.stringify({ error: { code, message, fix } }) }], isError: true }
}
