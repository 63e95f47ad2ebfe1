import { isFault, isList, isObject, type Json } from '../../../kernel/index.ts'
import { type Next, RUNNING, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'
import { answered, budgetExceeded, interrupted, keepPartial, refused } from './llm-end.ts'
import { ERROR_TYPES } from './llm-errors.ts'
import { modelTimeout, requestFrom } from './llm-request.ts'
import { askingOf, countRequest, estimatedTokens, isOverBudget, keepAsking, requestIdOf, streamKey, voidText } from './llm-state.ts'
import { ANY } from './outcomes.ts'

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
    {
      name: 'on_chunk',
      type: 'function',
      doc: 'The name of a function of the host that is called with each piece of the answer, as { content, index, accumulated }. Its answer is ignored, and what it writes counts while the node is RUNNING. Pieces that come within 100 ms are one.',
    },
    {
      name: 'interruptible',
      type: 'flag',
      default: true,
      doc: 'False: an interruption is ignored, with an event. A halt, a timeout and a cancellation stop the model all the same.',
    },
    { name: 'timeout', type: 'number', default: 120, unit: 's', doc: 'The longest time in seconds.' },
    { name: 'timeout_ms', type: 'ms', unit: 'ms', doc: 'The same in milliseconds.' },
    { name: 'budget_tokens', type: 'count', aliases: ['budget'], doc: 'The most tokens of all attempts.' },
    {
      name: 'retry_on',
      type: 'names',
      doc: `The errors after which it tries again, of ${ERROR_TYPES.join(', ')}. Default: rate_limit, network_error, api_error. An error that another attempt cannot change ends the node in any case.`,
    },
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
  check({ prompt, prompt_key, messages_key, retry_on }) {
    if (prompt === undefined && prompt_key === undefined && messages_key === undefined) return 'write prompt, prompt_key or messages_key'
    const unknown = isList(retry_on) ? retry_on.find((name) => !ERROR_TYPES.some((known) => known === name)) : undefined
    return unknown === undefined ? undefined : `retry_on has no error ${textOf(unknown)}; write some of ${ERROR_TYPES.join(', ')}`
  },
  doc: 'Asks a model, and is RUNNING until it has answered. It tries again after errors that pass. An event of the type llm.interrupt, agent.loop.detected or budget.NAME.exceeded, or the command `interrupt`, makes it fail and keeps what it has written so far.',
  example: 'BT.llm_call({ prompt_key = "question", response_key = "answer", timeout = 60 })',
  behaviour: {
    enter: (tick, node) => request(tick, node, 1, 0),
    resume(tick, node) {
      const { attempt, until, used, reason } = askingOf(tick, node)
      if (reason !== undefined) return interrupted(tick, node, reason)
      if (tick.now >= until) return request(tick, node, attempt, used)
      tick.wakeAt(node, until)
      return RUNNING
    },
    /** Stops a model that was interrupted, or that has written more than its budget allows, as far as that can be estimated. */
    pending(tick, node) {
      const { reason } = askingOf(tick, node)
      if (reason !== undefined) return interrupted(tick, node, reason)
      return isOverBudget(tick, node) ? budgetExceeded(tick, node, estimatedTokens(tick, node)) : RUNNING
    },
    settle: (tick, node, settled) => (settled.ok ? answered(tick, node, settled.value) : refused(tick, node, settled)),
    part(tick, node, delta) {
      if (!isObject(delta)) return false
      // The model begins its answer again: what came before is void.
      if (delta.restart !== undefined) voidText(tick, node)
      const text = typeof delta.text === 'string' ? delta.text : ''
      return text === '' ? false : grown(tick, node, text)
    },
    interrupt(tick, node, reason) {
      if (node.params.interruptible === false) return false
      keepAsking(tick, node, { ...askingOf(tick, node), reason })
      return true
    },
    halt: keepPartial,
  },
})

/** The answer of a model has grown by a piece. */
function grown(tick: Tick, node: TreeNode, text: string): boolean | 'now' {
  const { on_chunk, stream_to } = node.params
  const asking = askingOf(tick, node)
  keepAsking(tick, node, { ...asking, characters: asking.characters + text.length })
  const key = streamKey(node)
  const whole = key === undefined ? undefined : tick.stream(node, key, text)
  if (on_chunk !== undefined && whole !== undefined) tick.callBack(node, textOf(on_chunk), whole)
  return isOverBudget(tick, node) ? 'now' : stream_to !== undefined
}

function request(tick: Tick, node: TreeNode, attempt: number, used: number): Next {
  const made = requestFrom(tick, node)
  if (isFault(made)) return tick.fail(node, made)
  if (isOverBudget(tick, node, used + 1)) return budgetExceeded(tick, node, used)
  voidText(tick, node)
  keepAsking(tick, node, { attempt, until: 0, used, characters: 0 })
  countRequest(tick, node)
  tick.request(node, 'model', made, { timeoutMs: modelTimeout(node.params) })
  const model: Json = made.model ?? null
  tick.emit('llm.request.start', { node_id: node.id, request_id: requestIdOf(tick, node), model })
  return RUNNING
}
