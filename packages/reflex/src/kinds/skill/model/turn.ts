import type { Json, JsonObject, Ref } from '../../../kernel/index.ts'
import type { SkillTool } from './skill-tool.ts'

/** A part of what a model has replied: text of the assistant, or a call of a tool. */
export type ReplyPart =
  | { readonly text: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly arguments: Json } }

/** What a model has replied, without anything of its provider. */
export interface ModelReply {
  readonly parts: readonly ReplyPart[]
  /** The JSON of the response as its provider gives it, or of its chunks: a resumed agent gets it again. */
  readonly raw?: Json
  /** True if the agent stopped reading: nothing in the reply is decided. */
  readonly isCut?: true
  /** Tokens, and US dollars where the price is known. */
  readonly usage?: { readonly input?: number; readonly output?: number; readonly usd?: number }
  readonly model?: string
}

/** A call of a tool of the protocol, with its result. */
export interface AnsweredCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
  readonly result: string
}

/** A round of one request that the agent does not see: what the model wrote, and the results that it gets. */
export interface HiddenRound {
  /** The text of the assistant up to its block. */
  readonly assistant: string
  readonly calls: readonly AnsweredCall[]
  /** The results of blocks of text; empty if there are none. */
  readonly results: string
}

/** A request as the record has it: what it adds to an earlier one of the turn (design skill 1). */
export interface RequestDelta {
  /** The id of the earlier request; absent for a whole one. */
  readonly base?: string
  /** The number of messages that both have in common, from the first. */
  readonly keep: number
  readonly add: readonly Json[]
  readonly params?: JsonObject
}

/** What a tool of a nested agent says of itself: the program of the turn does not have it. */
export type ToolFacts = Pick<SkillTool, 'sideEffects' | 'idempotent'>

/**
 * What the code of an agent does through its proxies. Each is one input of the turn. `diverged`: a person decides whether the call is made,
 * because the record has another one; this is the fault of a call that is refused.
 */
export type TurnInput =
  | { readonly do: 'model'; readonly id: string; readonly request: RequestDelta; readonly userText?: string }
  | {
      readonly do: 'tool'
      readonly id: string
      readonly tool: string
      readonly args: Json
      readonly facts?: ToolFacts
      readonly diverged?: JsonObject
    }
  /** Another agent, whose calls follow while this one is in flight. */
  | { readonly do: 'agent'; readonly id: string; readonly name: string; readonly args: Json }
  /** Other code of the agent as an effect: its result is kept, and it is not run again. */
  | { readonly do: 'once'; readonly id: string; readonly name: string; readonly diverged?: JsonObject }
  | { readonly do: 'end'; readonly status: 'done' | 'failed'; readonly value?: Json }
  /** Something to know about the turn, such as a divergence after a crash. */
  | { readonly do: 'note'; readonly note: JsonObject }

/** What became of a call of the agent's code. It is on the board as `~r.ID`. */
export type CallResult =
  | { readonly ok: true; readonly value: Json }
  /** What the agent gets of a reply, and the rounds that it does not see. */
  | {
      readonly ok: true
      /** The last reply, without its response. */
      readonly reply: Omit<ModelReply, 'raw'>
      /** The effect that gave it: the record that settled the effect has the response. */
      readonly effect: Ref
      /** The visible text of the last round. */
      readonly visible: string
      /** The visible text of all rounds. */
      readonly text: string
      /** The number of the agent's own calls that stay, from the first on. */
      readonly ownCalls: number
      readonly hidden: readonly HiddenRound[]
      readonly usage: NonNullable<ModelReply['usage']>
    }
  | { readonly ok: false; readonly fault: JsonObject }

/** The program of a turn: which agent is wrapped, and how. */
export interface TurnSource {
  readonly agent: string
  readonly tools: readonly SkillTool[]
  /** At most five. */
  readonly cards: number
  readonly carrier: 'text' | 'tool' | 'both'
  /** The most hidden rounds of one request. */
  readonly rounds: number
}

/** The arguments with which a turn begins. */
export interface TurnArgs {
  readonly input?: Json
  readonly conversation?: string
  /** The values of the blackboard by path, and where each comes from. */
  readonly seed?: Readonly<Record<string, { readonly value: Json; readonly from: string }>>
  /** Values of earlier sources that a later one has replaced, in their order. */
  readonly replaced?: readonly { readonly path: string; readonly value: Json; readonly from: string; readonly by: string }[]
  readonly goalLabels?: readonly string[]
}
