import { compileGraph, type CompileOptions } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import type { TypedGraph, TypedNode } from '../../../../src/kinds/pipeline/model/typed.ts'
import { parse } from '../../../../src/kinds/pipeline/dot/parse.ts'

/** A pipeline with a start and an exit around the statements. */
export function compiled(body: string, options: CompileOptions = {}): TypedGraph {
  return compileGraph(parse(`digraph g { start [shape=Mdiamond]; done [shape=Msquare]; ${body} }`), options)
}

/** One node of that pipeline, called `n`. */
export function nodeOf(attributes: string, options: CompileOptions = {}): TypedNode {
  const node = compiled(`n [${attributes}]; start -> n -> done`, options).nodes.get('n')
  if (node === undefined) throw new Error('n was not compiled')
  return node
}

/** Rules and messages of what was found, `rule: message`. */
export function found(typed: TypedGraph): string[] {
  return typed.findings.map(({ rule, message }) => `${rule}: ${message}`)
}
