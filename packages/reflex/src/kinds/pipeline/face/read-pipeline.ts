import type { Json, Fault } from '../../../kernel/index.ts'
import { checkArguments, optional, TEXT } from '../../../text/index.ts'
import { loadPipeline as load } from '../check/load.ts'
import { type ReadingContext, readGraph as readChecked, readPipeline as read, type ReadPipelineResult } from '../check/read.ts'
import { GRAPH, SOME_OPTIONS, HOST_RULES, SOURCE } from '../dot/argument-forms.ts'
import type { DotGraph } from '../dot/graph.ts'
import { compile, type CompileContext } from '../model/compile.ts'
import type { TypedGraph } from '../model/typed.ts'
import { type HostOperations, operationsOf } from '../operations/built-in.ts'
import type { LintRule } from '../check/finding.ts'
import { validate } from '../check/validate.ts'

/** The options of compiling: a source text, and operations and handlers of the host. */
export interface CompileOptions extends Omit<CompileContext, 'operations'>, HostOperations {}

/** The options of reading a pipeline. */
export interface ReadPipelineOptions extends Omit<ReadingContext, 'operations'>, HostOperations {}

/**
 * Compiles a pipeline: computes everything that is known before it runs (seed pipeline 9; reference pipeline 11.1). Findings
 * about the graph are returned, not thrown. Throws `R1165` for operations of a host that conflict. The result is cached with
 * the graph if no text is given.
 */
export function compileGraph(graph: DotGraph, options: CompileOptions = {}): TypedGraph {
  checkArguments('compileGraph', { graph: [graph, GRAPH], options: [options, SOME_OPTIONS] })
  return compile(graph, { operations: operationsOf(options), source: options.source })
}

/**
 * Reads a pipeline from DOT and returns all findings at once: syntax, conditions, attributes, lint. A text with syntax errors
 * is still checked as far as it could be parsed. Throws only if a rule or a transform of the host throws, or operations of the
 * host conflict: `R1165`.
 */
export function readPipeline(text: string, file?: string, options: ReadPipelineOptions = {}): ReadPipelineResult {
  checkArguments('readPipeline', { text: [text, TEXT], file: [file, optional(TEXT)], options: [options, SOME_OPTIONS] })
  return read(text, file, contextOf(options))
}

/** Reads a pipeline from a graph that code has made, like `readPipeline`. */
export function readGraph(graph: DotGraph, file?: string, options: ReadPipelineOptions = {}): ReadPipelineResult {
  return readChecked(graph, file, contextOf(options))
}

/** Loads a stored pipeline with the operations and handlers of a host. */
export function loadPipeline(source: Json, host: HostOperations = {}): TypedGraph {
  return load(source, operationsOf(host))
}

function contextOf(options: ReadPipelineOptions): ReadingContext {
  return { ...options, operations: operationsOf(options) }
}

/**
 * Returns all findings about a pipeline without running it. Accepts a text, a graph, or a compiled pipeline (seed pipeline
 * 10.3). `extraRules` are applied after the built-in ones. Throws only if a rule or a transform of the host throws.
 */
export function validateSource(
  what: string | DotGraph | TypedGraph,
  extraRules: readonly LintRule[] = [],
  options: ReadPipelineOptions = {},
): readonly Fault[] {
  checkArguments('validate', { program: [what, SOURCE], extraRules: [extraRules, HOST_RULES], options: [options, SOME_OPTIONS] })
  if (typeof what === 'string') return readPipeline(what, undefined, { ...options, rules: extraRules }).findings
  return 'outgoing' in what ? validate(what, extraRules, options) : readGraph(what, undefined, { ...options, rules: extraRules }).findings
}
