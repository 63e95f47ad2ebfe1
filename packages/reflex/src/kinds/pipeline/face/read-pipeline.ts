import type { Json } from '../../../kernel/journal/json.ts'
import { checkArguments, optional, TEXT } from '../../../text/index.ts'
import { loadPipeline as load } from '../check/load.ts'
import { type ReadingContext, readGraph as readChecked, readPipeline as read, type ReadPipelineResult } from '../check/read.ts'
import { GRAPH, SOME_OPTIONS } from '../dot/argument-forms.ts'
import type { DotGraph } from '../dot/graph.ts'
import { compile, type CompileContext } from '../model/compile.ts'
import type { TypedGraph } from '../model/typed.ts'
import { type HostOperations, operationsOf } from '../operations/built-in.ts'

/** What compiling may know beside the graph: a text, and operations and handlers of a host beside those of Reflex. */
export interface CompileOptions extends Omit<CompileContext, 'operations'>, HostOperations {}

/** What reading a pipeline may know of its surroundings. */
export interface ReadPipelineOptions extends Omit<ReadingContext, 'operations'>, HostOperations {}

/**
 * Works out everything that can be known of a pipeline before it runs (seed pipeline 9; reference pipeline 11.1). Never throws for what
 * a graph says. Throws `R1165` for operations of a host that do not fit. What was compiled without a text is kept with the graph.
 */
export function compileGraph(graph: DotGraph, options: CompileOptions = {}): TypedGraph {
  checkArguments('compileGraph', { graph: [graph, GRAPH], options: [options, SOME_OPTIONS] })
  return compile(graph, { operations: operationsOf(options), source: options.source })
}

/**
 * Reads a pipeline from DOT and finds everything that is wrong with it at once: writing, conditions, attributes, lint.
 * What is known of a text with mistakes is checked too. Never throws, unless a rule or a transform of the host does, or operations
 * of the host do not fit: `R1165`.
 */
export function readPipeline(text: string, file?: string, options: ReadPipelineOptions = {}): ReadPipelineResult {
  checkArguments('readPipeline', { text: [text, TEXT], file: [file, optional(TEXT)], options: [options, SOME_OPTIONS] })
  return read(text, file, contextOf(options))
}

/** The same for a graph that code has made. */
export function readGraph(graph: DotGraph, file?: string, options: ReadPipelineOptions = {}): ReadPipelineResult {
  return readChecked(graph, file, contextOf(options))
}

/** A stored pipeline, ready to run, with the operations and handlers of a host. */
export function loadPipeline(source: Json, host: HostOperations = {}): TypedGraph {
  return load(source, operationsOf(host))
}

function contextOf(options: ReadPipelineOptions): ReadingContext {
  return { ...options, operations: operationsOf(options) }
}
