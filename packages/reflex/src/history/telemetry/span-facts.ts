import { type FaultData, type PendingEffect, isList, isObject, type Json, type JsonObject, type Pin } from '../../kernel/index.ts'

/** A value that telemetry can carry. */
export type SpanValue = string | number | boolean

/** The attributes of a span. */
export type Facts = Readonly<Record<string, SpanValue>>

/** The end of a span. */
export interface SpanResult {
  readonly status: 'unset' | 'ok' | 'error'
  readonly message: string | undefined
  readonly facts: Facts
}

/** Returns the name and attributes of an effect from its request, by the conventions for calls of models and tools. */
export function nameOf({ port, args }: PendingEffect, node: string): { readonly name: string; readonly facts: Facts } {
  const { tool, model } = isObject(args) ? args : {}
  if (port === 'tool' && typeof tool === 'string')
    return { name: `execute_tool ${tool}`, facts: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool } }
  if (port === 'model')
    return {
      name: typeof model === 'string' ? `chat ${shortName(model)}` : 'chat',
      facts: { 'gen_ai.operation.name': 'chat', ...(typeof model === 'string' ? modelFacts(model, 'request') : {}) },
    }
  if (port === 'ledger' && isList(args) && typeof args[0] === 'string') return { name: `ledger ${args[0]}`, facts: {} }
  return { name: `${port} ${node}`, facts: {} }
}

/** Returns the attributes of a program. */
export function programFacts(pin: Pin | undefined): Facts {
  return pin === undefined ? {} : { 'reflex.program': pin[0], 'reflex.kind': pin[1], 'reflex.program.hash': pin[3] }
}

/** Returns the result of a span that ends with a fault. */
export function failureResult(value: Json): SpanResult {
  const fault = isObject(value) ? (value as unknown as FaultData) : undefined
  const used = isObject(value) && isObject(value.data) && isObject(value.data.used) ? usageFacts(value.data.used) : {}
  const code = typeof fault?.code === 'string' ? fault.code : 'unknown'
  const verdict = typeof fault?.verdict === 'string' ? { 'reflex.fault.verdict': fault.verdict } : {}
  return {
    status: 'error',
    message: typeof fault?.message === 'string' ? fault.message : undefined,
    facts: { 'error.type': code, 'reflex.fault': code, ...verdict, ...used },
  }
}

/** Returns the code of the fault that a wait is about. */
export function faultFacts(about: Json | undefined): Facts {
  return isObject(about) && isObject(about.fault) && typeof about.fault.code === 'string' ? { 'reflex.fault': about.fault.code } : {}
}

/** Returns the result of a frame. */
export function frameResult([ending, value]: readonly ['done' | 'failed' | 'cancelled', Json?]): Partial<SpanResult> {
  if (ending === 'done') return { status: 'ok', facts: { 'reflex.status': 'completed' } }
  if (ending === 'cancelled') return { facts: { 'reflex.status': 'cancelled' } }
  const failed = failureResult(value ?? null)
  return { ...failed, facts: { ...failed.facts, 'reflex.status': 'failed' } }
}

/** Returns tokens, money and the answering model, by the conventions for generative models. */
export function usageFacts(used: JsonObject): Facts {
  const { model, input, output, cached, usd, tries } = used
  return {
    ...(typeof model === 'string' ? modelFacts(model, 'response') : {}),
    'gen_ai.usage.input_tokens': typeof input === 'number' ? input : 0,
    'gen_ai.usage.output_tokens': typeof output === 'number' ? output : 0,
    ...(typeof cached === 'number' ? { 'gen_ai.usage.cache_read.input_tokens': cached } : {}),
    ...(typeof usd === 'number' ? { 'reflex.cost.usd': usd } : {}),
    ...(typeof tries === 'number' ? { 'reflex.model.tries': tries } : {}),
  }
}

/** Returns the attributes of a model, which is named `provider:name`. */
function modelFacts(model: string, of: 'request' | 'response'): Facts {
  const colon = model.indexOf(':')
  return { [`gen_ai.${of}.model`]: shortName(model), ...(colon > 0 ? { 'gen_ai.provider.name': model.slice(0, colon) } : {}) }
}

function shortName(model: string): string {
  return model.slice(model.indexOf(':') + 1)
}
