import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import type { SkillTool } from '../../../../src/kinds/skill/model/skill-tool.ts'
import type { SkillOptions } from '../../../../src/wrap/index.ts'
import { type Case, casesOf } from '../../../cases.ts'

/** By what it shows that an attack has succeeded. Everything that is stated must hold. */
export interface Sign {
  /** Words of a call that a tool got. */
  readonly called?: string
  /** So many calls have these words. */
  readonly times?: number
  /** No call has these words: what should have undone the attack did not run. */
  readonly notCalled?: string
  /** Words that the user reads. */
  readonly shown?: string
  /** Words that the model is told. */
  readonly sent?: string
  /** A file below the ground of the attack. */
  readonly file?: string
  /** At least so many requests to the model. */
  readonly rounds?: number
  /** The attack never ends. */
  readonly open?: true
  /** What became of the reader of an attacked text: `accepted`, `crashed`, `hangs`, `polluted`, `oversized`. */
  readonly outcome?: string
}

/** What a model replies: a text, a proposal of the skill, or a message with parts of its own. */
export type Reply =
  | string
  | { readonly propose: JsonObject; readonly as?: string; readonly why?: string }
  | { readonly message: JsonObject }

/** One turn of an agent under attack. The last reply is repeated as long as the model is asked. */
export interface AttackTurn {
  readonly user: string
  /** The result of a tool that stands in the conversation already. */
  readonly tool?: string
  readonly replies: readonly Reply[]
  /** The next turn begins while this one is in progress. */
  readonly stays?: true
}

/**
 * What a tool does with a call: it gives its name or `value`, throws, is busy for now, hangs, runs the command or writes the file that it is
 * told to. With a list, each call has its turn, and the last stays.
 */
export type Doing = { readonly does: 'gives' | 'fails' | 'busy' | 'hangs' | 'runs' | 'writes'; readonly value?: Json }

/** The facts of `attack.json`. */
export interface AttackFacts {
  readonly tries: string
  /** What is attacked. */
  readonly on: 'agent' | 'manifest' | 'rule' | 'pattern' | 'pieces' | 'bulletin' | 'transcript'
  readonly sign: Sign
  /** The name of what stops it, in `protections.ts`. Several, where one stands behind the other: it succeeds once all of them are gone. */
  readonly guard: string | readonly string[]
  /** Words of what somebody is told of the refusal; absent where nothing is refused, because the attack is only text. */
  readonly told?: string
  /** Values of the manifest that are replaced or removed, by JSON pointer. */
  readonly change?: { readonly set?: JsonObject; readonly remove?: readonly string[] }
  readonly turns?: readonly AttackTurn[]
  readonly host?: SkillOptions
  readonly tools?: Readonly<Record<string, { readonly facts?: Partial<SkillTool>; readonly does?: readonly Doing[] }>>
  /** Entries of the registry that are changed after the skill is active, by name. */
  readonly registry?: Readonly<Record<string, { readonly set: JsonObject }>>
  /** A text in parts, each so often: `MANIFEST` is that of the skill after its first brace. */
  readonly text?: readonly (readonly [part: string, times: number])[]
  /** The value of a slot with a pattern. */
  readonly value?: string
  /** The reply of a model as it arrives. */
  readonly pieces?: readonly string[]
}

/** A folder of `cases/attacks` about skills. */
export interface Attack extends AttackFacts {
  readonly name: string
  readonly it: Case
}

export function attacks(): Attack[] {
  return casesOf('attacks')
    .filter(({ name }) => name.startsWith('skill-'))
    .map((it) => ({ ...(it.json('attack.json') as AttackFacts), name: it.name, it }))
}

/** What came of an attack. */
export interface Came {
  /** The calls of tools: name and arguments. */
  readonly calls: readonly string[]
  readonly shown: string
  readonly sent: string
  /** Everything that anybody is told: faults, decisions, records. */
  readonly told: string
  readonly rounds: number
  readonly isOpen: boolean
  readonly outcome: string
  readonly hasFile: (name: string) => boolean
}

export const NOTHING: Came = { calls: [], shown: '', sent: '', told: '', rounds: 0, isOpen: false, outcome: '', hasFile: () => false }

/** Returns a value as words: a text as it is. */
export function wordsOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}

/** True if an attack has succeeded. */
export function shows({ called, times = 1, notCalled, shown, sent, file, rounds, open, outcome }: Sign, came: Came): boolean {
  return (
    (called === undefined || came.calls.filter((call) => call.includes(called)).length >= times) &&
    (notCalled === undefined || !came.calls.some((call) => call.includes(notCalled))) &&
    (shown === undefined || came.shown.includes(shown)) &&
    (sent === undefined || came.sent.includes(sent)) &&
    (file === undefined || came.hasFile(file)) &&
    (rounds === undefined || came.rounds >= rounds) &&
    (open === undefined || came.isOpen) &&
    (outcome === undefined || came.outcome === outcome)
  )
}
