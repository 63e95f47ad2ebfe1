import type { JsonObject } from '../../../kernel/journal/json.ts'
import type { Question } from '../../../people/question.ts'
import type { BlackboardEntry, BlackboardReader, BlackboardWrite } from './board.ts'
import type { Edge, Node, ReturnMapping, Workflow } from './definition.ts'

/** What a suspension asks a person or another program. */
export type { Question, QuestionOption } from '../../../people/question.ts'

/** Names one call of one workflow by another. */
export type InvocationId = string

/** A caller that waits for the workflow it called (seed workflow 2.9). */
export interface StackFrame {
  readonly workflowId: string
  /** The node that called, where the caller goes on. */
  readonly currentNodeId: string
  readonly returnMap: ReturnMapping[]
  readonly blackboard: BlackboardEntry[]
  /** The call that this frame itself belongs to; the root has none. */
  readonly invocationId?: InvocationId
}

/** What whoever decides gets to see (seed workflow 2.10). */
export interface DecisionContext {
  /** The program that was registered, frozen at every depth. */
  workflow: Workflow
  /** A node of the workflow, frozen with its spec. */
  node: Node
  blackboard: BlackboardReader
  /** The edges whose guards passed, before the decision writes anything. */
  validEdges: Edge[]
  /** The callers, the nearest first. */
  stack: ReadonlyArray<StackFrame>
  /** The answer that a suspended node is resumed with. */
  input?: unknown
}

/** Who decided and why, for those who ask later. Kept in the journal, without effect on the run. */
export interface DecisionReason {
  /** `rules`, `tool git.log`, `ana`; the agent as a whole where it says nothing. */
  by?: string
  because?: string
  /** What it was shown or read: `{ keys }` of the board, the messages to a model. JSON. */
  saw?: JsonObject
  /** What it took: the model, tokens, money, tries. JSON. */
  used?: JsonObject
}

/**
 * What was decided (seed workflow 2.10): take an open edge, wait, or end the workflow, which only a node
 * without outgoing edges may. Writes go to the board of the workflow that runs.
 */
export type Decision = DecisionReason &
  (
    | { type: 'advance'; edge: string; writes?: readonly BlackboardWrite[] }
    | { type: 'suspend'; reason: string; writes?: readonly BlackboardWrite[]; ask?: Question }
    | { type: 'complete'; writes?: readonly BlackboardWrite[] }
  )

/** Decides at each node that calls no workflow: a model, a person, rules, or a mixture (seed workflow 4.1). */
export interface DecisionAgent {
  resolve(context: DecisionContext): Promise<Decision>
}
