import { checkArguments, FUNCTION, optional, quoteAll, recordOf } from '../../../text/index.ts'
import { AGENT } from '../model/argument-forms.ts'
import type { TypedContext, TypedReader } from './define-agent.ts'
import type { TypesIn } from '../model/define-types.ts'
import type { WorkflowTypes } from '../../../programs/program-types.ts'
import { type DecisionCall, FREE_TRAITS, type RunnableAgent } from '../step/port.ts'
import { runFaults } from '../step/run-faults.ts'
import type { BlackboardWrite, Decision, DecisionContext, Question } from '../types/index.ts'

/** Values by board key, with the types that the board declares. */
export type TypedWrites<Types extends WorkflowTypes> = { readonly [Key in keyof Types['values']]?: Types['values'][Key] }

/** The context of a handler of one node. */
export interface HandlerContext<Types extends WorkflowTypes> {
  readonly board: TypedReader<Types>
  /** Takes an edge, named by its id or event, and writes. Without a name: takes the only open edge, or ends at a node without edges. */
  readonly take: (edge?: Types['edges'] | Types['events'], writes?: TypedWrites<Types>) => Decision
  /** Ends the workflow at a node without edges, and writes. */
  readonly done: (writes?: TypedWrites<Types>) => Decision
  /** Suspends, with a question if there is one. The answer is in `input` of the next call. */
  readonly wait: (reason: string, ask?: Question) => Decision
  /** The answer that resumed a suspended node. */
  readonly input: unknown
  readonly context: TypedContext<Types>
  /** The effect of this decision, with its idempotency key and its signal. */
  readonly call: DecisionCall | undefined
}

/** Decides at one node. If it returns nothing, the node takes its only open edge, or ends. */
export type NodeHandler<Types extends WorkflowTypes> = (context: HandlerContext<Types>) => Promise<Decision | void> | Decision | void

/** A handler for each node. */
export type NodeHandlers<Types extends WorkflowTypes> = { readonly [Id in Types['nodes']]: NodeHandler<Types> }

/**
 * Returns an agent with one function for each node, by node id: `createAgent<typeof refund>({ read: async ({ board, take }) =>
 * take('OK', { total: 84 }) })`. A missing handler is a compiler error. A node that calls needs a handler too: it decides when
 * its call has returned.
 * `fallback` decides at nodes without a handler, such as those of called workflows; without it they fail with `R2052`. An error
 * thrown by a handler fails its decision. On replay no handler is called, because decisions are recorded. On cancel the signal
 * of `call` is aborted.
 */
export function createAgent<Defined>(handlers: NodeHandlers<TypesIn<Defined>>, fallback?: RunnableAgent): RunnableAgent {
  checkArguments('createAgent', { handlers: [handlers, recordOf(FUNCTION)], others: [fallback, optional(AGENT)] })
  const handlersByNode = new Map(Object.entries(handlers as unknown as Readonly<Record<string, NodeHandler<WorkflowTypes>>>))
  return {
    async resolve(context, call) {
      const handler = handlersByNode.get(context.node.id)
      if (handler !== undefined) return (await handler(handlerContext(context, call))) ?? decideEdge(context)
      if (fallback !== undefined) return fallback.resolve(context, call)
      throw runFaults.make('R2052', `the agent has no handler for the node ${context.node.id}`, {
        path: `${context.workflow.id}/${context.node.id}`,
        fix: `add ${context.node.id} to the handlers of createAgent`,
      })
    },
    traits: (context, call) => (handlersByNode.has(context.node.id) ? FREE_TRAITS : (fallback?.traits?.(context, call) ?? FREE_TRAITS)),
  }
}

function handlerContext(context: DecisionContext, call: DecisionCall | undefined): HandlerContext<WorkflowTypes> {
  return {
    board: context.blackboard as TypedReader<WorkflowTypes>,
    take: (edge, writes) => decideEdge(context, edge, writes),
    done: (writes) => ({ type: 'complete', writes: listOf(writes) }),
    wait: (reason, ask) => ({ type: 'suspend', reason, ...(ask === undefined ? {} : { ask }) }),
    input: context.input,
    context: context as TypedContext<WorkflowTypes>,
    call,
  }
}

/**
 * Returns a decision for an edge named by its id, else by its event. The engine refuses a name that no open edge has, and lists
 * the open edges.
 */
function decideEdge({ node, workflow, validEdges }: DecisionContext, name?: string, writes?: object): Decision {
  const list = listOf(writes)
  if (name !== undefined) {
    const edge = validEdges.find(({ id }) => id === name) ?? validEdges.find(({ event }) => event === name)
    return { type: 'advance', edge: edge?.id ?? name, writes: list }
  }
  const [only, another] = validEdges
  if (only !== undefined && another === undefined) return { type: 'advance', edge: only.id, writes: list }
  if (!workflow.edges.some(({ from }) => from === node.id)) return { type: 'complete', writes: list }
  throw runFaults.make('R2052', `${node.id} has ${validEdges.length} open edges, and its handler names none`, {
    path: `${workflow.id}/${node.id}`,
    fix: only === undefined ? 'wait, or add an edge that is open here' : `take one of ${quoteAll(validEdges.map(({ event }) => event))}`,
  })
}

function listOf(writes: object = {}): BlackboardWrite[] {
  return Object.entries(writes).map(([key, value]: [string, unknown]) => ({ key, value }))
}
