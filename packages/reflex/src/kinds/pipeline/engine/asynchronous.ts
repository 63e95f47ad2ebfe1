import { isObject, type Json, type Call, type Port, thrownMessage } from '../../../kernel/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import { type ContextView, contextOf, type NodeView, viewOf } from './custom.ts'
import { perform } from '../contract/asks.ts'
import type { Answer, Ask, Handler, NodeContext } from '../contract/handler.ts'
import { type Outcome, readOutcome } from '../contract/outcome.ts'
import { renderText } from '../language/render.ts'
import { mayRetry, retryPolicy } from '../contract/retry.ts'
import { type Halt, haltOutcome, type Middleware } from './middleware.ts'

/** The facts of a call of asynchronous middleware, besides node and context. */
export interface MiddlewareCall {
  readonly run: string
  /** A key that is the same when the call is repeated after a crash. */
  readonly key: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** Aborted when the node is stopped. */
  readonly signal: AbortSignal
}

type MiddlewareAnswer<Value> = Value | undefined | Promise<Value | undefined>

/**
 * Middleware of a host that may wait. It is an effect of the node: its answer is recorded, a replay does not call it,
 * and after a crash it is called again under the same key. Before the node it runs after all other members, and behind
 * the node before them. If it throws, the chain halts.
 */
export interface AsyncMiddleware {
  readonly name: string
  readonly asynchronous: true
  /** Runs before the first attempt. */
  before?(node: NodeView, context: ContextView, call: MiddlewareCall): MiddlewareAnswer<Halt>
  /** Runs before each further attempt. */
  again?(node: NodeView, context: ContextView, call: MiddlewareCall): MiddlewareAnswer<Halt>
  /** Runs after the last attempt; may replace the outcome. */
  after?(node: NodeView, context: ContextView, outcome: Outcome, call: MiddlewareCall): MiddlewareAnswer<Halt | Outcome>
}

/** A synchronous or asynchronous member. */
export type HostMiddleware = Middleware | AsyncMiddleware

/** Returns a member as the chain uses it: the name, and the phases that the handler of the node requests as effects. */
export function chainMember(member: HostMiddleware): Middleware {
  if (!isAsynchronous(member)) return member
  const { name } = member
  return { name, awaits: { before: member.before !== undefined || member.again !== undefined, after: member.after !== undefined } }
}

function isAsynchronous(member: HostMiddleware): member is AsyncMiddleware {
  return 'asynchronous' in member
}

/** Returns a handler with the asynchronous members of its chain around it; `membersOf` returns them alone. */
export function withAsynchronous(handler: Handler, membersOf: (scene: NodeContext) => readonly Middleware[]): Handler {
  return (scene) => {
    const members = membersOf(scene)
    return members.length === 0 ? handler(scene) : runAround(scene, handler, members)
  }
}

function* runAround(scene: NodeContext, handler: Handler, members: readonly Middleware[]): Generator<Ask, Outcome, Answer> {
  const { node, attempt, typed } = scene
  let ran = 0
  let outcome: Outcome | undefined
  // Each attempt asks the same questions in the same order, so that an attempt that continues with the answers of the
  // last one has these answers too.
  for (const { name, awaits } of members) {
    ran++
    if (awaits?.before !== true) continue
    outcome = halted(scene, name, yield* ask(scene, name, attempt === 1 ? 'before' : 'again'))
    if (outcome !== undefined) break
  }
  if (outcome === undefined) {
    const begun = handler(scene)
    outcome = 'next' in begun ? yield* begun : begun
    if (mayRetry(outcome) && attempt < retryPolicy(node, typed.graph.attributes).attempts) return outcome
  }
  for (const { name, awaits } of members.slice(0, ran).reverse()) {
    if (awaits?.after !== true) continue
    const { context_updates, turn: _turn, artifacts: _artifacts, ...told } = outcome
    const payload = { ...told, ...(context_updates === undefined ? {} : { context_updates }) } as unknown as Json
    const said = yield* ask(scene, name, 'after', payload)
    outcome = halted(scene, name, said) ?? (isObject(said) ? { ...outcome, ...readOutcome(said) } : outcome)
  }
  return outcome
}

function* ask(scene: NodeContext, name: string, phase: string, outcome?: Json): Generator<Ask, Json, Answer> {
  const args = { name, node: scene.node.id, phase, attempt: scene.attempt, ...(outcome === undefined ? {} : { outcome }) }
  const settled = yield* perform('middleware', args)
  return settled.error === undefined ? settled.ok : { halt: `${name} failed: ${settled.error.message}` }
}

function halted(scene: NodeContext, name: string, said: Json): Outcome | undefined {
  if (!isObject(said) || typeof said['halt'] !== 'string') return undefined
  scene.note('middleware_halted', { node_id: scene.node.id, middleware: name, reason: said['halt'] })
  const own = readOutcome(said['outcome'])
  return { ...haltOutcome({ halt: said['halt'], ...(own === undefined ? {} : { outcome: own }) }), halted: true }
}

/** Returns the port `middleware`: the asynchronous members, by name. */
export function middlewarePort(all: readonly HostMiddleware[]): Port {
  const members = new Map(all.filter(isAsynchronous).map((member) => [member.name, member]))
  return {
    leaves: true,
    repeat: 'keyed',
    // It is code of the host, which a simulated run does not call.
    simulate: () => null,
    async perform(call): Promise<Json> {
      const { name = '', phase, node = '', attempt = 1, outcome } = isObject(call.args) ? call.args : {}
      const member = members.get(renderText(name))
      if (member === undefined) return { halt: `there is no middleware ${JSON.stringify(name)}` }
      const seen = [viewOf(call.def as TypedGraph, renderText(node)), contextOf(call)] as const
      const about = callOf(call, Number(attempt))
      try {
        if (phase === 'after') return answerOf(await member.after?.(...seen, outcome as unknown as Outcome, about))
        return answerOf(await member[phase === 'again' ? 'again' : 'before']?.(...seen, about))
      } catch (thrown) {
        if (call.signal.aborted) throw thrown
        return { halt: `${member.name} failed: ${thrownMessage(thrown)}` }
      }
    },
  }
}

function callOf(call: Call, attempt: number): MiddlewareCall {
  return {
    run: call.run,
    key: call.key,
    attempt,
    get signal() {
      return call.signal
    },
  }
}

/**
 * Returns an answer as it is recorded: a halt, an outcome, or null. Anything else throws, and therefore halts the
 * chain.
 */
function answerOf(said: unknown): Json {
  if (said === undefined || said === null) return null
  if (isObject(said) && typeof said['halt'] === 'string') {
    const own = readOutcome(said['outcome'])
    return { halt: said['halt'], ...(own === undefined ? {} : { outcome: own as unknown as Json }) }
  }
  const outcome = readOutcome(said)
  if (outcome === undefined) throw new TypeError('it answered with neither a halt nor an outcome')
  return outcome as unknown as Json
}
