import { checkArguments } from '../../../text/index.ts'
import { AGENT } from '../model/argument-forms.ts'
import type { TypesIn } from '../model/define-types.ts'
import type { WorkflowTypes } from '../../../programs/program-types.ts'
import type { BlackboardReader, DecisionAgent, DecisionContext, DecisionReason, Edge, Node, Question } from '../types/index.ts'

/** Reads the board of a workflow with its declared types. */
export interface TypedReader<Types extends WorkflowTypes> extends Omit<BlackboardReader, 'get' | 'has'> {
  get<Key extends keyof Types['values'] & string>(key: Key): Types['values'][Key] | undefined
  has(key: keyof Types['values'] & string): boolean
}

/** A write of a declared key, with a value of its type. */
export type TypedWrite<Types extends WorkflowTypes> = {
  readonly [Key in keyof Types['values'] & string]: { readonly key: Key; readonly value: Types['values'][Key] }
}[keyof Types['values'] & string]

/** The context of a decision in a workflow with known types. */
export interface TypedContext<Types extends WorkflowTypes> extends Omit<DecisionContext, 'blackboard' | 'node' | 'validEdges'> {
  readonly blackboard: TypedReader<Types>
  readonly node: Node & { readonly id: Types['nodes'] }
  readonly validEdges: (Edge & { readonly id: Types['edges']; readonly event: Types['events'] })[]
}

/** A decision in a workflow with known types. */
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
 * Gives an agent the types of the workflow in which it decides: `defineAgent<typeof refund>({ resolve })`. The compiler checks
 * board keys, their values and edge ids. At run time it returns the agent unchanged.
 */
export function defineAgent<Defined>(agent: TypedAgent<TypesIn<Defined>>): DecisionAgent {
  checkArguments('defineAgent', { agent: [agent, AGENT] })
  return agent
}
