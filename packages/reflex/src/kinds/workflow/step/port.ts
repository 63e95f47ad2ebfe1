import {
  type EffectAnswer,
  type Fault,
  isFault,
  toFault,
  copyJson,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Leave,
  type Call,
  type Port,
  type Traits,
  type RunFacts,
  usageOfResult,
} from '../../../kernel/index.ts'
import { shortJson } from '../../../text/index.ts'
import { questionProblem } from '../../../people/index.ts'
import { ScopedBlackboardReader } from './blackboard.ts'
import { type CompiledNode, type CompiledWorkflow, nodeAt } from '../model/compile.ts'
import { EngineError } from './engine-error.ts'
import { filterEdges } from '../guards/guards.ts'
import { type Preparation, type PreparationRound, preparationRounds } from './preparation.ts'
import { guardFault, runFaults } from './run-faults.ts'
import { callerScopes, frameScope, workflowName, type WorkflowNames } from './scopes.ts'
import { stackOf } from './stack.ts'
import type {
  BlackboardReader,
  BlackboardWrite,
  Decision,
  DecisionAgent,
  DecisionContext,
  DecisionReason,
  Edge,
  Node,
  StackFrame,
  Workflow,
} from '../types/index.ts'

/** The call of an agent: the facts of the effect that its decision is. */
export interface DecisionCall {
  /** Aborted when the decision is abandoned. A later answer of the agent is ignored. */
  readonly signal: AbortSignal
  /** The idempotency key for effects of the agent outside. It is the same after a crash. */
  readonly key: string
  readonly run: string
  /** The settings of the run: for an engine that a program drives by itself, no more than the facts that the kernel reads. */
  readonly settings: RunFacts
  /** True if the text of the workflow, or of a program that called it, is untrusted. */
  readonly untrusted: boolean
  /** The results of tools and files that this decision has so far; absent where nothing performs such calls. */
  readonly prepared?: readonly PreparationRound[] | undefined
  /** The answers to questions that this decision has asked so far; absent where nothing records them. */
  readonly answers?: readonly EffectAnswer[] | undefined
  /** True if a person has allowed a grant for this node, or its use is counted for this execution of the node. */
  isPermitted(grant: string): boolean
  /** Shows progress to those who watch the run. */
  part(delta: Json, begins?: boolean): void
  /** Takes room for what is used from now on; see `Call.enter` of the kernel. Absent or undefined: nothing is limited. */
  enter?(use: string, signal?: AbortSignal): Promise<Leave> | undefined
}

/** An agent that uses its call, and that declares beforehand what its decision needs and how it may be repeated after a crash. */
export interface RunnableAgent extends DecisionAgent {
  resolve(context: DecisionContext, call?: DecisionCall): Promise<Decision>
  /** Decides, or asks for calls of tools first: their results are in the next call. Without it, `resolve` is used. */
  prepare?(context: DecisionContext, call: DecisionCall): Promise<Decision | Preparation>
  traits?(context: DecisionContext, call: DecisionCall): Traits
}

/** Options of the port of decisions. */
export interface DecisionPortOptions {
  /** Gets the value that an agent or a guard threw, before it becomes a fault. */
  readonly onThrown?: (call: Call, value: unknown) => void
  /** True if the host has a port `tool`, so that an agent may prepare a decision. */
  readonly canPrepare?: boolean
}

/** The default traits of a decision: it has no effect outside and may be repeated freely. */
export const FREE_TRAITS: Traits = { leaves: false, repeat: 'free' }

/** Returns the port through which workflows ask an agent (seed workflow 2.10, 4.1). Throws `EngineError` for an agent without `resolve`. */
export function decisionPort(agent: RunnableAgent, options: DecisionPortOptions = {}): Port {
  if (typeof (agent as RunnableAgent | undefined)?.resolve !== 'function') {
    throw new EngineError('an engine needs an agent', { fix: 'pass an object with resolve(context)' })
  }
  const port: Port = {
    ...FREE_TRAITS,
    // The agent chooses by the settings of the run.
    simulate: 'perform',
    perform(call) {
      const context = new CallContext(call)
      // Guards are evaluated before the agent is asked (seed workflow 1.4, step 3).
      if (context.openEdges === undefined) throw context.guardFailure(options)
      return options.canPrepare === true && agent.prepare !== undefined
        ? agent.prepare(context, decisionCall(call))
        : agent.resolve(context, call)
    },
    accept: acceptDecision,
    // Most decisions state nothing: a list of two parts has no reason.
    used: (decision) => (isList(decision) ? (decision.length < 3 ? undefined : usageOfResult(decision[2])) : usageOfResult(decision)),
    reject(thrown, call) {
      if (!(isFault(thrown) && thrown.code === 'R2051')) options.onThrown?.(call, thrown)
      return toFault(thrown, (message, cause) => runFaults.make('R2052', `the agent failed: ${message}`, { cause }))
    },
  }
  if (agent.traits === undefined) return port
  const toDecisionCall = (call: Call): DecisionCall => (options.canPrepare === true ? decisionCall(call) : call)
  return { ...port, traits: (call) => agent.traits?.(new CallContext(call), toDecisionCall(call)) ?? FREE_TRAITS }
}

function decisionCall(call: Call): DecisionCall {
  return {
    run: call.run,
    key: call.key,
    settings: call.settings,
    get untrusted() {
      return call.untrusted
    },
    get signal() {
      return call.signal
    },
    prepared: preparationRounds(call.frame, call.args),
    answers: call.answers,
    isPermitted: (grant) => call.isPermitted(grant),
    part: (delta, begins) => call.part(delta, begins),
    enter: (use, signal) => call.enter(use, signal),
  }
}

/** The context of a decision. Its parts are created when they are read, because most agents read few of them. */
class CallContext implements DecisionContext {
  readonly #call: Call
  readonly #compiled: CompiledNode
  readonly workflow: Workflow
  readonly node: Node
  #reader: BlackboardReader | undefined
  #openEdges: Edge[] | undefined
  #failedGuard: { readonly edge: Edge; readonly error: unknown } | undefined

  constructor(call: Call) {
    const { workflow, nodes } = call.def as CompiledWorkflow
    const compiled = nodes.get(nodeAt(call.frame.position) ?? '')
    if (compiled === undefined) throw new TypeError(`no node ${nodeAt(call.frame.position)}`)
    this.#call = call
    this.#compiled = compiled
    this.workflow = workflow
    this.node = compiled.node
    this.#openEdges = compiled.unguardedEdges
  }

  get blackboard(): BlackboardReader {
    const { frame, id } = this.#call
    // The reader is live for the own scope. Scopes of callers do not change while the frame runs; they are read as of the record
    // that requested the decision.
    this.#reader ??= new ScopedBlackboardReader([
      frameScope(frame, this.#names),
      ...callerScopes(frame, this.#names, Number.parseInt(String(id), 10)),
    ])
    return this.#reader
  }

  get #names(): WorkflowNames {
    return (frame) => workflowName(this.#call.definition(frame.pin))
  }

  get validEdges(): Edge[] {
    return this.openEdges ?? []
  }

  /** The open edges; undefined if a guard failed. */
  get openEdges(): Edge[] | undefined {
    if (this.#openEdges === undefined && this.#failedGuard === undefined) {
      const sorted = filterEdges(this.#compiled.edges, this.blackboard)
      if (sorted.ok) this.#openEdges = sorted.open
      else this.#failedGuard = sorted
    }
    return this.#openEdges
  }

  get stack(): readonly StackFrame[] {
    return stackOf(this.#call.frame, this.#names, this.#call.run)
  }

  get input(): unknown {
    const { args } = this.#call
    return isObject(args) ? args.input : undefined
  }

  /** Returns the failed guard as the fault that suspends the run. */
  guardFailure(options: DecisionPortOptions): Fault {
    const { edge, error } = this.#failedGuard ?? { edge: { id: '' }, error: undefined }
    options.onThrown?.(this.#call, error)
    return guardFault(`${this.workflow.id}/${this.node.id}`, edge.id, error)
  }
}

/**
 * Returns a decision in the form of its record: `[edge, writes?, reason?]` for an advance, else an object. Writes are a flat
 * list of copies. Throws `R2053` for a value that is not a decision and `R2004` for a value that is not JSON.
 */
export function acceptDecision(raw: unknown, call: Call): Json {
  if (isPreparation(raw)) return acceptPreparation(raw, call)
  const decision = typeof raw === 'object' && raw !== null ? (raw as Partial<Decision>) : undefined
  switch (decision?.type) {
    case 'advance':
      return acceptAdvance(decision, call)
    case 'complete':
      return Object.freeze({ complete: acceptWrites(decision.writes, call), ...reasonOf(decision, call) })
    case 'suspend': {
      if (typeof decision.reason !== 'string') throw invalidDecision(call, 'a suspension without a reason')
      const ask = decision.ask === undefined ? {} : { ask: acceptQuestion(decision.ask, call) }
      const writes = decision.writes === undefined || decision.writes.length === 0 ? {} : { writes: acceptWrites(decision.writes, call) }
      return Object.freeze({ suspend: decision.reason, ...writes, ...ask, ...reasonOf(decision, call) })
    }
    default:
      throw invalidDecision(call, decision === undefined ? shortJson(raw) : `the type ${shortJson(decision.type)}`)
  }
}

function isPreparation(raw: unknown): raw is Preparation {
  return typeof raw === 'object' && raw !== null && 'type' in raw && raw.type === 'prepare' && 'calls' in raw && Array.isArray(raw.calls)
}

function acceptPreparation(preparation: Preparation, call: Call): Json {
  const { calls, kept } = preparation
  const where = `${placeOf(call)}.prepare`
  return Object.freeze({ prepare: copyJson(calls, where), kept: copyJson(kept, where), ...reasonOf(preparation, call) })
}

/** Returns a question that people can answer. A question that cannot be shown or answered is refused here, before it reaches an inbox. */
function acceptQuestion(raw: unknown, call: Call): Json {
  const ask = copyJson(raw, `${placeOf(call)}.ask`)
  const problem = questionProblem(ask)
  if (problem !== undefined) throw invalidDecision(call, `a question that cannot be asked (${problem})`)
  return ask
}

function acceptAdvance(decision: Partial<Decision & { type: 'advance' }>, call: Call): Json {
  const { edge, writes } = decision
  if (typeof edge !== 'string') throw invalidDecision(call, 'an advance without an edge')
  const flat = writes === undefined || writes.length === 0 ? undefined : acceptWrites(writes, call)
  const reason = reasonOf(decision, call)
  return reason !== undefined ? Object.freeze([edge, flat ?? 0, reason]) : flat === undefined ? [edge] : [edge, flat]
}

function acceptWrites(writes: unknown, call: Call): Json[] {
  if (writes === undefined) return []
  if (!Array.isArray(writes)) throw invalidDecision(call, 'writes that are not a list')
  const list = writes as readonly unknown[]
  // A list literal has the exact size; a list that grows by push reserves room for seventeen items.
  if (list.length === 1) return [keyOf(list[0], call), valueOf(list[0], call)]
  return list.flatMap((write) => [keyOf(write, call), valueOf(write, call)])
}

function keyOf(write: unknown, call: Call): string {
  const key = (write as Partial<BlackboardWrite> | null | undefined)?.key
  if (typeof key !== 'string') throw invalidDecision(call, 'a write without a key')
  return key
}

function valueOf(write: unknown, call: Call): Json {
  const { key, value } = write as BlackboardWrite
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  return copyJson(value, `${placeOf(call)}.${key}`)
}

/** Returns the author, reason, inputs and usage of a decision; undefined if it has none of them. */
function reasonOf({ by, because, saw, used }: Partial<DecisionReason>, call: Call): JsonObject | undefined {
  if (by === undefined && because === undefined && saw === undefined && used === undefined) return undefined
  return {
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof because === 'string' ? { because } : {}),
    ...(saw === undefined ? {} : { saw: copyJson(saw, `${placeOf(call)}.saw`) }),
    ...(used === undefined ? {} : { used: copyJson(used, `${placeOf(call)}.used`) }),
  }
}

function placeOf({ def, frame }: Call): string {
  return `${workflowName(def)}/${nodeAt(frame.position) ?? ''}`
}

function invalidDecision(call: Call, what: string): Error {
  return runFaults.make('R2053', `the agent answered ${what} at ${placeOf(call)}; that is not a decision`, {
    path: placeOf(call),
    fix: "answer { type: 'advance', edge }, { type: 'suspend', reason } or { type: 'complete' }",
  })
}
