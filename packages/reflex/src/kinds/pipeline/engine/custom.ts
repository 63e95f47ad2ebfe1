import { permissionsOf } from '../contract/permissions.ts'
import {
  type Fault,
  toFault,
  copyJson,
  isObject,
  type Json,
  type JsonObject,
  type Call,
  type Port,
  SIMULATED,
  type Traits,
  usageOfResult,
} from '../../../kernel/index.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import type { CustomHandler, Idempotency } from '../model/resolution.ts'
import type { AttributeValue, DotGraph } from '../dot/graph.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { type Outcome, outcomeProblem, readOutcome } from '../contract/outcome.ts'
import type { Position } from '../contract/position.ts'
import { isTransient } from '../contract/retry.ts'
import { contextReader } from '../contract/node-context.ts'
import { INTERNAL, EngineBoard } from '../contract/engine-board.ts'
import { folderAt } from '../contract/paths.ts'
import { ArtifactStore } from './artifact-store.ts'
import { lookUp } from '../language/look-up.ts'
import { renderText } from '../language/render.ts'
import { isPipeline } from '../model/program-author.ts'

/** A node as a handler of a host sees it. */
export interface NodeView {
  readonly id: string
  readonly type: string
  readonly label: string
  readonly prompt: string
  readonly attributes: Readonly<Record<string, AttributeValue>>
}

/** The context as a handler of a host sees it: a read-only copy (seed pipeline 7.2). */
export interface ContextView {
  get(key: string): Json | undefined
  get_string(key: string): string
  has(key: string): boolean
  snapshot(): JsonObject
}

/** The services for a handler of a host. */
export interface HandlerServices {
  /** Aborted when the node is stopped: its timeout has expired, or the run was cancelled. */
  readonly signal: AbortSignal
  /** A key that is the same when the execution is repeated after a crash: an idempotency key for outside effects. */
  readonly key: string
  readonly run: string
  readonly workdir: string
  /** The run's own folder. */
  readonly logs_root: string
  /** The artifacts that the run stored, and those that this node stores. */
  readonly artifacts: ArtifactStore
  /**
   * Shows progress to the observers of the run, at most ten times per second. Deltas between two times are joined: texts and lists, also
   * under the same key, continue one another, any other value replaces the one before. With `begins`, the delta replaces all earlier ones.
   */
  progress(delta: Json, begins?: boolean): void
}

/** The answer of a handler: an outcome in either spelling; nothing is a success without updates. */
export type HandlerAnswer = Partial<Outcome> | JsonObject | null | undefined

/**
 * A handler of a host (seed pipeline 4.3). It has `execute`, or the three phases `prepare`, `run` and `apply_result`,
 * which are called in this order and have precedence. If it throws, the node fails. A replay does not call it. After a
 * crash it is performed again as `idempotency` allows: a `side_effecting` handler only after a person has agreed.
 */
export interface PipelineHandler {
  execute?(node: NodeView, context: ContextView, graph: DotGraph, services: HandlerServices): HandlerAnswer | Promise<HandlerAnswer>
  prepare?(node: NodeView, context: ContextView, graph: DotGraph): unknown
  run?(prepared: unknown, services: HandlerServices): unknown
  apply_result?(result: unknown, node: NodeView, context: ContextView): HandlerAnswer | Promise<HandlerAnswer>
  idempotency?: Idempotency | (() => Idempotency)
  /** The capabilities that it needs besides being executed. */
  readonly capabilities?: readonly string[]
}

const NAME = /^[A-Za-z_][\w.-]{0,99}$/

/** The handlers of a host, by node type (seed pipeline 4.5, 12.5). */
export class HandlerRegistry {
  readonly #handlers = new Map<string, PipelineHandler>()

  /** Registers a handler for a type, and replaces an earlier one. Throws `R2205`. */
  register(type: string, handler: PipelineHandler): void {
    const phases = handler.prepare !== undefined && handler.run !== undefined && handler.apply_result !== undefined
    if (!NAME.test(type)) throw pipelineFaults.make('R2205', `${JSON.stringify(type)} cannot be the name of a type`)
    if (!phases && handler.execute === undefined)
      throw pipelineFaults.make('R2205', `the handler of ${type} has neither execute nor prepare, run and apply_result`)
    this.#handlers.set(type, handler)
  }

  /** Removes the handler of a type. Returns false if there was none. */
  unregister(type: string): boolean {
    return this.#handlers.delete(type)
  }

  /** Returns the capabilities of all handlers: a host that registers a handler has granted them. */
  needs(): readonly string[] {
    return [...this.#handlers].flatMap(([type, { capabilities }]) => capabilities ?? [`arbor://orchestrator/execute/custom/${type}`])
  }

  get(type: string): PipelineHandler | undefined {
    return this.#handlers.get(type)
  }

  get size(): number {
    return this.#handlers.size
  }

  /** Returns the facts that the compiler needs, as they are now. */
  facts(): ReadonlyMap<string, CustomHandler> {
    const entries = [...this.#handlers].map(([type, handler]): [string, CustomHandler] => [
      type,
      { idempotency: idempotencyOf(handler), ...(handler.capabilities === undefined ? {} : { capabilities: handler.capabilities }) },
    ])
    return new Map(entries)
  }
}

/** The default handlers of `run` and `runFile` (seed pipeline 4.5). */
export const Registry: HandlerRegistry = new HandlerRegistry()

function idempotencyOf({ idempotency }: PipelineHandler): Idempotency {
  return (typeof idempotency === 'function' ? idempotency() : idempotency) ?? 'side_effecting'
}

const TRAITS: Readonly<Record<Idempotency, Traits>> = {
  idempotent: { leaves: false, repeat: 'free' },
  read_only: { leaves: false, repeat: 'free' },
  idempotent_with_key: { leaves: true, repeat: 'keyed' },
  side_effecting: { leaves: true, repeat: 'ask' },
}

/** Returns the port `handler`: `{handler, node}`; its result is an outcome. */
export function handlerPort(registry: HandlerRegistry): Port {
  const handlerOf = ({ args }: Call): PipelineHandler => {
    const name = isObject(args) && typeof args['handler'] === 'string' ? args['handler'] : ''
    const handler = registry.get(name)
    if (handler === undefined) throw pipelineFaults.make('R2207', `no handler is registered for ${JSON.stringify(name)}`)
    return handler
  }
  return {
    leaves: true,
    repeat: 'ask',
    traits: (call) => TRAITS[idempotencyOf(handlerOf(call))],
    // A handler that only reads is called.
    simulate: (call) => {
      const handler = handlerOf(call)
      return TRAITS[idempotencyOf(handler)].leaves ? { answer: SIMULATED, artifacts: {} } : execute(handler, call)
    },
    perform: (call) => execute(handlerOf(call), call),
    used: usageOfResult,
    accept: (raw, { args }) =>
      copyJson(outcomeWithArtifacts(raw as HandlerResult, isObject(args) ? renderText(args['handler']) : ''), 'outcome of a handler'),
    reject: (thrown) =>
      toFault(thrown, (message, cause): Fault => {
        const fault = pipelineFaults.make('R2208', message, { cause })
        return isTransient(message) ? pipelineFaults.make('R2208', message, { cause, verdict: 'retry' }) : fault
      }),
  }
}

/** The answer of a handler, and the artifacts that it stored. */
interface HandlerResult {
  readonly answer: unknown
  readonly artifacts: JsonObject
}

function outcomeWithArtifacts({ answer, artifacts }: HandlerResult, name: string): Outcome {
  const outcome = outcomeOf(answer, name)
  return Object.keys(artifacts).length === 0 ? outcome : { ...outcome, artifacts }
}

async function execute(handler: PipelineHandler, call: Call): Promise<HandlerResult> {
  const typed = call.def as TypedGraph
  const node = viewOf(typed, isObject(call.args) ? renderText(call.args['node']) : '')
  const context = contextOf(call)
  const services = servicesOf(call, node.id)
  const answer = await answerOf(handler, { node, context, graph: typed.graph, services })
  return { answer, artifacts: services.artifacts.changes }
}

interface HandlerArguments {
  readonly node: NodeView
  readonly context: ContextView
  readonly graph: DotGraph
  readonly services: HandlerServices
}

async function answerOf(handler: PipelineHandler, { node, context, graph, services }: HandlerArguments): Promise<unknown> {
  if (handler.prepare === undefined || handler.run === undefined || handler.apply_result === undefined)
    return handler.execute?.(node, context, graph, services)
  const prepared = await handler.prepare(node, context, graph)
  return handler.apply_result(await handler.run(prepared, services), node, context)
}

function outcomeOf(raw: unknown, name: string): Outcome {
  if (raw === undefined || raw === null) return { status: 'success' }
  const problem = outcomeProblem(raw)
  const outcome = problem === undefined ? readOutcome(raw) : undefined
  if (outcome !== undefined) return outcome
  throw pipelineFaults.make('R2208', `the handler ${name} returned no valid outcome: ${problem ?? 'it cannot be read'}`)
}

/** Returns a node as hosts see it. */
export function viewOf(typed: TypedGraph, id: string): NodeView {
  const node: TypedNode | undefined = typed.nodes.get(id)
  const attributes = [...(node?.node.attributes ?? [])].map(([key, { value }]) => [key, value] as const)
  const all = Object.fromEntries(attributes)
  return Object.freeze({
    id,
    type: node?.rawType ?? '',
    label: renderText(all['label']) || id,
    prompt: renderText(all['prompt']),
    attributes: Object.freeze(all),
  })
}

/** Returns the current context of the frame that asked, with the keys of the engine (reference pipeline 6.1). */
export function contextOf(call: Call): ContextView {
  const { frame } = call
  const reader = call.reader()
  const stored = (key: string): Json | undefined => (key.startsWith(INTERNAL) ? undefined : reader.get(key))
  const position = isObject(frame.position) ? (frame.position as unknown as Position) : undefined
  const typed = call.definition(frame.pin)
  const engineBoard = EngineBoard.of(frame.kindReader(), position?.round)
  // Only a step knows how much of a budget is left.
  const budget = (): Json => 'normal'
  const known =
    position === undefined || frame.permissions === undefined || !isPipeline(typed)
      ? stored
      : contextReader({ typed, position, read: stored, engineBoard, permissions: permissionsOf(frame), budget })
  const read = (key: string): Json | undefined => (key === 'budget_status' ? stored(key) : known(key))
  const get = (key: string): Json | undefined => lookUp(read, key)
  return Object.freeze({
    get,
    get_string: (key: string) => renderText(get(key)),
    has: (key: string) => get(key) !== undefined,
    snapshot: () => Object.fromEntries(Object.entries(reader.snapshot()).filter(([key]) => !key.startsWith(INTERNAL))),
  })
}

function servicesOf(call: Call, node: string): HandlerServices {
  const reader = call.frame.kindReader()
  const permissions = permissionsOf(call.frame)
  const { position } = call.frame
  const folder = permissions.folder === '' ? '' : folderAt(permissions.folder, call.frame)
  const at = isObject(position) && typeof position['began'] === 'number' ? position['began'] : 0
  return {
    get signal() {
      return call.signal
    },
    key: call.key,
    run: call.run,
    workdir: permissions.workdir,
    logs_root: folder,
    artifacts: new ArtifactStore({ node, reader, folder, at }),
    progress: (delta, begins) => call.part(delta, begins),
  }
}
