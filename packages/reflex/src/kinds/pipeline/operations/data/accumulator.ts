import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { numberOf, textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler, NodeContext } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { requiredText, requiredValue } from '../commands/requirements.ts'
import { parseJson } from '../../language/parse-json.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { key, writes, writesAt } from '../../model/operation-ports.ts'

/** The accumulated value, or the reason why the input is invalid. */
type Accumulated = { readonly value: Json } | { readonly problem: string }
type Operation = (before: Json | undefined, input: Json) => Accumulated

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['sum', numeric(0, (before, input) => before + input)],
  ['product', numeric(1, (before, input) => before * input)],
  ['min', numeric(Number.POSITIVE_INFINITY, Math.min)],
  ['max', numeric(Number.NEGATIVE_INFINITY, Math.max)],
  ['count', (before) => withNumber(before ?? 0, (number) => number + 1)],
  ['avg', average],
  ['append', (before, input) => ({ value: [...listOf(before), input] })],
  ['prepend', (before, input) => ({ value: [input, ...listOf(before)] })],
  ['concat', (before, input) => ({ value: renderText(before) + renderText(input) })],
  ['merge', merge],
])

/** Adds a value to an accumulator under a key (reference pipeline 4.8, accumulator). Pure. */
const run: Handler = (context) => {
  const { attributes, node } = context
  const word = textOf(attributes, 'operation')?.trim() || textOf(attributes, 'mode')?.trim() || 'append'
  const operation = OPERATIONS.get(word)
  if (operation === undefined)
    return refusal(`${node.id}: operation must be one of ${[...OPERATIONS.keys()].join(', ')}, not ${JSON.stringify(word)}`)
  const inputKey = requiredText(context, 'input_key')
  if (typeof inputKey !== 'string') return inputKey
  const input = requiredValue(context, inputKey)
  if ('status' in input) return input
  const key = textOf(attributes, 'accumulator_key')?.trim() || `accumulator.${node.id}`
  const before = context.get(key) ?? parseIfJson(textOf(attributes, 'init_value'))
  const accumulated = operation(before, input.value)
  if ('problem' in accumulated) return refusal(`${node.id}: ${accumulated.problem}`)
  return limitedOutcome(context, key, accumulated.value, { operation: word, input: input.value, previous: before ?? null })
}

/** Returns the outcome, with the limit applied. */
function limitedOutcome(context: NodeContext, key: string, value: Json, facts: JsonObject) {
  const { attributes, node } = context
  const limit = numberOf(attributes, 'limit')
  const action = textOf(attributes, 'limit_action')?.trim() || 'warn'
  const exceeded = limit !== undefined && sizeOf(value) > limit
  if (exceeded && action === 'fail') return refusal(`${node.id}: ${key} is over its limit of ${limit}`)
  const limited = exceeded && action === 'cap' ? capValue(value, limit, facts['operation'] === 'prepend') : value
  const details = Object.entries({ ...facts, limit_exceeded: exceeded }).map(([name, fact]): [string, Json] => [
    `accumulator.${node.id}.${name}`,
    fact,
  ])
  const updates = {
    [key]: limited,
    ...(isAverage(limited) ? { [`${key}.avg`]: limited.sum / limited.count } : {}),
    ...Object.fromEntries(details),
  }
  if (!exceeded) return success(updates)
  if (action !== 'cap') context.note('stage_warning', { node_id: node.id, warning: `${key} is over its limit of ${limit}` })
  return success(updates, { notes: `${key} is over its limit of ${limit}` })
}

function numeric(start: number, join: (before: number, input: number) => number): Operation {
  return (before, input) =>
    withNumber(input, (number) => {
      const from = before === undefined || before === null ? start : numberIn(before)
      return from === undefined ? Number.NaN : join(from, number)
    })
}

function withNumber(value: Json, then: (number: number) => number): Accumulated {
  const number = numberIn(value)
  const result = number === undefined ? Number.NaN : then(number)
  return Number.isFinite(result) ? { value: result } : { problem: `${excerpt(value)} is not a number` }
}

function numberIn(value: Json): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined
}

interface Average {
  readonly sum: number
  readonly count: number
}

function isAverage(value: Json | undefined): value is { readonly sum: number; readonly count: number } {
  return isObject(value) && typeof value['sum'] === 'number' && typeof value['count'] === 'number' && value['count'] > 0
}

function average(before: Json | undefined, input: Json): Accumulated {
  const number = numberIn(input)
  if (number === undefined) return { problem: `${excerpt(input)} is not a number` }
  const from: Average = isAverage(before) ? before : { sum: before === undefined ? 0 : (numberIn(before) ?? 0), count: 0 }
  return { value: { sum: from.sum + number, count: from.count + 1 } }
}

function merge(before: Json | undefined, input: Json): Accumulated {
  const [base, added] = [objectIn(before ?? {}), objectIn(input)]
  return base === undefined || added === undefined ? { problem: `${excerpt(input)} is not an object` } : { value: deepMerge(base, added) }
}

function deepMerge(base: JsonObject, added: JsonObject): JsonObject {
  const merged = Object.entries(added).map(([key, value]): [string, Json] => {
    const before = Object.hasOwn(base, key) ? base[key] : undefined
    return [key, isObject(before) && isObject(value) ? deepMerge(before, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

function objectIn(value: Json): JsonObject | undefined {
  const found = typeof value === 'string' ? parseIfJson(value) : value
  return isObject(found) ? found : undefined
}

function listOf(value: Json | undefined): readonly Json[] {
  if (isList(value)) return value
  const parsed = typeof value === 'string' ? parseIfJson(value) : undefined
  return isList(parsed) ? parsed : value === undefined || value === null || value === '' ? [] : [value]
}

/** Parses a text as JSON if possible. */
function parseIfJson(text: string | undefined): Json | undefined {
  if (text === undefined || text === '') return undefined
  return parseJson(text) ?? text
}

function sizeOf(value: Json): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' || isList(value)) return value.length
  return isAverage(value) ? value.count : isObject(value) ? Object.keys(value).length : 0
}

/** Returns a value cut to the limit. A list loses its last items. */
function capValue(value: Json, limit: number, fromFront: boolean): Json {
  const most = Math.max(0, Math.floor(limit))
  if (typeof value === 'number') return limit
  if (typeof value === 'string') return value.slice(0, most)
  if (isList(value)) return fromFront ? value.slice(value.length - most) : value.slice(0, most)
  return value
}

function excerpt(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

export const accumulator = defineOperation({
  name: 'accumulator',
  does: 'Adds a value to an accumulator under a key.',
  dispatch: [{ type: 'write', by: { target: 'accumulator' }, injects: { target: 'accumulator', mode: 'append' } }],
  parameters: {
    operation: attribute(
      ['sum', 'count', 'min', 'max', 'product', 'avg', 'append', 'prepend', 'merge', 'concat'],
      'The way in which the value is added.',
      { usual: 'append' },
    ),
    input_key: attribute('key', 'The value to add.', { required: true }),
    accumulator_key: attribute('key', 'The key of the accumulator.', { usual: 'accumulator.<id>' }),
    init_value: attribute('text', 'The initial value.'),
    limit: attribute('number', 'The limit of the accumulated value.'),
    limit_action: attribute(['fail', 'warn', 'cap'], 'The action at the limit.', { usual: 'warn', lenient: true }),
    mode: attribute('text', 'An alternative name of `operation`.'),
  },
  reads: [key('input_key'), key('accumulator_key', 'accumulator.<id>')],
  writes: [writesAt('inputs', 'accumulator_key', 'accumulator.<id>'), ...writes('inputs', 'accumulator.<id>.')],
  repeat: 'idempotent',
  ownRetries: true,
  run,
})
