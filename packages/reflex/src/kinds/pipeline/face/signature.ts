import type { ProgramSignature } from '../../../programs/kind-view.ts'
import { textOf } from '../dot/graph.ts'
import type { TypedGraph } from '../model/typed.ts'

/** Returns the signature of a pipeline. It declares no inputs: each value becomes a key of its context. Its purpose is its goal or label. */
export function pipelineSignature({ graph: { attributes } }: TypedGraph): ProgramSignature {
  const about = textOf(attributes, 'goal') ?? textOf(attributes, 'label')
  return { inputs: { type: 'object' }, output: { type: 'object' }, ...(about === undefined ? {} : { about }) }
}
