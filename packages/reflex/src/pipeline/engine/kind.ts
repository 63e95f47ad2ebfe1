import type { Json } from '../../kernel/json.ts'
import type { Kind } from '../../kernel/kind.ts'
import type { TypedGraph } from '../compile/typed.ts'
import { pictureOf } from '../picture.ts'
import { branchOf } from './branch.ts'
import { charterRequest } from './charter.ts'
import { cameTo } from './came.ts'
import { labelAt, openWays } from './open-ways.ts'
import type { Engine } from './parts.ts'
import { nodeOf } from './position.ts'
import { pipelineStory } from './story.ts'
import { stepWalk } from './step.ts'
import { OWN } from './tally.ts'

/** Settings of the kind. */
export interface PipelineKindOptions {
  /** Reads a stored source and prepares it. Pure; throws a `Fault`. */
  readonly load: (source: Json) => TypedGraph
  /** The programs that it names, as `kind:id`. */
  readonly refs?: (typed: TypedGraph) => readonly string[]
  readonly engine: Engine
}

/**
 * The interpreter of pipelines (seed pipeline 3): the execution of a node is a step, what its handler asks for are effects
 * and waits, branches are strands, and the context is the board.
 */
export function pipelineKind({ load, refs, engine }: PipelineKindOptions): Kind<TypedGraph> {
  return {
    name: 'pipeline',
    rev: 2,
    cancels: true,
    budgets: true,
    forks: charterRequest,
    compile: load,
    ...(refs === undefined ? {} : { refs }),
    graph: pictureOf,
    where: (_, position) => nodeOf(position),
    step: (x, input) => stepWalk(x, engine, input),
    strand: (frame) => branchOf(frame)?.spec.id,
    own: (key) => key.startsWith(OWN),
    tells: labelAt,
    came: cameTo,
    choices: openWays,
    story: pipelineStory,
  }
}
