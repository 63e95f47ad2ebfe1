import { isList, isObject, type Json } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler, Scene } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { followPath } from '../../language/json-path.ts'
import { looseJson } from '../models/loose-json.ts'

/** One way to transform: gives the value, or refuses with a reason. */
type Transform = (input: Json, expression: string, scene: Scene) => { readonly value: Json } | { readonly problem: string }

const is = (value: Json): { readonly value: Json } => ({ value })
const no = (problem: string): { readonly problem: string } => ({ problem })

/** Transforms a value without a model: pure, so that it may be passed over where nothing has changed (reference pipeline 4.4). */
export const transform: Handler = (scene) => {
  const { attributes, node } = scene
  const kind = textOf(attributes, 'transform') ?? 'identity'
  const work = TRANSFORMS.get(kind)
  if (work === undefined) return refusal(`${node.id}: there is no transform ${JSON.stringify(kind)}`)
  const input = scene.get(textOf(attributes, 'source_key') ?? 'last_response') ?? null
  const made = work(input, textOf(attributes, 'expression') ?? '', scene)
  if ('problem' in made) return refusal(`${node.id}: ${made.problem}`)
  return success({ [textOf(attributes, 'output_key') ?? `transform.${node.id}`]: made.value }) satisfies Outcome
}

const TRANSFORMS: ReadonlyMap<string, Transform> = new Map<string, Transform>([
  ['identity', (input) => is(input)],
  ['constant', (_, expression) => is(expression)],
  ['json_extract', jsonExtract],
  ['template', (input, expression, scene) => is(fillTemplate(expression, input, scene))],
  ['increment', increment],
  ['format', format],
  ['not_equal', (input, key, scene) => is(renderText(input) !== scene.text(key))],
  ['map', (input, key) => each(input, (item) => (isObject(item) ? [item[key] ?? null] : []))],
  ['filter', (input, key) => each(input, (item) => (keeps(item, key) ? [item] : []))],
  ['split', (input, delimiter) => is(split(renderText(input), delimiter === '' ? ',' : delimiter))],
  ['join', join],
  ['remap', remap],
])

function jsonExtract(input: Json, path: string): ReturnType<Transform> {
  if (path === '') return no('json_extract needs an expression: the path to the value')
  if (input === null) return is(null)
  const found = typeof input === 'string' ? looseJson(input) : input
  if (found === undefined) return no('the value is no JSON')
  const led = followPath(found, path)
  return 'problem' in led ? led : is(led.value ?? null)
}

/** `{value}` is the input, `{ctx.key}` a value of the context; other braces stay. */
function fillTemplate(template: string, input: Json, scene: Scene): string {
  return template.replace(/\{value\}|\{ctx\.([^{}]+)\}/g, (_, key: string | undefined) =>
    key === undefined ? renderText(input) : scene.text(key),
  )
}

function increment(input: Json, expression: string): ReturnType<Transform> {
  const step = expression.trim() === '' ? 1 : Number(expression)
  const from = input === null || input === '' ? 0 : typeof input === 'boolean' || typeof input === 'object' ? Number.NaN : Number(input)
  return Number.isFinite(from) && Number.isFinite(step) ? is(Math.trunc(from + step)) : no('increment needs a number')
}

function format(input: Json, form: string): ReturnType<Transform> {
  switch (form) {
    case 'json':
      return is(JSON.stringify(input, null, 2))
    case '':
    case 'string':
      return is(renderText(input))
    case 'inspect':
      return is(JSON.stringify(input))
    default:
      return no(`format knows json, string and inspect, not ${JSON.stringify(form)}`)
  }
}

function each(input: Json, pick: (item: Json) => readonly Json[]): ReturnType<Transform> {
  const list = typeof input === 'string' ? looseJson(input) : input
  return isList(list) ? is(list.flatMap(pick)) : no('the value is no list')
}

/** Objects that have something under the key; anything else that contains it as text. */
function keeps(item: Json, key: string): boolean {
  if (!isObject(item)) return renderText(item).includes(key)
  const value = item[key]
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0
}

function split(text: string, delimiter: string): readonly string[] {
  return text
    .split(delimiter)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function join(input: Json, delimiter: string): ReturnType<Transform> {
  const list = typeof input === 'string' ? looseJson(input) : input
  return isList(list) ? is(list.map(renderText).join(delimiter === '' ? ',' : delimiter)) : no('the value is no list')
}

/** `a:b,c:d`: the value of `a` under `b`, that of `c` under `d`. */
function remap(input: Json, expression: string): ReturnType<Transform> {
  const object = typeof input === 'string' ? looseJson(input) : input
  if (!isObject(object)) return no('the value is no object')
  const pairs = split(expression, ',').map((pair) => pair.split(':').map((part) => part.trim()))
  return is(Object.fromEntries(pairs.map(([from = '', to = from]) => [to, object[from] ?? null])))
}
