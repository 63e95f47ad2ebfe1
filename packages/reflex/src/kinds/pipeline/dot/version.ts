import { type DotGraph, integerOf } from './graph.ts'

/** The attribute of the graph that counts how often the run has changed its own pipeline (reference pipeline 9). */
export const VERSION = '__mutation_version__'

/** Returns the version of a pipeline; 0 for an unchanged pipeline. */
export function versionOf({ attributes }: DotGraph): number {
  return integerOf(attributes, VERSION) ?? 0
}
