import { checkArguments } from '../../text/index.ts'
import { AGENT } from './argument-forms.ts'
import type { TypesIn } from './define-types.ts'
import type { WorkflowTypes } from '../../programs/program-types.ts'
import type { BlackboardReader, DecisionAgent, DecisionContext, DecisionReason, Edge, Node, Question } from './types.ts'

/** Reads the board of a workflow with the types that it declares. */
export interface TypedReader<Types extends WorkflowTypes> extends Omit<BlackboardReader, 'get' | 'has'> {
  get<Key extends keyof Types['values'] & string>(key: Key): Types['values'][Key] | undefined
  has(key: keyof Types['values'] & string): boolean
}

/** A write of a declared key, with a value that it can hold. */
export type TypedWrite<Types extends WorkflowTypes> = {
  readonly [Key in keyof Types['values'] & string]: { readonly key: Key; readonly value: Types['values'][Key] }
}[keyof Types['values'] & string]

/** The context of a decision in a workflow whose types are known. */
export interface TypedContext<Types extends WorkflowTypes> extends Omit<DecisionContext, 'blackboard' | 'node' | 'validEdges'> {
  readonly blackboard: TypedReader<Types>
  readonly node: Node & { readonly id: Types['nodes'] }
  readonly validEdges: (Edge & { readonly id: Types['edges']; readonly event: Types['events'] })[]
}

/** A decision in a workflow whose types are known. */
export type TypedDecision<Types extends WorkflowTypes> = DecisionReason &
  (
    | { readonly type: 'advance'; readonly edge: Types['edges']; readonly writes?: readonly TypedWrite<Types>[] }
    | { readonly type: 'suspend'; readonly reason: string; readonly writes?: readonly TypedWrite<Types>[]; readonly ask?: Question }
    | { readonly type: 'complete'; readonly writes?: readonly TypedWrite<Types>[] }
  )

/** An agent that decides in one workflow. */
export interface TypedAgent<Types extends WorkflowTypes> {
  resolve(context: TypedContext<Types>): Promise<TypedDecision<Types>>
}

/**
 * Gives an agent the types of the workflow that it decides in: `defineAgent<typeof refund>({ resolve })`. Board keys, their
 * values and edge ids are checked by the compiler; when the program runs, the agent is the one that was given.
 */
export function defineAgent<Defined>(agent: TypedAgent<TypesIn<Defined>>): DecisionAgent {
  checkArguments('defineAgent', { agent: [agent, AGENT] })
  return agent
}
