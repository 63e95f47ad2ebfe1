import type { JsonObject } from '../../../kernel/index.ts'
import type { Question } from '../../../people/index.ts'
import type { BlackboardEntry, BlackboardReader, BlackboardWrite } from './board.ts'
import type { Edge, Node, ReturnMapping, Workflow } from './definition.ts'

/** A question of a suspended node to a person or another program. */
export type { Question, QuestionOption } from '../../../people/index.ts'

/** The name of one call of a workflow by another. */
export type InvocationId = string

/** A caller that waits for the workflow it called (seed workflow 2.9). */
export interface StackFrame {
  readonly workflowId: string
  /** The node that called. The caller continues there. */
  readonly currentNodeId: string
  readonly returnMap: ReturnMapping[]
  readonly blackboard: BlackboardEntry[]
  /** The call that created this frame; the root has none. */
  readonly invocationId?: InvocationId
}

/** The facts that an agent gets for a decision (seed workflow 2.10). */
export interface DecisionContext {
  /** The registered program, frozen at every depth. */
  workflow: Workflow
  /** A node of the workflow, frozen with its spec. */
  node: Node
  blackboard: BlackboardReader
  /** The edges whose guards passed, before the decision writes anything. */
  validEdges: Edge[]
  /** The callers, nearest first. */
  stack: ReadonlyArray<StackFrame>
  /** The answer that resumed a suspended node. */
  input?: unknown
}

/** The author and the reason of a decision, for later explanation. They are kept in the journal and have no effect on the run. */
export interface DecisionReason {
  /** `rules`, `tool git.log`, `ana`. Absent: the agent as a whole. */
  by?: string
  because?: string
  /** The inputs of the decision as JSON: `{ keys }` of the board, the messages to a model. */
  saw?: JsonObject
  /** The usage of the decision as JSON: the model, tokens, money, tries. */
  used?: JsonObject
}

/**
 * A decision (seed workflow 2.10): take an open edge, suspend, or end the workflow, which only a node without outgoing edges may
 * do. Writes go to the board of the running workflow.
 */
export type Decision = DecisionReason &
  (
    | { type: 'advance'; edge: string; writes?: readonly BlackboardWrite[] }
    | { type: 'suspend'; reason: string; writes?: readonly BlackboardWrite[]; ask?: Question }
    | { type: 'complete'; writes?: readonly BlackboardWrite[] }
  )

/**
 * Decides at each node that calls no workflow: a model, a person, rules, or a mixture (seed workflow 4.1). On replay it is not
 * called, because decisions are recorded.
 */
export interface DecisionAgent {
  resolve(context: DecisionContext): Promise<Decision>
}
