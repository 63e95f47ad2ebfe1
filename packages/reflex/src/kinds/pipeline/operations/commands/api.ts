import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { NodeContext, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { effectFailed, onResume, requiredText, requiredValue } from './requirements.ts'
import { parseJson } from '../../language/parse-json.ts'

/** The answer of a server. */
interface HttpAnswer {
  readonly status: number
  readonly text: string
}

/** The defaults of a request. */
interface RequestDefaults {
  readonly method: string
  readonly bodyKey: string | undefined
}

/** Sends the request of a node; `updates` returns the context updates for the answer. */
export function sendRequest(context: NodeContext, defaults: RequestDefaults, updates: (answer: HttpAnswer) => JsonObject): Outcome | Steps {
  const url = requiredText(context, 'url')
  if (typeof url !== 'string') return url
  const headers = headersOf(context)
  if (headers === undefined) return refusal(`${context.node.id}: headers must be a JSON object`)
  const body = defaults.bodyKey === undefined ? undefined : requiredValue(context, defaults.bodyKey)
  if (body !== undefined && 'status' in body) return body
  return send(
    context,
    { ...requestOf(context, defaults.method), url: url.trim(), headers, ...(body === undefined ? {} : { body: renderText(body.value) }) },
    updates,
  )
}

function requestOf({ attributes }: NodeContext, defaultMethod: string): JsonObject {
  const timeout = durationOf(attributes, 'timeout')
  return { method: textOf(attributes, 'method')?.trim() || defaultMethod, ...(timeout === undefined || timeout === 0 ? {} : { timeout }) }
}

function* send(context: NodeContext, request: JsonObject, updates: (answer: HttpAnswer) => JsonObject): Steps {
  const settled = yield* callTool('http', request, onResume(context))
  if (settled.error !== undefined) return effectFailed(context, settled.error)
  const answer = answerOf(settled.ok)
  const more = { context_updates: updates(answer) }
  if (answer.status < 400) return success(more.context_updates)
  const reason = `${context.node.id}: the server answered ${answer.status}`
  return answer.status >= 500 || answer.status === 429 ? failure(reason, more) : refusal(reason, more)
}

function answerOf(value: Json): HttpAnswer {
  const { status = 0, text = '' } = isObject(value) ? value : {}
  return { status: Number(status), text: renderText(text) }
}

function headersOf({ attributes }: NodeContext): JsonObject | undefined {
  const text = textOf(attributes, 'headers')?.trim() ?? ''
  if (text === '') return {}
  const parsed = parseJson(text)
  return isObject(parsed) ? parsed : undefined
}
