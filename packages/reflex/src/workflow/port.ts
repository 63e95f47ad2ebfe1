import type { Frame } from '../kernel/frame.ts'
import { isFault, toFault } from '../kernel/fault.ts'
import { copyJson, isObject, type Json } from '../kernel/json.ts'
import type { Call, Port, Traits } from '../kernel/port.ts'
import { Fault } from '../kernel/fault.ts'
import { ScopedBlackboardReader } from './blackboard.ts'
import { type CompiledNode, type CompiledWorkflow, nodeAt } from './compile.ts'
import { filterEdges } from './guards.ts'
import { guardFault } from './kind.ts'
import { runFaults } from './run-faults.ts'
import { frameScopes, workflowName, type WorkflowNames } from './scopes.ts'
import { stackOf } from './stack.ts'
import type { BlackboardReader, BlackboardWrite, Decision, DecisionAgent, DecisionContext, Edge, Node, StackFrame, Workflow } from './types.ts'

/** What an agent may use of the effect that its decision is. */
export interface DecisionCall {
  readonly signal: AbortSignal
  /** The same after a crash: an idempotency key for what the agent does outside. */
  readonly key: string
  readonly run: string
  part(delta: Json): void
}

/** An agent that says beforehand what its decision will need and whether it may be repeated after a crash. */
export interface RunnableAgent extends DecisionAgent {
  resolve(context: DecisionContext, call?: DecisionCall): Promise<Decision>
  traits?(context: DecisionContext, call: DecisionCall): Traits
}

/** How the port tells its host more than a record can hold. */
export interface DecisionPortOptions {
  /** The value that an agent or a guard threw, before it becomes a fault. */
  readonly thrown?: (call: Call, value: unknown) => void
}

/** A decision reads and repeats freely, unless its agent says otherwise. */
const FREE: Traits = { leaves: false, repeat: 'free' }

/** The port through which workflows ask an agent (seed workflow 2.10, 4.1). */
export function decisionPort(agent: RunnableAgent, options: DecisionPortOptions = {}): Port {
  const port: Port = {
    ...FREE,
    perform(call) {
      const context = new Context(call)
      // Guards are tried before anybody is asked (seed workflow 1.4, step 3).
      if (context.edges === undefined) throw context.failure(options)
      return agent.resolve(context, call)
    },
    accept: acceptDecision,
    reject(thrown, call) {
      if (!(isFault(thrown) && thrown.code === 'R2051')) options.thrown?.(call, thrown)
      return toFault(thrown, (message, cause) => runFaults.make('R2052', `the agent failed: ${message}`, { cause }))
    },
  }
  if (agent.traits === undefined) return port
  return { ...port, traits: (call) => agent.traits?.(new Context(call), call) ?? FREE }
}

/** What the agent sees. Its parts are made when they are looked at: most agents look at few. */
class Context implements DecisionContext {
  readonly #call: Call
  readonly #names: WorkflowNames
  readonly #compiled: CompiledNode
  readonly workflow: Workflow
  readonly node: Node
  #reader: BlackboardReader | undefined
  #edges: Edge[] | undefined
  #failed: { readonly edge: Edge; readonly error: unknown } | undefined

  constructor(call: Call) {
    const { workflow, nodes } = call.def as CompiledWorkflow
    const compiled = nodes.get(nodeAt(call.frame.position) ?? '')
    if (compiled === undefined) throw new TypeError(`no node ${nodeAt(call.frame.position)}`)
    this.#call = call
    this.#names = (frame) => workflowName(call.definition(frame.pin))
    this.#compiled = compiled
    this.workflow = workflow
    this.node = compiled.node
    this.#edges = compiled.open
  }

  get blackboard(): BlackboardReader {
    this.#reader ??= new ScopedBlackboardReader(frameScopes(this.#call.frame, this.#names))
    return this.#reader
  }

  get validEdges(): Edge[] {
    return this.edges ?? []
  }

  /** The open edges, or nothing if a guard failed. */
  get edges(): Edge[] | undefined {
    if (this.#edges === undefined && this.#failed === undefined) {
      const sorted = filterEdges(this.#compiled.edges, this.blackboard)
      if (sorted.ok) this.#edges = sorted.open
      else this.#failed = sorted
    }
    return this.#edges
  }

  get stack(): readonly StackFrame[] {
    return stackOf(this.#call.frame, this.#names)
  }

  get input(): unknown {
    const { args } = this.#call
    return isObject(args) ? args.input : undefined
  }

  failure(options: DecisionPortOptions): Fault {
    const { edge, error } = this.#failed ?? { edge: { id: '' }, error: undefined }
    options.thrown?.(this.#call, error)
    const data = guardFault({ def: this.#call.def as CompiledWorkflow }, this.#compiled, edge.id, error)
    return new Fault(data.code, data.message, data.verdict, data)
  }
}

/**
 * A decision as its record holds it: `[edge, writes?, reason?]` for an advance, else an object. Writes are flat
 * and copied. Throws `R2053` for what is no decision and `R2004` for a value that is not JSON.
 */
export function acceptDecision(raw: unknown, call: Call): Json {
  const decision = typeof raw === 'object' && raw !== null ? (raw as Partial<Decision>) : undefined
  switch (decision?.type) {
    case 'advance':
      return acceptAdvance(decision, call.frame)
    case 'complete':
      return Object.freeze({ complete: acceptWrites(decision.writes, call.frame), ...reasonOf(decision) })
    case 'suspend': {
      if (typeof decision.reason !== 'string') throw invalid(call.frame, 'a suspension without a reason')
      const ask = decision.ask === undefined ? {} : { ask: copyJson(withoutUndefined(decision.ask), `${place(call.frame)}.ask`) }
      const writes = decision.writes === undefined || decision.writes.length === 0 ? {} : { writes: acceptWrites(decision.writes, call.frame) }
      return Object.freeze({ suspend: decision.reason, ...writes, ...ask, ...reasonOf(decision) })
    }
    default:
      throw invalid(call.frame, decision === undefined ? `${raw === null ? 'null' : typeof raw}` : `the type ${JSON.stringify(decision.type)}`)
  }
}

function acceptAdvance(decision: Partial<Decision & { type: 'advance' }>, frame: Frame): Json {
  const { edge, writes } = decision
  if (typeof edge !== 'string') throw invalid(frame, 'an advance without an edge')
  const flat = writes === undefined || writes.length === 0 ? undefined : acceptWrites(writes, frame)
  if (decision.by !== undefined || decision.because !== undefined) return Object.freeze([edge, flat ?? 0, reasonOf(decision)])
  return flat === undefined ? [edge] : [edge, flat]
}

function acceptWrites(writes: unknown, frame: Frame): Json[] {
  if (writes === undefined) return []
  if (!Array.isArray(writes)) throw invalid(frame, 'writes that are not a list')
  const list = writes as readonly unknown[]
  // A list made to measure: one grown by push keeps room for seventeen.
  if (list.length === 1) return [keyOf(list[0], frame), valueOf(list[0], frame)]
  return list.flatMap((write) => [keyOf(write, frame), valueOf(write, frame)])
}

function keyOf(write: unknown, frame: Frame): string {
  const key = (write as Partial<BlackboardWrite> | null | undefined)?.key
  if (typeof key !== 'string' || key === '') throw invalid(frame, 'a write without a key')
  return key
}

function valueOf(write: unknown, frame: Frame): Json {
  const { key, value } = write as BlackboardWrite
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  return copyJson(value, `${place(frame)} wrote ${key}, which`)
}

function reasonOf({ by, because }: Partial<Decision>): { readonly [key: string]: string } {
  return { ...(typeof by === 'string' ? { by } : {}), ...(typeof because === 'string' ? { because } : {}) }
}

/** Optional fields may be given as undefined; a record leaves them out. */
function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined))
}

function place(frame: Frame): string {
  return nodeAt(frame.position) ?? 'node'
}

function invalid(frame: Frame, what: string): Error {
  return runFaults.make('R2053', `the agent answered ${what} at ${place(frame)}; that is no decision`, {
    path: place(frame),
    fix: "answer { type: 'advance', edge }, { type: 'suspend', reason } or { type: 'complete' }",
  })
}
