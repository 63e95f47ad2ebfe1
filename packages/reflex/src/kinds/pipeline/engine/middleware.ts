import type { JsonObject } from '../../../kernel/journal/json.ts'
import type { NodeContext } from '../contract/handler.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { Usage } from '../../../kernel/journal/usage.ts'
import type { Label } from '../contract/label.ts'

/** One execution of a node in the hands of the chain (seed pipeline 5.1). */
export interface Token {
  readonly context: NodeContext
  /** Used up so far by this pipeline, the programs that it called and its branches included. */
  readonly used: Usage
  /** What is known of where a value of the context comes from; looked up as handlers look the value up. */
  label(key: string): Label
  /** What is known of the worst value of the context. */
  worstLabel(): Label
  /** The key under which the context keeps a value that is looked up so; nothing where there is none. */
  stored(key: string): string | undefined
  /** Says where a value of the context comes from. */
  mark(key: string, label: Label): void
  /** The labels of values that branches or a called program returned, or one label of all of them; absent if none did. */
  carriedLabel(keys?: readonly string[]): Label | undefined
  /** The reads of the execution beside the context so far: files, memories, the net. */
  touchedLabel(): Label
  /** What somebody has decided on a grant that is asked for, for this node; nothing if nobody has yet. */
  permitted(grant: string): boolean | undefined
  /** How often the run has used a grant that may not be used for ever. */
  uses(grant: string): number
  /** A remark for readers and events. */
  note(type: string, payload: JsonObject): void
}

/** The chain ends here: the node is not executed, or what it came to does not count. */
export interface Halt {
  readonly halt: string
  /** Instead of a failure with that reason. */
  readonly outcome?: Outcome
}

/**
 * A member of the chain around every execution. Functions of the token alone: they run inside a step, so they may not wait,
 * and read neither clock nor chance. One that throws halts the chain (reference pipeline 5.1).
 */
export interface Middleware {
  readonly name: string
  /** It is asynchronous: the handler of the node asks for these phases as effects. */
  readonly awaits?: { readonly before: boolean; readonly after: boolean }
  /** Before the first attempt. */
  before?(token: Token): Halt | undefined
  /** Before each further attempt. */
  again?(token: Token): Halt | undefined
  /** After the last; may give another outcome in place of the one that came. */
  after?(token: Token, outcome: Outcome): Halt | Outcome | undefined
}

/** What of a chain ran, and what came of it. */
export interface PassResult {
  /** How many members' `before` ran: their `after` runs too, also when one has halted. */
  readonly ran: number
  readonly halted?: Halt & { readonly by: string }
}

/** Runs `before` in order until one halts; `again`, where an attempt has failed and another one is due. */
export function passBefore(chain: readonly Middleware[], token: Token, phase: 'before' | 'again' = 'before'): PassResult {
  for (const [i, member] of chain.entries()) {
    const halted = guarded(member, () => member[phase]?.(token))
    if (halted !== undefined) return { ran: i + 1, halted: { ...halted, by: member.name } }
  }
  return { ran: chain.length }
}

/** Runs `after` of those whose `before` ran, in reverse. The outcome that counts, and who halted if one did. */
export function passAfter(
  chain: readonly Middleware[],
  ran: number,
  token: Token,
  outcome: Outcome,
): { readonly outcome: Outcome; readonly halted?: Halt & { readonly by: string } } {
  let current = outcome
  let stopped: (Halt & { readonly by: string }) | undefined
  for (const member of chain.slice(0, ran).reverse()) {
    const said = guarded(member, () => member.after?.(token, current))
    if (said === undefined) continue
    if ('halt' in said) {
      stopped ??= { ...said, by: member.name }
      current = haltOutcome(said)
    } else current = said
  }
  return { outcome: current, ...(stopped === undefined ? {} : { halted: stopped }) }
}

/** What a node comes to whose chain was halted: never tried again, whatever it says of retries. */
export function haltOutcome({ halt, outcome }: Halt): Outcome {
  return outcome ?? { status: 'fail', failure_reason: halt, retryable: false }
}

/** A member that throws fails closed. */
function guarded<Said>(member: Middleware, work: () => Said): Said | Halt {
  try {
    return work()
  } catch (thrown) {
    return { halt: `${member.name} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
}
