import { textOf } from '../model/text-of.ts'
import { type FaultData, isFault, isList, isObject, type Json } from '../../../kernel/index.ts'
import { type FAILURE, type Next, RUNNING, type Settled, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { faults } from '../model/faults.ts'
import { errorTypeOf } from './llm-errors.ts'
import { modelTimeout, requestFrom } from './llm-request.ts'
import { ANY } from './outcomes.ts'
import { write } from './write.ts'

/** The pause before the second attempt; each further one is twice as long. */
const FIRST_PAUSE_MS = 2000

export const llmCall = defineNode({
  type: 'llm_call',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['id', 'config'], ['config']] },
  parameters: [
    { name: 'model', type: 'text', doc: 'The model, as provider:name. Default: that of the host.' },
    { name: 'model_key', type: 'key', flow: 'in', doc: 'The key that holds the name of the model.' },
    { name: 'prompt', type: 'text', doc: 'The prompt itself; `${bb.key}` stands for a value of the blackboard.' },
    { name: 'system', type: 'text', doc: 'The instructions to the model.' },
    { name: 'prompt_key', type: 'key', flow: 'in', doc: 'The key that holds the prompt: a text, or { system, messages, user }.' },
    { name: 'messages_key', type: 'key', flow: 'in', doc: 'The key that holds the messages.' },
    {
      name: 'response_key',
      type: 'key',
      flow: 'out',
      default: 'llm_response',
      doc: 'The key that gets { content, model, finish_reason, usage, request_id }.',
    },
    { name: 'stream_to', type: 'key', flow: 'out', doc: 'The key under which the answer grows, as { content, index, accumulated }.' },
    { name: 'timeout', type: 'number', default: 120, unit: 's', doc: 'The longest time in seconds.' },
    { name: 'timeout_ms', type: 'ms', unit: 'ms', doc: 'The same in milliseconds.' },
    { name: 'budget_tokens', type: 'count', aliases: ['budget'], doc: 'The most tokens of all attempts.' },
    { name: 'retry_on', type: 'names', doc: 'The errors after which it tries again. Default: rate_limit, network_error, api_error.' },
    { name: 'max_retries', type: 'count', default: 3, doc: 'How often it tries again.' },
    { name: 'tools_key', type: 'key', flow: 'in', doc: 'The key that holds the tools that are offered to the model.' },
    { name: 'max_tokens_key', type: 'key', flow: 'in', doc: 'The key that holds the most tokens of the answer.' },
    { name: 'max_tokens', type: 'count', doc: 'The most tokens of the answer.' },
    { name: 'temperature', type: 'number', doc: 'The temperature.' },
    { name: 'tool_calls_key', type: 'key', flow: 'out', doc: 'The key that gets the calls that the model asks for.' },
    { name: 'reasoning_key', type: 'key', flow: 'out', doc: 'The key that gets its reasoning.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  check: ({ prompt, prompt_key, messages_key }) =>
    prompt === undefined && prompt_key === undefined && messages_key === undefined ? 'write prompt, prompt_key or messages_key' : undefined,
  doc: 'Asks a model, and is RUNNING until it has answered. It tries again after errors that pass.',
  example: 'BT.llm_call({ prompt_key = "question", response_key = "answer", timeout = 60 })',
  behaviour: {
    enter: (tick, node) => request(tick, node, 1, 0),
    resume(tick, node) {
      const [attempt = 1, until = 0, used = 0] = tick.own(node) ?? []
      if (tick.now >= Number(until)) return request(tick, node, Number(attempt), Number(used))
      tick.wakeAt(node, Number(until))
      return RUNNING
    },
    /** Stops a model that has written more than its budget allows, as far as that can be estimated. */
    pending(tick, node) {
      if (!isOverBudget(tick, node)) return RUNNING
      tick.drop(node)
      return budgetExceeded(tick, node, estimated(tick, node))
    },
    settle: (tick, node, settled) => (settled.ok ? answered(tick, node, settled.value) : refused(tick, node, settled)),
    part(tick, node, delta) {
      const { stream_to } = node.params
      if (!isObject(delta)) return false
      // The model begins its answer again: what came before is void.
      if (delta.restart !== undefined) voidText(tick, node)
      const text = typeof delta.text === 'string' ? delta.text : ''
      if (text === '') return false
      const [attempt = 1, until = 0, used = 0, characters = 0] = tick.own(node) ?? []
      tick.keep(node, [attempt, until, used, Number(characters) + text.length])
      if (stream_to !== undefined) tick.stream(node, textOf(stream_to), text)
      return isOverBudget(tick, node) ? 'now' : stream_to !== undefined
    },
  },
})

/** The characters of a token, for an estimate while the provider has not reported its usage. */
const CHARACTERS = 4

function estimated(tick: Tick, node: TreeNode): number {
  const [, , used = 0, characters = 0] = tick.own(node) ?? []
  return Number(used) + Math.ceil(Number(characters) / CHARACTERS)
}

function isOverBudget(tick: Tick, node: TreeNode): boolean {
  const { budget_tokens } = node.params
  return budget_tokens !== undefined && estimated(tick, node) > Number(budget_tokens)
}

function voidText(tick: Tick, node: TreeNode): void {
  const [attempt = 1, until = 0, used = 0] = tick.own(node) ?? []
  tick.keep(node, [attempt, until, used])
  if (node.params.stream_to !== undefined) tick.endStream(node, textOf(node.params.stream_to))
}

function budgetExceeded(tick: Tick, node: TreeNode, used: number): Next {
  const limit = Number(node.params.budget_tokens)
  tick.emit('llm.budget.exceeded', { node_id: node.id, tokens_used: used, budget_tokens: limit })
  const fault = faults.make('R1253', `${node.path} used ${used} tokens of ${limit}`, { rule: 'E6003', path: node.path })
  return failWith(tick, node, fault, 'budget_exceeded')
}

function request(tick: Tick, node: TreeNode, attempt: number, used: number): Next {
  const made = requestFrom(tick, node)
  if (isFault(made)) return tick.fail(node, made)
  const timeoutMs = modelTimeout(node.params)
  if (node.params.stream_to !== undefined) tick.endStream(node, textOf(node.params.stream_to))
  tick.keep(node, used === 0 ? [attempt] : [attempt, 0, used])
  tick.request(node, 'model', made, { timeoutMs })
  tick.emit('llm.request.start', { node_id: node.id, request_id: tick.requestId(node) })
  return RUNNING
}

function answered(tick: Tick, node: TreeNode, reply: Json): Next {
  const { response_key, tool_calls_key, reasoning_key, stream_to, budget_tokens } = node.params
  const { text = '', model = null, finish = null, usage = {}, calls = [], reasoning = '' } = isObject(reply) ? reply : {}
  const tokens = isObject(usage) ? Number(usage.input ?? 0) + Number(usage.output ?? 0) : 0
  const used = Number(tick.own(node)?.[2] ?? 0) + tokens
  if (stream_to !== undefined) tick.endStream(node, textOf(stream_to))
  if (budget_tokens !== undefined && used > Number(budget_tokens)) return budgetExceeded(tick, node, used)
  const content = { content: text, model, finish_reason: finish, usage, request_id: tick.requestId(node) }
  const writes: [string, Json][] = [[textOf(response_key), content]]
  if (tool_calls_key !== undefined) writes.push([textOf(tool_calls_key), calls])
  if (reasoning_key !== undefined) writes.push([textOf(reasoning_key), reasoning])
  if (stream_to !== undefined) writes.push([textOf(stream_to), { content: '', index: -1, accumulated: text }])
  tick.emit('llm.request.complete', {
    node_id: node.id,
    request_id: tick.requestId(node),
    model,
    tokens_used: tokens,
    ...(isObject(usage) ? { prompt_tokens: usage.input ?? 0, completion_tokens: usage.output ?? 0 } : {}),
    duration_ms: tick.now - tick.runningSince(node),
  })
  return write(tick, node, writes) ?? SUCCESS
}

function refused(tick: Tick, node: TreeNode, { fault, isTimeout }: Settled & { readonly ok: false }): Next {
  const kind = isTimeout === true ? 'timeout' : errorTypeOf(fault)
  const { retry_on, max_retries } = node.params
  const attempt = Number(tick.own(node)?.[0] ?? 1)
  const used = estimated(tick, node)
  voidText(tick, node)
  const isRetried = isList(retry_on) ? retry_on.includes(kind) : ['rate_limit', 'network_error', 'api_error'].includes(kind)
  if (isRetried && attempt <= Number(max_retries)) {
    const until = tick.now + FIRST_PAUSE_MS * 2 ** (attempt - 1)
    tick.keep(node, [attempt + 1, until, used])
    tick.wakeAt(node, until)
    tick.emit('llm.api.error', { node_id: node.id, error_type: kind, retry_count: attempt, will_retry: true })
    return RUNNING
  }
  tick.emit(isTimeout === true ? 'llm.timeout' : 'llm.api.error', {
    node_id: node.id,
    error_type: kind,
    request_id: tick.requestId(node),
    ...(isTimeout === true ? { timeout_ms: modelTimeout(node.params) } : { retry_count: attempt - 1, will_retry: false }),
  })
  const failure = isTimeout === true ? fault : faults.make('R1253', fault.message, { rule: 'E6003', path: node.path, cause: fault })
  return failWith(tick, node, failure, kind)
}

function failWith(tick: Tick, node: TreeNode, fault: FaultData, kind: string): typeof FAILURE {
  const { response_key, model = null } = node.params
  const error = {
    error_type: kind,
    message: fault.message,
    code: fault.rule ?? 'E6003',
    retry_count: Number(tick.own(node)?.[0] ?? 1) - 1,
    model,
    request_id: tick.requestId(node),
  }
  return write(tick, node, [[`${textOf(response_key)}_error`, error]]) ?? tick.fail(node, fault)
}
