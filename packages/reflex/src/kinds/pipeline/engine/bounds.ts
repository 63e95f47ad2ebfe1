import { integerOf } from '../dot/graph.ts'
import type { Limits } from '../contract/handler.ts'
import type { FrameStep } from './frame-step.ts'

/** The default limits (reference pipeline 3.11). */
export const DEFAULTS = {
  steps: 10_000,
  branchSteps: 100,
  visits: 1_000,
  jumps: 100,
  returns: 50,
  repeated: 5,
  restarts: 3,
  /** The limit of nested pipelines, on a stack with programs of every kind. */
  depth: 8,
} as const

/**
 * Returns the limit that a frame has reached before it enters its node, in the words of the reference; undefined if
 * none. Steps of branches and of called pipelines count. A step limit of the operator ends in a question instead.
 */
export function overBounds(step: FrameStep): string | undefined {
  const { position, node, permissions, typed, branch, x, meterBefore } = step
  const { attributes } = typed.graph
  const inBranch = branch === undefined ? 0 : branchSteps(branch.steps, permissions.limits.branchSteps)
  if (inBranch > 0 && position.steps >= inBranch) return 'branch max_steps_exceeded'
  const stated = integerOf(attributes, 'max_steps') ?? 0
  if (stated > 0 && meterBefore.program(x.frame).steps >= stated) return 'max_steps_exceeded'
  if (meterBefore.run.steps >= mostSteps(permissions.limits)) return 'max_steps_exceeded'
  const most = lesser(integerOf(attributes, 'max_node_visits') ?? DEFAULTS.visits, permissions.limits.visits)
  const visits = step.engineBoard.outcome(node.id)?.v ?? 0
  return most > 0 && visits >= most ? `node_visit_limit: ${node.id} was entered ${visits} times` : undefined
}

/**
 * The number of visits of a node with a model after which a run is warned of a possible loop; the warning repeats after
 * as many more.
 */
const MANY_VISITS = 20
const ASKS_MODEL = 'arbor://orchestrator/execute/llm_query'

/** Returns the warning about a node that calls a model again and again; undefined for other nodes and other visits. */
export function manyVisits({ node, engineBoard }: Pick<FrameStep, 'node' | 'engineBoard'>): string | undefined {
  if (!node.capabilitiesRequired.includes(ASKS_MODEL)) return undefined
  const visits = (engineBoard.outcome(node.id)?.v ?? 0) + 1
  return visits % MANY_VISITS === 0
    ? `asks a model for the ${visits}th time: max_node_visits="${visits}" would end the run here`
    : undefined
}

/** Returns the step limit of a run. A step budget of the operator replaces the default limit. */
function mostSteps({ maxSteps, steps }: Limits): number {
  return maxSteps ?? (steps === undefined ? DEFAULTS.steps : Number.POSITIVE_INFINITY)
}

/** Returns the limit of node executions in a branch; 0 means no limit. Without any statement the default counts. */
function branchSteps(stated: number | undefined, given: number | undefined): number {
  return stated === undefined ? (given ?? DEFAULTS.branchSteps) : lesser(stated, given === 0 ? undefined : given)
}

/** Returns the lower of the program's limit and the operator's; 0 means no limit. */
function lesser(stated: number, given: number | undefined): number {
  return given === undefined ? stated : stated === 0 ? given : Math.min(stated, given)
}
