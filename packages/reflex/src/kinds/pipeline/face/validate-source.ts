import type { Fault } from '../../../kernel/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import type { DotGraph } from '../dot/graph.ts'
import type { LintRule } from '../check/finding.ts'
import { readGraph, readPipeline, type ReadPipelineOptions } from './read-pipeline.ts'
import { validate } from '../check/validate.ts'
import { checkArguments } from '../../../text/index.ts'
import { HOST_RULES, SOME_OPTIONS, SOURCE } from '../dot/argument-forms.ts'

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
