import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { cutText } from '../../../../models/index.ts'
import { integerOf, isOn, numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { NodeContext } from '../../contract/handler.ts'
import { failure, type Outcome, success } from '../../contract/outcome.ts'
import { effortOf, providerOf } from './llm-settings.ts'
import type { Conversation } from './tool-loop.ts'

/** The limit of characters of an answer in the notes of its stage, which summaries and traces show. */
const EXCERPT = 300

/** Returns the outcome and the updates of a model's answer (reference pipeline 4.3.1). */
export function answerOutcome(context: NodeContext, prompt: string, conversation: Conversation): Outcome {
  const { reply, calls, usage, cost, turns, result } = conversation
  const text = result === undefined ? reply.text : renderText(result)
  const value = result ?? reply.object
  const updates: JsonObject = {
    ...responseUpdates(context, prompt, text, value),
    'llm.model': reply.model,
    'llm.provider': providerOf(context) ?? providerIn(reply.model),
    'llm.reasoning_effort': effortOf(context) ?? '',
    'llm.tokens_used': usage.input + usage.output,
    'llm.cost': cost ?? null,
    'session.usage': { ...usage, turns, ...(cost === undefined ? {} : { cost }) } as unknown as JsonObject,
    'llm.response_type': result !== undefined || (reply.calls ?? []).length > 0 ? 'tool_call' : 'text',
    'llm.tool_calls': calls.map(({ id, name, args }) => ({ id, name, args })),
  }
  const problem = answerProblem(context, conversation, text)
  const notes = notesOf(conversation, text)
  if (problem === undefined) return success(updates, { notes })
  if (isOn(context.attributes, 'allow_partial'))
    return { status: 'partial_success', context_updates: updates, notes: `${problem}. ${notes}` }
  return failure(problem, { context_updates: updates, notes, resume: 'last' })
}

/** Returns the updates of every answer, including simulated ones. `value` is the structured value of the text, if there is one. */
export function responseUpdates(context: NodeContext, prompt: string, text: string, value: Json = text): JsonObject {
  const { attributes } = context
  const key = textOf(attributes, 'output_key')?.trim()
  const prefix = textOf(attributes, 'output_prefix')?.trim()
  const score = numberOf(attributes, 'score')
  const perspective = textOf(attributes, 'perspective')?.trim()
  const fields = prefix && isObject(value) ? Object.entries(value).map(([name, one]) => [`${prefix}.${name}`, one] as const) : []
  return {
    last_response: text,
    last_prompt: prompt,
    'context.previous_outcome': context.text('outcome'),
    'llm.content': text,
    ...Object.fromEntries(fields),
    ...(key ? { [key]: value } : {}),
    ...(prefix ? { [`${prefix}.response`]: text } : {}),
    ...(score === undefined ? {} : { score }),
    ...(perspective ? { [`vote.${perspective}`]: value } : {}),
  }
}

/** Returns the provider in the name of a model; an empty text if the name has none. */
function providerIn(model: string): string {
  return model.includes(':') ? model.slice(0, model.indexOf(':')) : ''
}

/** Returns the problem of an incomplete answer; undefined for a complete one. */
function answerProblem({ attributes }: NodeContext, { reply, result, usage }: Conversation, text: string): string | undefined {
  if (result !== undefined || reply.object !== undefined) return undefined
  if (reply.finish === 'length') {
    const maxTokens = integerOf(attributes, 'max_tokens')
    return `the answer was ${cutText({ usage }, { maxTokens })}`
  }
  return text.trim() === '' ? 'the answer is empty' : undefined
}

function notesOf({ calls }: Conversation, text: string): string {
  const excerpt = text.replace(/\s+/g, ' ').trim()
  const names = [...new Set(calls.map(({ name }) => name))]
  const tools = names.map((name) => `${name} ${calls.filter((call) => call.name === name).length}`).join(', ')
  const parts = [
    ...(calls.length === 0 ? [] : [`${calls.length} tool call${calls.length === 1 ? '' : 's'} (${tools})`]),
    ...(excerpt === '' ? [] : [excerpt.length <= EXCERPT ? excerpt : `${excerpt.slice(0, EXCERPT - 1).toWellFormed()}…`]),
  ]
  return parts.join('. ')
}
