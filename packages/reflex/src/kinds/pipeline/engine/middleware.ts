import { type JsonObject, type Usage, thrownMessage } from '../../../kernel/index.ts'
import type { NodeContext } from '../contract/handler.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { Label } from '../../../policy/label.ts'

/** One execution of a node, as the chain sees it (seed pipeline 5.1). */
export interface Token {
  readonly context: NodeContext
  /** The usage of this pipeline so far, with the programs that it called and its branches. */
  readonly used: Usage
  /** Returns the label of a value of the context; the key is resolved as handlers resolve it. */
  label(key: string): Label
  /** Returns the worst label of the context. */
  worstLabel(): Label
  /** Returns the key under which the context stores a value that is looked up by `key`; undefined if there is none. */
  stored(key: string): string | undefined
  /** Sets the label of a value of the context. */
  mark(key: string, label: Label): void
  /**
   * Returns the label of values that branches or a called program returned, or one label of all of them; undefined if
   * none did.
   */
  carriedLabel(keys?: readonly string[]): Label | undefined
  /** Returns the label of the execution's reads beside the context so far: files, memories, the network. */
  touchedLabel(): Label
  /** Adds a remark for readers and events. */
  note(type: string, payload: JsonObject): void
}

/** The end of the chain: the node is not executed, or its outcome does not count. */
export interface Halt {
  readonly halt: string
  /** The outcome that replaces a failure with that reason. */
  readonly outcome?: Outcome
}

/**
 * A member of the chain around every execution. Its functions depend on the token alone: they run inside a step, so
 * they must not wait, and must not use a clock or randomness. If one throws, the chain halts (reference pipeline 5.1).
 */
export interface Middleware {
  readonly name: string
  /** The phases of an asynchronous member: the handler of the node requests them as effects. */
  readonly awaits?: { readonly before: boolean; readonly after: boolean }
  /** Runs before the first attempt. */
  before?(token: Token): Halt | undefined
  /** Runs before each further attempt. */
  again?(token: Token): Halt | undefined
  /** Runs after the last attempt; may replace the outcome. */
  after?(token: Token, outcome: Outcome): Halt | Outcome | undefined
}

/** The result of a pass through a chain. */
export interface PassResult {
  /** The number of members whose `before` ran: their `after` runs too, also if one has halted. */
  readonly ran: number
  readonly halted?: Halt & { readonly by: string }
}

/** Runs `before` in order until one halts; with `again`, the phase before a further attempt. */
export function passBefore(chain: readonly Middleware[], token: Token, phase: 'before' | 'again' = 'before'): PassResult {
  let ran = 0
  for (const member of chain) {
    ran++
    const halted = runPhase(member, phase, token)
    if (halted !== undefined) return { ran, halted: { ...halted, by: member.name } }
  }
  return { ran }
}

/**
 * Runs `after` of the members whose `before` ran, in reverse. Returns the final outcome, and the member that halted, if
 * any.
 */
export function passAfter(
  chain: readonly Middleware[],
  ran: number,
  token: Token,
  outcome: Outcome,
): { readonly outcome: Outcome; readonly halted?: Halt & { readonly by: string } } {
  let current = outcome
  let stopped: (Halt & { readonly by: string }) | undefined
  for (let i = ran - 1; i >= 0; i--) {
    const member = chain[i]
    const said = member === undefined ? undefined : runAfter(member, token, current)
    if (member === undefined || said === undefined) continue
    if ('halt' in said) {
      stopped ??= { ...said, by: member.name }
      current = haltOutcome(said)
    } else current = said
  }
  return { outcome: current, ...(stopped === undefined ? {} : { halted: stopped }) }
}

/** Returns the outcome of a node whose chain was halted. It is never retried, whatever the node says about retries. */
export function haltOutcome({ halt, outcome }: Halt): Outcome {
  return outcome ?? { status: 'fail', failure_reason: halt, retryable: false }
}

function runPhase(member: Middleware, phase: 'before' | 'again', token: Token): Halt | undefined {
  try {
    return member[phase]?.(token)
  } catch (thrown) {
    return haltOf(member, thrown)
  }
}

function runAfter(member: Middleware, token: Token, outcome: Outcome): Halt | Outcome | undefined {
  try {
    return member.after?.(token, outcome)
  } catch (thrown) {
    return haltOf(member, thrown)
  }
}

/** Returns a halt for a member that throws: it fails closed. */
function haltOf({ name }: Middleware, thrown: unknown): Halt {
  return { halt: `${name} failed: ${thrownMessage(thrown)}` }
}
