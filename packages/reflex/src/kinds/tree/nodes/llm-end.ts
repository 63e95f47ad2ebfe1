import { type FaultData, faultData, isObject, type Json } from '../../../kernel/index.ts'
import { type FAILURE, type Next, RUNNING, type Settled, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { textOf } from '../model/text-of.ts'
import { errorTypeOf, isRetried } from './llm-errors.ts'
import { modelTimeout } from './llm-request.ts'
import { askingOf, estimatedTokens, keepAsking, partialText, requestIdOf, streamKey, voidText } from './llm-state.ts'
import { write } from './write.ts'

/** The pause before the second attempt; each further one is twice as long. */
const FIRST_PAUSE_MS = 2000

/** A model has answered: its answer, calls and reasoning are written. */
export function answered(tick: Tick, node: TreeNode, reply: Json): Next {
  const { response_key, tool_calls_key, reasoning_key, stream_to, budget_tokens } = node.params
  const { text = '', model = null, finish = null, usage = {}, calls = [], reasoning = '' } = isObject(reply) ? reply : {}
  const tokens = isObject(usage) ? Number(usage.input ?? 0) + Number(usage.output ?? 0) : 0
  const used = askingOf(tick, node).used + tokens
  if (budget_tokens !== undefined && used > Number(budget_tokens)) return budgetExceeded(tick, node, used)
  const request_id = requestIdOf(tick, node)
  streamEnded(tick, node, textOf(text))
  const content = { content: text, model, finish_reason: finish, usage, request_id }
  const writes: [string, Json][] = [[textOf(response_key), content]]
  if (tool_calls_key !== undefined) writes.push([textOf(tool_calls_key), calls])
  if (reasoning_key !== undefined) writes.push([textOf(reasoning_key), reasoning])
  if (stream_to !== undefined) writes.push([textOf(stream_to), whole(textOf(text))])
  tick.emit('llm.request.complete', {
    node_id: node.id,
    request_id,
    model,
    tokens_used: tokens,
    ...(isObject(usage) ? { prompt_tokens: usage.input ?? 0, completion_tokens: usage.output ?? 0 } : {}),
    ...(budget_tokens === undefined ? {} : { budget_tokens, remaining: Number(budget_tokens) - used }),
    duration_ms: tick.now - tick.runningSince(node),
  })
  return write(tick, node, writes) ?? SUCCESS
}

/** A model has failed, or its time is over. It is asked again after failures that pass. */
export function refused(tick: Tick, node: TreeNode, { fault, isTimeout }: Settled & { readonly ok: false }): Next {
  const type = isTimeout === true ? 'timeout' : errorTypeOf(fault)
  const { retry_on, max_retries } = node.params
  const asking = askingOf(tick, node)
  const { attempt } = asking
  const used = estimatedTokens(tick, node)
  if (isRetried(fault, type, retry_on) && attempt <= Number(max_retries)) {
    voidText(tick, node)
    const until = tick.now + FIRST_PAUSE_MS * 2 ** (attempt - 1)
    keepAsking(tick, node, { ...asking, attempt: attempt + 1, until, used, characters: 0 })
    tick.wakeAt(node, until)
    tick.emit('llm.api.error', { node_id: node.id, error_type: type, retry_count: attempt, will_retry: true })
    return RUNNING
  }
  tick.emit(isTimeout === true ? 'llm.timeout' : 'llm.api.error', {
    node_id: node.id,
    error_type: type,
    request_id: requestIdOf(tick, node),
    ...(isTimeout === true ? { timeout_ms: modelTimeout(node.params) } : { retry_count: attempt - 1, will_retry: false }),
  })
  if (isTimeout === true) return failWith(tick, node, fault, type)
  // Only the model knows whether asking it again can help.
  const { verdict } = fault
  return failWith(tick, node, faults.make('R1253', fault.message, { rule: 'E6003', path: node.path, cause: fault, verdict }), type)
}

/** Stops a model that has used more tokens than it may. */
export function budgetExceeded(tick: Tick, node: TreeNode, used: number): Next {
  const limit = Number(node.params.budget_tokens)
  tick.emit('llm.budget.exceeded', { node_id: node.id, tokens_used: used, budget_tokens: limit })
  const fault = faults.make('R1253', `${node.path} used ${used} tokens of ${limit}`, { rule: 'E6003', path: node.path, verdict: 'fail' })
  return failWith(tick, node, fault, 'budget_exceeded')
}

/** Carries out an interruption: the model is stopped, and what it has written stays. */
export function interrupted(tick: Tick, node: TreeNode, reason: string): Next {
  const characters = partialText(tick, node)?.length ?? 0
  tick.emit('llm.interrupted', { node_id: node.id, request_id: requestIdOf(tick, node), reason, characters })
  const fault = faults.make('R1252', `${node.path} was interrupted: ${reason}`, { rule: 'E6002', path: node.path, data: { reason } })
  return failWith(tick, node, fault, 'interrupted')
}

/** A node is halted: what its model has written so far is the value of `stream_to`. */
export function keepPartial(tick: Tick, node: TreeNode): void {
  const { stream_to } = node.params
  const partial = partialText(tick, node)
  voidText(tick, node)
  if (stream_to !== undefined && partial !== undefined) write(tick, node, [[textOf(stream_to), whole(partial)]])
}

/** Writes the error of a node beside the answer that it does not have, with what the model has written so far. */
function failWith(tick: Tick, node: TreeNode, fault: FaultData, type: string): typeof FAILURE {
  const { response_key, model = null, stream_to } = node.params
  const partial = partialText(tick, node)
  const error = {
    error_type: type,
    message: fault.message,
    code: fault.rule ?? 'E6003',
    retry_count: askingOf(tick, node).attempt - 1,
    model,
    request_id: requestIdOf(tick, node),
    ...(partial === undefined ? {} : { partial }),
  }
  tick.drop(node)
  if (partial !== undefined) streamEnded(tick, node, partial)
  const writes: [string, Json][] = [[`${textOf(response_key)}_error`, error]]
  if (stream_to !== undefined && partial !== undefined) writes.push([textOf(stream_to), whole(partial)])
  return write(tick, node, writes) ?? tick.fail(node, faultData(fault))
}

function streamEnded(tick: Tick, node: TreeNode, text: string): void {
  const key = streamKey(node)
  if (key === undefined) return
  tick.emit('llm.stream.complete', { node_id: node.id, request_id: requestIdOf(tick, node), characters: text.length })
  tick.endStream(node, key)
}

/** A text that no longer grows, as readers of a stream see it. */
function whole(accumulated: string): Json {
  return { content: '', index: -1, accumulated }
}
