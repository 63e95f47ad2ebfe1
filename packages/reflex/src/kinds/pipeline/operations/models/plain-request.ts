import type { Json, JsonObject } from '../../../../kernel/index.ts'
import type { ModelRequest } from '../../../../models/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { expandFromContext } from '../../language/variables.ts'
import { performAll } from '../../contract/asks.ts'
import type { Answer, Ask, EffectAsk, NodeContext, Settled } from '../../contract/handler.ts'
import { promptText } from '../../contract/prompt-text.ts'
import { providerOf, settingsOf } from './llm-settings.ts'

/** The limit of models that are asked at once. */
const AT_ONCE = 8

/** One question to a model, outside of any conversation. */
export interface PlainQuestion {
  readonly prompt: string
  readonly system?: string | undefined
  /** The purpose of the question, appended to the name of the node. */
  readonly part: string
  /** The model, instead of the one that the node names. */
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /** Milliseconds. */
  readonly timeout?: number | undefined
}

/**
 * Returns the request of a question, with the settings of its node. Throws a `TypeError`, which fails the node, for settings
 * that cannot be read.
 */
export function plainRequest(context: NodeContext, question: PlainQuestion): ModelRequest {
  const { attributes, typed, node } = context
  const settings = settingsOf(context)
  if ('problem' in settings) throw new TypeError(settings.problem)
  const { output: _output, stream: _stream, ...rest } = settings
  const system = question.system ?? textOf(attributes, 'system_prompt')
  const named = question.model === undefined ? undefined : withProvider(question.model, question.provider ?? providerOf(context))
  return {
    ...rest,
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), { role: 'user', content: question.prompt }],
    label: `${typed.graph.id}/${node.id}/${question.part}`,
    ...(named === undefined ? {} : { model: named }),
    ...(question.timeout === undefined || question.timeout <= 0 ? {} : { timeout: question.timeout }),
  }
}

/** Returns the request of a question as an effect, for callers that ask several at once. */
export function plainAsk(context: NodeContext, question: PlainQuestion): EffectAsk {
  return { effect: 'model', args: plainRequest(context, question) as unknown as JsonObject }
}

/** Performs many effects, a few at a time. Returns the answers in the order of the effects. */
export function* performInBatches(all: readonly EffectAsk[]): Generator<Ask, Settled[], Answer> {
  const answers: Settled[] = []
  for (let from = 0; from < all.length; from += AT_ONCE) answers.push(...(yield* performAll(all.slice(from, from + AT_ONCE))))
  return answers
}

/** Returns the text of a model's answer; undefined if it failed. */
export function replyText(settled: Settled): string | undefined {
  if (settled.error !== undefined) return undefined
  const { ok } = settled
  return typeof ok === 'object' && ok !== null && 'text' in ok ? renderText(ok.text) : ''
}

/** Returns a text of the author with values of the context filled in, escaped for a prompt (reference pipeline 5.2, 8.3). */
export function expandPrompt(context: NodeContext, text: string): string {
  return expandFromContext(text, (key) => promptValue(context.get(key)))
}

/** Returns a value of the context, escaped for a prompt. */
export function promptValue(value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : promptText(renderText(value))
}

function withProvider(model: string, provider: string | undefined): string {
  return provider === undefined || model.includes(':') ? model : `${provider}:${model}`
}
