import { compile } from '../../model/compile.ts'
import type { OperationTable } from '../../model/operation-table.ts'
import type { TypedGraph } from '../../model/typed.ts'
import { textOf } from '../../dot/graph.ts'
import { parseDot } from '../../dot/parse.ts'
import type { Grade } from './grade.ts'
import { similarity, jaccard, mean, wordsOf } from './scores.ts'

/** The least similarity to the expected pipeline that passes. */
const ENOUGH = 0.7

/** Compares the structure of two pipelines, not their names (reference pipeline 4.3.6, dot_diff). */
export function gradeDot(actual: string, expected: string, operations: OperationTable): Grade {
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
