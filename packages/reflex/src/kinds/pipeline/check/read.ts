import type { Fault } from '../../../kernel/index.ts'
import { Source } from '../../../text/index.ts'
import { compile, type CompileContext } from '../model/compile.ts'
import type { TypedGraph } from '../model/typed.ts'
import { placeInObject, definitionSourceOf } from './define-places.ts'
import type { DotGraph } from '../dot/graph.ts'
import type { DotCache } from '../dot/cache.ts'
import { type DotParse, parseDot } from '../dot/parse.ts'
import { serializeGraph } from '../dot/serialize.ts'
import { transformGraph, transformOwnGraph, type CustomTransforms } from '../language/transforms.ts'
import type { LintRule } from './finding.ts'
import type { LintOptions } from './options.ts'
import { validate } from './validate.ts'
import { setAuthor } from '../model/program-author.ts'

/** The context of reading a pipeline: the operations, which are required, and its known surroundings. */
export interface ReadingContext extends Omit<CompileContext & LintOptions, 'source'> {
  readonly transforms?: CustomTransforms | undefined
  /** Rules of the host, applied after the built-in ones. */
  readonly rules?: readonly LintRule[] | undefined
  readonly strictGrammar?: boolean | undefined
  /** Parses a text without errors only once. */
  readonly cache?: DotCache | undefined
  /** True if the text is already the result of transforms: it is not expanded again. */
  readonly transformed?: boolean | undefined
}

/** A pipeline as it is stored: its text. Everything else is computed from it. */
export interface PipelineSource {
  readonly dot: string
  /** True if the text is the result of transforms in code. */
  readonly transformed?: true
}

/** A pipeline, absent if it has errors, and all findings in the order of the file. */
export interface ReadPipelineResult {
  readonly id?: string
  readonly source?: PipelineSource
  readonly typed?: TypedGraph
  readonly findings: readonly Fault[]
}

/**
 * Reads a pipeline from DOT and returns all findings at once: syntax, conditions, attributes, lint. A text with syntax errors
 * is still checked as far as it could be parsed. Throws only if a rule or a transform of the host throws.
 */
export function readPipeline(text: string, file: string | undefined, options: ReadingContext): ReadPipelineResult {
  const { transforms } = options
  const { graph, errors, warnings } = parsed(text, file, options)
  const written = [...errors, ...warnings]
  if (graph === undefined) return { findings: inOrder(written) }
  const source = new Source(text, file)
  const transform = options.cache === undefined ? transformOwnGraph : transformGraph
  const typed = compile(options.transformed === true ? graph : transform(graph, transforms), { operations: options.operations, source })
  // With syntax errors, statements may be missing: lint would report what they declare.
  const found = errors.length === 0 ? validate(typed, options.rules, { ...options, source }) : typed.findings
  setAuthor(typed, options.author)
  return result(typed, sourceOf(typed.graph, text, options), inOrder([...written, ...found]))
}

function parsed(text: string, file: string | undefined, { cache, strictGrammar }: ReadingContext): DotParse {
  const known = cache?.get(text)
  if (known !== undefined) return { graph: known, errors: [], warnings: [] }
  const fresh = parseDot(text, { accumulateErrors: true, strictGrammar, file })
  if (cache === undefined || fresh.graph === undefined || fresh.errors.length + fresh.warnings.length > 0) return fresh
  return { ...fresh, graph: cache.put(text, fresh.graph) }
}

/**
 * Reads a graph that code has made, like `readPipeline`. Findings have the path of a node or an edge instead of a line. For a
 * graph that `pipeline` made, they have the path in the object, and no file.
 */
export function readGraph(graph: DotGraph, file: string | undefined, options: ReadingContext): ReadPipelineResult {
  const written = definitionSourceOf(graph)
  if (written !== undefined) {
    const read = readPipeline(written.text, undefined, options)
    return { ...read, findings: placeInObject(read.findings, written) }
  }
  // A copy: the caller may change its graph later without changing the pipeline that was read.
  const own = { ...graph, nodes: new Map(graph.nodes) }
  const typed = compile(transformGraph(own, options.transforms), { operations: options.operations })
  setAuthor(typed, options.author)
  const findings = validate(typed, options.rules, options)
  for (const finding of findings) if (file !== undefined && finding.file === undefined) Object.assign(finding, { file })
  return result(typed, sourceOf(typed.graph, serializeGraph(graph, { stripInternal: false }), options), findings)
}

function result(typed: TypedGraph, source: PipelineSource, findings: readonly Fault[]): ReadPipelineResult {
  const refused = findings.some(({ severity }) => severity === 'error')
  return refused ? { findings } : { id: typed.graph.id, source, typed, findings }
}

function sourceOf(graph: DotGraph, dot: string, { transforms, transformed }: ReadingContext): PipelineSource {
  if (changesInCode(transforms)) return { dot: serializeGraph(graph, { stripInternal: false }), transformed: true }
  return transformed === true ? { dot, transformed } : { dot }
}

/** True if transforms in code apply: their result cannot be computed from the written text. */
function changesInCode({ registered = [], ofRun = [] }: CustomTransforms = {}): boolean {
  return registered.length + ofRun.length > 0
}

function inOrder(findings: readonly Fault[]): Fault[] {
  return findings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
}
