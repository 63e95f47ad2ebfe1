import type { Json, JsonObject } from '../../../../kernel/journal/json.ts'
import type { ModelRequest } from '../../../../models/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import { expandFromContext } from '../../language/variables.ts'
import { performAll } from '../../contract/asks.ts'
import type { Answer, Ask, EffectAsk, NodeContext, Settled } from '../../contract/handler.ts'
import { promptText } from '../../contract/prompt-text.ts'
import { providerOf, settingsOf } from './llm-settings.ts'

/** Models that are asked at once. */
const AT_ONCE = 8

/** One question to a model, apart from any conversation. */
export interface PlainQuestion {
  readonly prompt: string
  readonly system?: string | undefined
  /** What the question is for, behind the name of the node. */
  readonly part: string
  /** In place of what the node names. */
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /** Milliseconds. */
  readonly timeout?: number | undefined
}

/** The request of a question, with the settings of its node. What cannot be read of them fails the node. */
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

/** The same as an effect, for those who ask several at once. */
export function plainAsk(context: NodeContext, question: PlainQuestion): EffectAsk {
  return { effect: 'model', args: plainRequest(context, question) as unknown as JsonObject }
}

/** Performs many effects, a few at once; answers in the order in which they are asked. */
export function* performInBatches(all: readonly EffectAsk[]): Generator<Ask, Settled[], Answer> {
  const answers: Settled[] = []
  for (let from = 0; from < all.length; from += AT_ONCE) answers.push(...(yield* performAll(all.slice(from, from + AT_ONCE))))
  return answers
}

/** What a model answered; nothing where it failed. */
export function replyText(settled: Settled): string | undefined {
  if (settled.error !== undefined) return undefined
  const { ok } = settled
  return typeof ok === 'object' && ok !== null && 'text' in ok ? renderText(ok.text) : ''
}

/** A text of the author with values of the context in it, as they may stand in a prompt (reference pipeline 5.2, 8.3). */
export function expandPrompt(context: NodeContext, text: string): string {
  return expandFromContext(text, (key) => promptValue(context.get(key)))
}

/** A value of the context as it may stand in a prompt. */
export function promptValue(value: Json | undefined): string | undefined {
  return value === undefined || value === null ? undefined : promptText(renderText(value))
}

function withProvider(model: string, provider: string | undefined): string {
  return provider === undefined || model.includes(':') ? model : `${provider}:${model}`
}
