import { integerOf, listOf, textOf } from '../../dot/graph.ts'
import { TRUST_LEVELS } from '../../../../policy/index.ts'
import { matchLinear } from '../../../../text/index.ts'
import { schemaIssues } from '../../../../text/json-schema/check.ts'
import { type Json, type JsonObject, isObject } from '../../../../kernel/journal/json.ts'
import { renderText } from '../../language/render.ts'
import { parseDot } from '../../dot/parse.ts'
import { readPipeline } from '../../check/read.ts'
import type { Handler, NodeContext } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { askApproval } from './human.ts'
import { looseJson } from '../models/loose-json.ts'

/** Passes if a value of the context is truthy (reference pipeline 4.12). */
export const gateExpression: Handler = (context) => {
  const key = textOf(context.attributes, 'expression') ?? textOf(context.attributes, 'condition_key') ?? ''
  return gateOutcome(context, isTruthy(context.get(key)), `${key} is false, empty or missing`)
}

/** Passes unless the budget is used up. */
export const gateBudget: Handler = (context) => {
  const status = context.text('budget_status')
  return gateOutcome(context, status === '' || status === 'normal' || status === 'low', 'the budget is used up')
}

/** Passes if the run has at least the required trust. */
export const gateTrust: Handler = (context) => {
  const wanted = textOf(context.attributes, 'min_tier') ?? 'trusted'
  const least = rank(wanted)
  const passed = least >= 0 && rank(context.permissions.trust) >= least
  return gateOutcome(context, passed, `the run is ${context.permissions.trust}, not ${wanted}`)
}

function rank(level: string): number {
  return TRUST_LEVELS.findIndex((one) => one === level)
}

/** Passes if a capability is granted. The capability is among those that the node needs, so the policy has already been asked. */
export const gateCapability: Handler = (context) => {
  const wanted = textOf(context.attributes, 'resource_uri') ?? textOf(context.attributes, 'capability') ?? ''
  if (wanted === '') return refusal(`${context.node.id}: resource_uri is missing`)
  return gateOutcome(context, !Object.hasOwn(context.permissions.denied, wanted), `${wanted} is not granted`)
}

export const gateApproval: Handler = (context) => askApproval(context, 'gate')

/** Passes always and warns: the gate has no condition. */
export const gatePlain: Handler = (context) => {
  const { id } = context.node
  context.note('stage_warning', { node_id: id, warning: 'the gate always passes: write predicate, expression or condition_key' })
  return success(undefined, { notes: `${id} has no predicate` })
}

/** Checks a text: its format, its length, and the texts that it must and must not contain (reference pipeline 4.12). */
export const outputValidate: Handler = (context) => {
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

/** Parses and checks a pipeline given as text (reference pipeline 4.12). */
export const pipelineValidate: Handler = (context) => {
  const { node, attributes } = context
  const text = unfenced(context.text(textOf(attributes, 'source_key') ?? 'last_response'))
  const { typed, findings } = readPipeline(text, undefined, { operations: context.typed.operations, author: 'untrusted' })
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ rule, message }) => `${rule ?? 'error'}: ${message}`)
  const updates: JsonObject = {
    [`pipeline.valid.${node.id}`]: errors.length === 0,
    [`pipeline.node_count.${node.id}`]: typed?.nodes.size ?? 0,
    [`pipeline.diagnostics.${node.id}`]: findings.map(({ rule, severity, message }) => ({ rule: rule ?? '', severity, message })),
    [`pipeline.dot_source.${node.id}`]: text,
    'validation.errors': errors.join('\n'),
  }
  return errors.length === 0 ? success(updates) : refusal(errors.slice(0, 5).join('; '), { context_updates: updates })
}

/** Returns a text without the code fence around it. */
export function unfenced(text: string): string {
  return /```[\w-]*[ \t]*\r?\n([\s\S]*?)```/.exec(text)?.[1] ?? text
}

function gateOutcome(context: NodeContext, passed: boolean, reason: string): Outcome {
  const updates = { [`gate.${context.node.id}.passed`]: passed }
  return passed ? success(updates) : refusal(`${context.node.id}: ${reason}`, { context_updates: updates })
}

export function isTruthy(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== 'false' && value !== '' && value !== 0 && value !== '0'
}
