import { isObject, type Json, type JsonObject, type Kind } from '../../../kernel/index.ts'
import { authorOf } from '../model/program-author.ts'
import type { TypedGraph } from '../model/typed.ts'
import { programBounds } from '../contract/program-bounds.ts'
import { branchOf } from '../contract/branch.ts'
import type { Engine } from '../engine/engine.ts'
import { nodeOf } from '../contract/position.ts'
import { stepFrame } from '../engine/step.ts'
import { INTERNAL } from '../contract/engine-board.ts'

/** Settings of the kind. */
export interface PipelineKindOptions {
  /** Reads a stored source and compiles it. Pure; throws a `Fault`. */
  readonly load: (source: Json) => TypedGraph
  /** The programs that it names, as `kind:id`. */
  readonly calls?: (typed: TypedGraph) => readonly string[]
  readonly engine: Engine
  /** The facts that the host states for the permissions of pipelines. */
  readonly facts?: JsonObject
}

/**
 * The interpreter of pipelines (seed pipeline 3). Executing a node is a step, the requests of its handler are effects and
 * waits, branches are strands, and the context is the board.
 */
export function pipelineKind({ load, calls, engine, facts }: PipelineKindOptions): Kind<TypedGraph> {
  return {
    name: 'pipeline',
    rev: 2,
    // Labels, the limits of untrusted mutations, and budget checks before each call differ from revision 1.
    oldestRev: 2,
    cancels: true,
    limits: programBounds,
    needs: ({ capabilities }) => capabilities,
    ...(facts === undefined ? {} : { facts }),
    isClosing: (_, position) => isObject(position) && position['phase'] === 'close',
    compile: load,
    isUntrusted: (typed) => authorOf(typed) === 'untrusted',
    ...(calls === undefined ? {} : { calls }),
    // Entries of the board are labelled by the node alone.
    node: (_, position) => (typeof position === 'string' ? position : nodeOf(position)),
    step: (x, input) => stepFrame(x, engine, input),
    strand: (frame) => branchOf(frame)?.spec.id,
    isInternal: (key) => key.startsWith(INTERNAL),
  }
}
