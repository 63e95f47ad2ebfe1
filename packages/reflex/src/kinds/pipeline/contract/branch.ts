import { type Frame, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { BranchSpec } from './handler.ts'
import type { Status } from './outcome.ts'

/** The arguments of a branch strand: its branch, and the state of the pipeline before it. */
export interface BranchArgs {
  readonly spec: BranchSpec
  readonly timeout?: number
  /** The largest number of executed nodes, if the pipeline states one. */
  readonly steps?: number
  readonly round?: number
  readonly last?: string
  readonly status?: Status
  readonly label?: string
  readonly reason?: string
  /** The label of the given values. Absent if they are trusted. */
  readonly given?: Json
  /** Its index among the branches. */
  readonly index: number
}

const BRANCH = '#branch'

/** Returns the arguments of a strand that runs a branch. */
export function branchArgs(args: BranchArgs): JsonObject {
  return { [BRANCH]: args as unknown as Json }
}

/**
 * Returns the branch that a frame runs; undefined for a whole pipeline. Only a strand of the same program that sees the past of
 * its spawner is a branch, so a caller of a program cannot fake one.
 */
export function branchOf(frame: Frame): BranchArgs | undefined {
  const { link, args } = frame
  if (link?.role !== 'strand' || link.sees !== 'past' || link.caller.pin !== frame.pin || !isObject(args)) return undefined
  return args[BRANCH] as unknown as BranchArgs | undefined
}

/** Returns the frame of the pipeline that a branch belongs to, or the frame itself if it is not a branch. */
export function pipelineFrame(frame: Frame): Frame {
  let found = frame
  while (branchOf(found) !== undefined && found.link !== undefined) found = found.link.caller
  return found
}

/** The result of a branch strand. */
export interface BranchValue {
  readonly status: Status
  readonly steps: number
  readonly duration_ms: number
  readonly last_node?: string
  readonly notes?: string
  readonly failure_reason?: string
}
