import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { SkillTool } from './skill-tool.ts'

/** A part of what a model has replied: text of the assistant, or a call of a tool. */
export type ReplyPart =
  | { readonly text: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly arguments: Json } }

/** What a model has replied, without anything of its provider. */
export interface ModelReply {
  readonly parts: readonly ReplyPart[]
  /** Tokens, and US dollars where the price is known. */
  readonly usage?: { readonly input?: number; readonly output?: number; readonly usd?: number }
  readonly model?: string
}

/** A round of one request that the agent does not see: what the model wrote, and what it was told. */
export interface HiddenRound {
  /** The text of the assistant up to its block. */
  readonly said: string
  /** The results, one for each call, or one for the block. */
  readonly told: readonly { readonly call?: string; readonly text: string }[]
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

/** What the code of an agent does through its proxies. Each is one input of the turn. */
export type TurnInput =
  | { readonly do: 'model'; readonly id: string; readonly request: RequestDelta; readonly userText?: string }
  | { readonly do: 'tool'; readonly id: string; readonly tool: string; readonly args: Json }
  /** Other code of the agent as an effect: its result is kept, and it is not run again. */
  | { readonly do: 'once'; readonly id: string; readonly name: string }
  | { readonly do: 'end'; readonly status: 'done' | 'failed'; readonly value?: Json }

/** What became of a call of the agent's code. It is on the board as `~r.ID`. */
export type CallResult =
  | { readonly ok: true; readonly value: Json }
  /** A reply as the agent gets it, and the rounds that it does not see. */
  | {
      readonly ok: true
      readonly reply: ModelReply
      readonly visible: string
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
  readonly goalLabels?: readonly string[]
}
