import { canonicalJson, isList, isObject, type Json } from '../../../../kernel/index.ts'
import { matchLinear } from '../../../../text/index.ts'
import type { OperationTable } from '../../model/operation-table.ts'
import { renderText } from '../../language/render.ts'
import { type Grade, verdict } from './grade.ts'
import { parseJson } from '../../language/parse-json.ts'
import { compile } from '../../model/compile.ts'
import type { TypedGraph } from '../../model/typed.ts'
import { textOf } from '../../dot/graph.ts'
import { parseDot } from '../../dot/parse.ts'
import { similarity, jaccard, mean, wordsOf } from './scores.ts'

type Grader = (actual: Json, expected: Json, operations: OperationTable) => Grade

/** Graders that need no other service (reference pipeline 4.3.6). Pure; a pattern takes time that is linear in the text. */
const GRADERS: ReadonlyMap<string, Grader> = new Map<string, Grader>([
  ['exact_match', exactMatch],
  ['contains', contains],
  ['regex', regex],
  ['json_valid', jsonValid],
  ['dot_diff', (actual, expected, operations) => gradeDot(renderText(actual), renderText(expected), operations)],
  ...['embedding_similarity', 'compile_check', 'functional_test', 'code_quality'].map((name): [string, Grader] => [name, unavailable]),
])

/** The names of all graders that need no other service. */
export const GRADER_NAMES: readonly string[] = [...GRADERS.keys()]

/** Grades an answer; undefined for an unknown grader. */
export function grade(name: string, actual: Json, expected: Json, operations: OperationTable): Grade | undefined {
  return GRADERS.get(name)?.(actual, expected, operations)
}

/** Compares texts without surrounding space, and other values regardless of the order of keys. */
function exactMatch(actual: Json, expected: Json): Grade {
  const plain = (value: Json): string => (typeof value === 'object' && value !== null ? canonicalJson(value) : renderText(value).trim())
  return verdict(plain(actual) === plain(expected), plain(actual) === plain(expected) ? 'equal' : 'different')
}

function contains(actual: Json, expected: Json): Grade {
  const wanted = isObject(expected) ? expected['contains'] : expected
  const parts = (isList(wanted) ? wanted : [wanted ?? '']).map(renderText).filter((part) => part !== '')
  if (parts.length === 0) return verdict(false, 'no value is expected')
  const text = renderText(actual)
  const missing = parts.filter((part) => !text.includes(part))
  return {
    score: (parts.length - missing.length) / parts.length,
    passed: missing.length === 0,
    detail: missing.length === 0 ? 'all found' : `missing: ${missing.join(', ')}`,
  }
}

function regex(actual: Json, expected: Json): Grade {
  const pattern = renderText(isObject(expected) ? (expected['regex'] ?? expected['pattern']) : expected)
  if (pattern === '') return verdict(false, 'no pattern is expected')
  const matched = matchLinear(renderText(actual), pattern)
  return typeof matched === 'boolean' ? verdict(matched, matched ? 'matches' : 'does not match') : verdict(false, matched.problem)
}

function jsonValid(actual: Json): Grade {
  if (typeof actual !== 'string') return verdict(actual !== null, actual === null ? 'there is no answer' : 'is JSON')
  return parseJson(actual) === undefined ? verdict(false, 'is not JSON') : verdict(true, 'is JSON')
}

/** Fails: the grader needs a service of the host, such as a model of embeddings or a toolchain. */
function unavailable(): Grade {
  return verdict(false, 'unavailable')
}

/** The least similarity to the expected pipeline that passes. */
const ENOUGH = 0.7

/** Compares the structure of two pipelines, not their names (reference pipeline 4.3.6, dot_diff). */
function gradeDot(actual: string, expected: string, operations: OperationTable): Grade {
  const [a, b] = [pipelineIn(actual, operations), pipelineIn(expected, operations)]
  if (a === undefined || b === undefined)
    return { score: 0, passed: false, detail: `${a === undefined ? 'the answer' : 'the expected value'} is not a pipeline` }
  const scores = {
    nodes: similarity(a.nodes.size, b.nodes.size),
    edges: similarity(a.graph.edges.length, b.graph.edges.length),
    handlers: sharedTypes(a, b),
    prompts: jaccard(promptWords(a), promptWords(b)),
  }
  const score = mean(Object.values(scores))
  const detail = Object.entries(scores).map(([name, one]) => `${name} ${one.toFixed(2)}`)
  return { score, passed: score >= ENOUGH, detail: detail.join(', ') }
}

function pipelineIn(text: string, operations: OperationTable): TypedGraph | undefined {
  const fenced = /```(?:dot|graphviz|gv)?[ \t]*\r?\n([\s\S]*?)```/.exec(text)?.[1] ?? text
  const { graph, errors } = parseDot(fenced)
  return graph === undefined || errors.length > 0 ? undefined : compile(graph, { operations })
}

/** Returns the share of nodes that have a partner of the same type in the other pipeline. */
function sharedTypes(a: TypedGraph, b: TypedGraph): number {
  const [left, right] = [typesOf(a), typesOf(b)]
  let shared = 0
  for (const [type, count] of left) shared += Math.min(count, right.get(type) ?? 0)
  const most = Math.max(a.nodes.size, b.nodes.size)
  return most === 0 ? 1 : shared / most
}

function typesOf({ nodes }: TypedGraph): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { operation } of nodes.values()) counts.set(operation, (counts.get(operation) ?? 0) + 1)
  return counts
}

function promptWords({ nodes }: TypedGraph): ReadonlySet<string> {
  return wordsOf([...nodes.values()].map(({ node }) => textOf(node.attributes, 'prompt') ?? '').join('\n'))
}
