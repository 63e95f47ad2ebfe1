import { integerOf } from '../dot/graph.ts'
import type { Limits } from '../contract/handler.ts'
import type { FrameStep } from './frame-step.ts'

/** Where nothing else is said (reference pipeline 3.11). */
export const DEFAULTS = {
  steps: 10_000,
  branchSteps: 100,
  visits: 1_000,
  jumps: 100,
  returns: 50,
  repeated: 5,
  restarts: 3,
  /** Pipelines inside each other, on a stack with programs of every kind. */
  depth: 8,
} as const

/**
 * The bound that a frame has reached before it enters its node, in the words of the reference; nothing if none. Steps
 * of branches and of called pipelines count. A number of steps that the operator gave ends in a question instead.
 */
export function overBounds(step: FrameStep): string | undefined {
  const { position, node, permissions, typed, branch, x } = step
  const { attributes } = typed.graph
  const inBranch = branch === undefined ? 0 : branchSteps(branch.steps, permissions.limits.branchSteps)
  if (inBranch > 0 && position.steps >= inBranch) return 'branch max_steps_exceeded'
  const stated = integerOf(attributes, 'max_steps') ?? 0
  if (stated > 0 && x.meter.program(x.frame).steps >= stated) return 'max_steps_exceeded'
  if (x.meter.run.steps >= mostSteps(permissions.limits)) return 'max_steps_exceeded'
  const most = lesser(integerOf(attributes, 'max_node_visits') ?? DEFAULTS.visits, permissions.limits.visits)
  const visits = step.engineBoard.outcome(node.id)?.v ?? 0
  return most > 0 && visits >= most ? `node_visit_limit: ${node.id} was entered ${visits} times` : undefined
}

/** Visits of one node that asks a model, at which a run is told that it may be in a loop; told again after as many more. */
const MANY_VISITS = 20
const ASKS_MODEL = 'arbor://orchestrator/execute/llm_query'

/** The warning about a node that asks a model again and again; nothing for other nodes and in between. */
export function manyVisits({ node, engineBoard }: Pick<FrameStep, 'node' | 'engineBoard'>): string | undefined {
  if (!node.capabilitiesRequired.includes(ASKS_MODEL)) return undefined
  const visits = (engineBoard.outcome(node.id)?.v ?? 0) + 1
  return visits % MANY_VISITS === 0
    ? `asks a model for the ${visits}th time: max_node_visits="${visits}" would end the run here`
    : undefined
}

/** Where the operator has a budget of steps, it takes the place of the bound that a run has by itself. */
function mostSteps({ maxSteps, steps }: Limits): number {
  return maxSteps ?? (steps === undefined ? DEFAULTS.steps : Number.POSITIVE_INFINITY)
}

/** The executions of nodes that a branch may have; 0 states no bound, and nobody's word leaves the default. */
function branchSteps(stated: number | undefined, given: number | undefined): number {
  return stated === undefined ? (given ?? DEFAULTS.branchSteps) : lesser(stated, given === 0 ? undefined : given)
}

/** The lower of what a program states and what the operator gave; 0 states no bound. */
function lesser(stated: number, given: number | undefined): number {
  return given === undefined ? stated : stated === 0 ? given : Math.min(stated, given)
}
