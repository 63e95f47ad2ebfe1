import { integerOf, listOf, textOf } from '../../dot/graph.ts'
import { matchLinear } from '../../../../text/index.ts'
import { schemaIssues } from '../../../../text/json-schema/check.ts'
import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { parseDot } from '../../dot/parse.ts'
import type { Handler, NodeContext } from '../../contract/handler.ts'
import { refusal, success } from '../../contract/outcome.ts'
import { looseJson } from '../models/loose-json.ts'
import { unfenced } from '../people/gate.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'

/** Checks a text: its format, its length, and the texts that it must and must not contain (reference pipeline 4.12). */
const run: Handler = (context) => {
  const { attributes, node } = context
  const key = textOf(attributes, 'source_key') ?? 'last_response'
  const value = context.get(key)
  const text = renderText(value)
  const errors = outputProblems(context, value, text)
  const action = textOf(attributes, 'action') ?? 'fail'
  const most = integerOf(attributes, 'max_length')
  const truncated = action === 'truncate' && most !== undefined && text.length > most ? { [key]: text.slice(0, most) } : {}
  const updates: JsonObject = {
    [`validate.${node.id}.passed`]: errors.length === 0,
    [`validate.${node.id}.errors`]: errors,
    [`validate.${node.id}.format`]: textOf(attributes, 'format') ?? 'text',
    ...truncated,
  }
  const remaining = Object.keys(truncated).length > 0 ? errors.filter((error) => !error.startsWith('longer')) : errors
  if (remaining.length === 0 || action === 'warn') return success(updates, errors.length === 0 ? {} : { notes: errors.join('; ') })
  return refusal(remaining.join('; '), { context_updates: updates })
}

function outputProblems({ attributes }: NodeContext, value: Json | undefined, text: string): string[] {
  const least = integerOf(attributes, 'min_length')
  const most = integerOf(attributes, 'max_length')
  const pattern = textOf(attributes, 'pattern')
  const lower = text.toLowerCase()
  return [
    ...formatProblem(textOf(attributes, 'format') ?? 'text', value, text),
    ...(least !== undefined && text.length < least ? [`shorter than ${least} characters`] : []),
    ...(most !== undefined && text.length > most ? [`longer than ${most} characters`] : []),
    ...listOf(attributes, 'must_contain').flatMap((word) => (lower.includes(word.toLowerCase()) ? [] : [`does not contain ${word}`])),
    ...listOf(attributes, 'must_not_contain').flatMap((word) => (lower.includes(word.toLowerCase()) ? [`contains ${word}`] : [])),
    ...(pattern === undefined ? [] : patternProblem(pattern, text)),
    ...schemaProblems(textOf(attributes, 'json_schema'), value, text),
  ]
}

function formatProblem(format: string, value: Json | undefined, text: string): string[] {
  switch (format) {
    case 'json':
      return typeof value === 'object' && value !== null ? [] : looseJson(text) === undefined ? ['is not JSON'] : []
    case 'dot':
      return parseDot(unfenced(text)).errors.length === 0 ? [] : ['is not a pipeline']
    case 'markdown':
    case 'text':
      return text.trim() === '' ? ['is empty'] : []
    default:
      return []
  }
}

/** Checks a pattern in linear time. */
function patternProblem(pattern: string, text: string): string[] {
  const found = matchLinear(text, pattern)
  if (typeof found !== 'boolean') return [`the pattern ${pattern} cannot be read: ${found.problem}`]
  return found ? [] : [`does not match ${pattern}`]
}

/** Checks a value against a JSON Schema. */
function schemaProblems(schema: string | undefined, value: Json | undefined, text: string): string[] {
  if (schema === undefined) return []
  const wanted = looseJson(schema)
  if (!isObject(wanted)) return ['json_schema is not a JSON object']
  const found = typeof value === 'string' || value === undefined ? looseJson(text) : value
  if (found === undefined) return ['is not JSON']
  return schemaIssues(wanted, found).map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
}

export const outputValidate = defineOperation({
  name: 'output.validate',
  does: 'Checks a text: format, length, contents, schema, pattern.',
  dispatch: [{ type: 'gate', by: { predicate: 'output_valid' } }],
  usual: ['min_length', 'max_length', 'must_contain', 'must_not_contain', 'json_schema', 'pattern'],
  parameters: {
    ...GATE,
    format: attribute(['json', 'dot', 'markdown', 'text', 'elixir'], 'The format that the value must have.', {
      usual: 'text',
      lenient: true,
    }),
    min_length: attribute('int', 'The minimum number of characters.'),
    max_length: attribute('int', 'The maximum number of characters.'),
    must_contain: attribute('csv', 'Texts that it must contain.'),
    must_not_contain: attribute('csv', 'Texts that it must not contain.'),
    json_schema: attribute('json', 'The JSON Schema that it must match.'),
    pattern: attribute('text', 'The pattern that it must match.'),
    sanitizes: attribute('csv', 'The attacks that a valid value is safe against.', { usual: 'all' }),
    action: attribute(['fail', 'warn', 'truncate'], 'The action for an invalid value.', { usual: 'fail', lenient: true }),
  },
  reads: [key('source_key', 'last_response'), authored('pattern'), authored('json_schema')],
  writes: writes('engine', 'validate.<id>.'),
  repeat: 'read_only',
  sanitizes: 'content',
  run,
})
