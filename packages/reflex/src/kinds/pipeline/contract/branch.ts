import { type Frame, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { BranchSpec } from './handler.ts'
import type { Status } from './outcome.ts'

/** What a strand of a pipeline is told when it is spawned: its branch, and how the walk before it stood. */
export interface BranchArgs {
  readonly spec: BranchSpec
  readonly timeout?: number
  /** Executions of nodes at most, where the pipeline states a bound. */
  readonly steps?: number
  readonly lap?: number
  readonly last?: string
  readonly status?: Status
  readonly label?: string
  readonly reason?: string
  /** What is known of the values that it is given; nothing if they can be trusted. */
  readonly given?: Json
  /** Its place among the branches. */
  readonly index: number
}

const BRANCH = '#branch'

/** Arguments of a strand that walks a branch. */
export function branchArgs(args: BranchArgs): JsonObject {
  return { [BRANCH]: args as unknown as Json }
}

/**
 * The branch that a frame walks; nothing for a whole pipeline. Only a strand of the same program is one that reads what its
 * spawner had: what a caller passes, or whoever begins a program beside, cannot pretend to be.
 */
export function branchOf(frame: Frame): BranchArgs | undefined {
  const { link, args } = frame
  if (link?.role !== 'strand' || link.sees !== 'past' || link.caller.pin !== frame.pin || !isObject(args)) return undefined
  return args[BRANCH] as unknown as BranchArgs | undefined
}

/** The frame of the pipeline that a branch belongs to; the frame itself where it is none. */
export function pipelineFrame(frame: Frame): Frame {
  let found = frame
  while (branchOf(found) !== undefined && found.link !== undefined) found = found.link.caller
  return found
}

/** What a strand ends with. */
export interface BranchValue {
  readonly status: Status
  readonly steps: number
  readonly duration_ms: number
  readonly last_node?: string
  readonly notes?: string
  readonly failure_reason?: string
}
