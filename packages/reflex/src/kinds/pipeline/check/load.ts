import { isObject, type Json } from '../../../kernel/index.ts'
import type { OperationTable } from '../model/operation-table.ts'
import type { TypedGraph } from '../model/typed.ts'
import { dotFaults } from '../dot/faults.ts'
import { readPipeline } from './read.ts'

/**
 * Loads a stored pipeline, ready to run: `{dot, author?, transformed?}`. Stored texts were checked before, so only a text from
 * a context can have errors: throws the first error.
 */
export function loadPipeline(source: Json, operations: OperationTable): TypedGraph {
  const { dot, author, transformed } = isObject(source) ? source : {}
  if (typeof dot !== 'string') throw dotFaults.make('R1100', 'a stored pipeline has its text under "dot"')
  const lowered = author === 'untrusted'
  const options = {
    operations,
    transformed: transformed === true,
    ...(lowered ? { author: 'untrusted' as const } : {}),
  }
  const { typed, findings } = readPipeline(dot, undefined, options)
  if (typed === undefined)
    throw findings.find(({ severity }) => severity === 'error') ?? dotFaults.make('R1100', 'the pipeline cannot be read')
  return typed
}
