import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Scene, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, refusal, success } from '../../contract/outcome.ts'
import { effectFailed, onResume, required, requiredValue } from './requirements.ts'
import { jsonIn } from '../../language/json-in.ts'

/** What came back from an address. */
interface Answer {
  readonly status: number
  readonly text: string
}

/** What a node sends where its attributes do not say. */
interface Usual {
  readonly method: string
  readonly bodyKey: string | undefined
}

/** Sends the request that a node describes; `updates` says what of the answer is written. */
export function sendRequest(scene: Scene, usual: Usual, updates: (answer: Answer) => JsonObject): Outcome | Steps {
  const url = required(scene, 'url')
  if (typeof url !== 'string') return url
  const headers = headersOf(scene)
  if (headers === undefined) return refusal(`${scene.node.id}: headers must be a JSON object`)
  const body = usual.bodyKey === undefined ? undefined : requiredValue(scene, usual.bodyKey)
  if (body !== undefined && 'status' in body) return body
  return sends(
    scene,
    { ...requestOf(scene, usual.method), url: url.trim(), headers, ...(body === undefined ? {} : { body: renderText(body.value) }) },
    updates,
  )
}

function requestOf({ attributes }: Scene, usual: string): JsonObject {
  const timeout = durationOf(attributes, 'timeout')
  return { method: textOf(attributes, 'method')?.trim() || usual, ...(timeout === undefined || timeout === 0 ? {} : { timeout }) }
}

function* sends(scene: Scene, request: JsonObject, updates: (answer: Answer) => JsonObject): Steps {
  const settled = yield* callTool('http', request, onResume(scene))
  if (settled.error !== undefined) return effectFailed(scene, settled.error)
  const answer = answerOf(settled.ok)
  const said = { context_updates: updates(answer) }
  if (answer.status < 400) return success(said.context_updates)
  const reason = `${scene.node.id}: the server answered ${answer.status}`
  return answer.status >= 500 || answer.status === 429 ? failure(reason, said) : refusal(reason, said)
}

function answerOf(value: Json): Answer {
  const { status = 0, text = '' } = isObject(value) ? value : {}
  return { status: Number(status), text: renderText(text) }
}

function headersOf({ attributes }: Scene): JsonObject | undefined {
  const text = textOf(attributes, 'headers')?.trim() ?? ''
  if (text === '') return {}
  const parsed = jsonIn(text)
  return isObject(parsed) ? parsed : undefined
}
