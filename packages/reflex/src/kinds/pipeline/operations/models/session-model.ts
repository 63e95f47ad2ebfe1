import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import type { ModelMessage, ModelRequest, ToolCall, ToolOffer } from '../../../../models/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { askModel, performAll } from '../../contract/asks.ts'
import type { Answer, Ask, Settled } from '../../contract/handler.ts'
import { settingsOf } from './llm-settings.ts'
import { heartbeatPrompt } from './session-prompts.ts'
import {
  agentOf,
  askService,
  failureResult,
  listIn,
  type ServiceResult,
  type ServiceSteps,
  type SessionService,
  textIn,
  type ServiceValues,
} from './session-values.ts'
import { parseJson } from '../../language/parse-json.ts'

/** The limit of calls that one node performs. */
const MOST_CALLS = 32

/** Asks the model of the session with the messages so far. The answer is a text or calls of tools (reference pipeline 4.6.2). */
export const llmCall: SessionService = function* (values) {
  const { context } = values
  const mode = textOf(context.attributes, 'cognitive_mode')?.trim() || textIn(values, 'session.cognitive_mode')
  const messages = listIn(values, 'session.messages')
  const agent = agentOf(context, values.get('session.agent_id'))
  const answered = yield* askService(context, 'session', 'llm_call', { messages, mode }, agent)
  if ('error' in answered) return failureResult(answered.error)
  if ('value' in answered) return answerUpdates(isObject(answered.value) ? answered.value : { content: answered.value })
  return answered.nothing === 'missing' ? { updates: {} } : yield* callModel(values, messages, mode)
}

/** Asks the engine's own model. */
function* callModel(values: ServiceValues, messages: readonly Json[], mode: string): ServiceSteps {
  const { context } = values
  const settings = settingsOf(context)
  if ('problem' in settings) return settings
  const system = [textIn(values, 'session.system_prompt'), mode === '' ? '' : `Cognitive mode: ${mode}.`]
    .filter((part) => part !== '')
    .join('\n\n')
  const history = messagesOf(messages)
  const last = history.at(-1)?.role
  const prompted: readonly ModelMessage[] =
    last === 'user' || last === 'tool'
      ? history
      : [...history, { role: 'user', content: textIn(values, 'session.input') || heartbeatPrompt(values, mode) }]
  const tools = offersOf(values)
  const request: ModelRequest = {
    ...settings,
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...prompted],
    ...(tools.length === 0 ? {} : { tools }),
  }
  const answer = yield* askModel(request)
  if ('error' in answer) return failureResult(answer.error)
  const { text, calls = [] } = answer.reply
  return answerUpdates(
    calls.length > 0
      ? {
          content: text,
          tool_calls: calls.map(({ id, name, args, invalid }) => ({ id, name, args, ...(invalid === undefined ? {} : { invalid }) })),
        }
      : { content: text },
  )
}

function answerUpdates(answer: JsonObject): ServiceResult {
  const { tool_calls: calls } = answer
  const content = renderText(answer['content'])
  if (isList(calls) && calls.length > 0) return { updates: { 'llm.response_type': 'tool_call', 'llm.tool_calls': calls } }
  return { updates: { 'llm.response_type': 'text', 'llm.content': content, last_response: content, 'llm.tool_calls': [] } }
}

/** Returns the tools that a session offers, given by name or as an offer with a schema. */
function offersOf(values: ServiceValues): readonly ToolOffer[] {
  return listIn(values, 'session.tools').flatMap((tool): ToolOffer[] => {
    const { name, description, schema } = isObject(tool) ? tool : { name: tool }
    if (typeof name !== 'string' || name === '') return []
    return [{ name, schema: isObject(schema) ? schema : { type: 'object' }, ...(typeof description === 'string' ? { description } : {}) }]
  })
}

/** Returns the messages of a session for a model; entries that are not messages are left out. */
function messagesOf(list: readonly Json[]): readonly ModelMessage[] {
  const offered = new Set<string>()
  return list.flatMap((message): ModelMessage[] => {
    if (!isObject(message)) return []
    const { role, content = '', call, name, calls } = message
    if (role === 'user') return [{ role, content: renderText(content) }]
    if (role === 'assistant') {
      const asked = callsOf(calls ?? [])
      for (const { id } of asked) offered.add(id)
      return [{ role, content: renderText(content), ...(asked.length === 0 ? {} : { calls: asked }) }]
    }
    if (role !== 'tool') return []
    if (typeof call === 'string' && offered.has(call)) return [{ role, call, name: renderText(name), result: content }]
    return [{ role: 'user', content: `Result of ${renderText(name) || 'a tool'}: ${renderText(content)}` }]
  })
}

function callsOf(value: Json): readonly ToolCall[] {
  return (isList(value) ? value : []).flatMap((call, i): ToolCall[] => {
    if (!isObject(call) || typeof call['name'] !== 'string') return []
    const args = call['args'] ?? call['arguments'] ?? call['input']
    const read = typeof args === 'string' ? parseJson(args) : (args ?? {})
    const header = { id: renderText(call['id']) || `call_${i + 1}`, name: call['name'] }
    const invalid = typeof call['invalid'] === 'string' ? call['invalid'] : isObject(read) ? undefined : renderText(args)
    return [invalid === undefined && isObject(read) ? { ...header, args: read } : { ...header, args: {}, invalid: invalid ?? '' }]
  })
}

/** Performs the calls that a model requested. The error of a refused call is its result (reference pipeline 4.6.2). */
export const toolDispatch: SessionService = function* (values) {
  const { context } = values
  const requested = listIn(values, 'llm.tool_calls')
  const calls = callsOf(requested).slice(0, MOST_CALLS)
  const agent = agentOf(context, values.get('session.agent_id'))
  const answered = yield* askService(context, 'session', 'tool_dispatch', { tool_calls: requested }, agent)
  if ('error' in answered) return failureResult(answered.error)
  if ('nothing' in answered && answered.nothing === 'missing') return { updates: {} }
  const results =
    'value' in answered ? (isList(answered.value) ? answered.value : [answered.value]) : yield* dispatchCalls(calls, offeredNames(values))
  const messages = [...listIn(values, 'session.messages'), { role: 'assistant', content: '', calls: calls as unknown as Json }]
  const toolMessages = results.map((result, i): JsonObject => {
    const { id = '', name = '' } = calls[i] ?? {}
    return { role: 'tool', call: id, name, content: isObject(result) ? (result['content'] ?? result) : result }
  })
  return { updates: { 'session.tool_results': results, 'session.messages': [...messages, ...toolMessages] } }
}

/** Returns the tools that a session offers its model; undefined if it states none, so that only the policy decides. */
function offeredNames(values: ServiceValues): ReadonlySet<string> | undefined {
  const names = offersOf(values).map(({ name }) => toolName(name))
  return names.length === 0 ? undefined : new Set(names)
}

/** Tools whose results come from outside and would influence the next calls of the agent. */
function isOutside(name: string): boolean {
  return name === 'http' || name.startsWith('mcp.')
}

function* dispatchCalls(
  calls: readonly ToolCall[],
  offered: ReadonlySet<string> | undefined,
): Generator<Ask, readonly JsonObject[], Answer> {
  const known = calls.filter(({ name }) => offered?.has(toolName(name)) !== false)
  const performable = known.filter(({ name, invalid }) => invalid === undefined && !isOutside(toolName(name)))
  const settled = yield* performAll(
    performable.map(({ name, args }) => ({ effect: 'tool', args: { tool: toolName(name), args, by: 'model' } })),
  )
  return calls.map((call) => {
    const { id, name } = call
    if (!known.includes(call)) return { id, name, ok: false, content: `error: there is no tool ${JSON.stringify(name)}` }
    if (call.invalid !== undefined) return { id, name, ok: false, content: `error: the arguments of ${name} are not a JSON object` }
    if (performable.includes(call)) return resultOf(id, name, settled[performable.indexOf(call)])
    return { id, name, ok: false, content: 'error: a tool with results from outside needs its own node' }
  })
}

function resultOf(id: string, name: string, settled: Settled | undefined): JsonObject {
  if (settled?.error !== undefined) return { id, name, ok: false, content: `error: ${settled.error.message}` }
  return { id, name, ok: true, content: settled?.ok ?? null }
}

const TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ['file_read', 'file.read'],
  ['file_list', 'file.list'],
  ['file_write', 'file.write'],
  ['file_search', 'file.search'],
  ['file_edit', 'file.edit'],
  ['shell_execute', 'shell'],
])

/** Returns the name of a tool in Reflex, for a name that pipelines use. */
function toolName(name: string): string {
  return TOOL_NAMES.get(name) ?? name
}
