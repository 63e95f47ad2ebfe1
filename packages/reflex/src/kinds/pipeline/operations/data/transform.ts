import { isList, isObject, type Json } from '../../../../kernel/index.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler, NodeContext } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { followPath } from '../../language/json-path.ts'
import { looseJson } from '../models/loose-json.ts'
import type { WrittenNode } from '../../model/written-node.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { type Input, key, template, writesAt } from '../../model/operation-ports.ts'

/** A transform: returns the value, or the reason for a refusal. */
type Transform = (input: Json, expression: string, context: NodeContext) => { readonly value: Json } | { readonly problem: string }

const ok = (value: Json): { readonly value: Json } => ({ value })
const refuse = (problem: string): { readonly problem: string } => ({ problem })

/** Transforms a value without a model. Pure, so it can be skipped if its inputs are unchanged (reference pipeline 4.4). */
const run: Handler = (context) => {
  const { attributes, node } = context
  const kind = textOf(attributes, 'transform') ?? 'identity'
  const apply = TRANSFORMS.get(kind)
  if (apply === undefined) return refusal(`${node.id}: there is no transform ${JSON.stringify(kind)}`)
  const input = context.get(textOf(attributes, 'source_key') ?? 'last_response') ?? null
  const result = apply(input, textOf(attributes, 'expression') ?? '', context)
  if ('problem' in result) return refusal(`${node.id}: ${result.problem}`)
  return success({ [textOf(attributes, 'output_key') ?? `transform.${node.id}`]: result.value }) satisfies Outcome
}

const TRANSFORMS: ReadonlyMap<string, Transform> = new Map<string, Transform>([
  ['identity', (input) => ok(input)],
  ['constant', (_, expression) => ok(expression)],
  ['json_extract', jsonExtract],
  ['template', (input, expression, context) => ok(fillTemplate(expression, input, context))],
  ['increment', increment],
  ['format', format],
  ['not_equal', (input, key, context) => ok(renderText(input) !== context.text(key))],
  ['map', (input, key) => flatMapList(input, (item) => (isObject(item) ? [item[key] ?? null] : []))],
  ['filter', (input, key) => flatMapList(input, (item) => (isKept(item, key) ? [item] : []))],
  ['split', (input, delimiter) => ok(split(renderText(input), delimiter === '' ? ',' : delimiter))],
  ['join', join],
  ['remap', remap],
])

function jsonExtract(input: Json, path: string): ReturnType<Transform> {
  if (path === '') return refuse('json_extract needs an expression: the path to the value')
  if (input === null) return ok(null)
  const found = typeof input === 'string' ? looseJson(input) : input
  if (found === undefined) return refuse('the value is not JSON')
  const reached = followPath(found, path)
  return 'problem' in reached ? reached : ok(reached.value ?? null)
}

/** Replaces `{value}` by the input and `{ctx.key}` by values of the context; other braces stay. */
function fillTemplate(template: string, input: Json, context: NodeContext): string {
  return template.replace(/\{value\}|\{ctx\.([^{}]+)\}/g, (_, key: string | undefined) =>
    key === undefined ? renderText(input) : context.text(key),
  )
}

function increment(input: Json, expression: string): ReturnType<Transform> {
  const step = expression.trim() === '' ? 1 : Number(expression)
  const from = input === null || input === '' ? 0 : typeof input === 'boolean' || typeof input === 'object' ? Number.NaN : Number(input)
  return Number.isFinite(from) && Number.isFinite(step) ? ok(Math.trunc(from + step)) : refuse('increment needs a number')
}

function format(input: Json, form: string): ReturnType<Transform> {
  switch (form) {
    case 'json':
      return ok(JSON.stringify(input, null, 2))
    case '':
    case 'string':
      return ok(renderText(input))
    case 'inspect':
      return ok(JSON.stringify(input))
    default:
      return refuse(`format must be json, string or inspect, not ${JSON.stringify(form)}`)
  }
}

function flatMapList(input: Json, pick: (item: Json) => readonly Json[]): ReturnType<Transform> {
  const list = typeof input === 'string' ? looseJson(input) : input
  return isList(list) ? ok(list.flatMap(pick)) : refuse('the value is not a list')
}

/** True for an object with a value under the key, and for any other item whose text contains the key. */
function isKept(item: Json, key: string): boolean {
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
  return isList(list) ? ok(list.map(renderText).join(delimiter === '' ? ',' : delimiter)) : refuse('the value is not a list')
}

/** Renames keys: `a:b,c:d` writes the value of `a` under `b`, that of `c` under `d`. */
function remap(input: Json, expression: string): ReturnType<Transform> {
  const object = typeof input === 'string' ? looseJson(input) : input
  if (!isObject(object)) return refuse('the value is not an object')
  const pairs = split(expression, ',').map((pair) => pair.split(':').map((part) => part.trim()))
  return ok(Object.fromEntries(pairs.map(([from = '', to = from]) => [to, object[from] ?? null])))
}

/** Transforms that require an expression. */
const NEEDS_EXPRESSION: ReadonlySet<string> = new Set(['json_extract', 'template', 'filter'])

function readsOf(node: WrittenNode): readonly Input[] {
  const kind = node.text('transform')
  if (kind === 'constant') return []
  const source = key('source_key', 'last_response')
  if (kind === 'template') return [source, template('expression')]
  return kind === 'not_equal' ? [source, key('expression')] : [source]
}

export const transform = defineOperation({
  name: 'transform',
  does: 'Changes a value of the context, without a model.',
  types: [],
  dispatch: [{ type: 'transform' }, { type: 'compute', by: { purpose: 'transform' } }],
  parameters: {
    transform: attribute(
      ['identity', 'constant', 'json_extract', 'template', 'increment', 'format', 'not_equal', 'map', 'filter', 'split', 'join', 'remap'],
      'The transform.',
      { usual: 'identity' },
    ),
    expression: attribute('text', 'The argument of the transform: a path, a text, a template, a key, a step, a delimiter.'),
  },
  requires: (node) => (NEEDS_EXPRESSION.has(node.text('transform') ?? '') ? ['expression'] : []),
  reads: readsOf,
  writes: [writesAt('inputs', 'output_key', 'transform.<id>')],
  repeat: 'idempotent',
  pure: true,
  ownRetries: true,
  counts: (node) => (node.text('transform') === 'increment' ? node.text('source_key') : undefined),
  run,
})
