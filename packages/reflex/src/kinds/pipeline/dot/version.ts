import { type DotGraph, integerOf } from './graph.ts'

/** Counts how often a pipeline has been changed by its own run; an attribute of the graph (reference pipeline 9). */
export const VERSION = '__mutation_version__'

/** The version of a pipeline: 0 as it was written. */
export function versionOf({ attributes }: DotGraph): number {
  return integerOf(attributes, VERSION) ?? 0
}
