import type { JsonObject } from '../../../kernel/index.ts'
import type { ExecutionStatus } from './plan-result.ts'

/** The way of a proposal: a block in the text of a reply, or a call of a constant tool (reference skill 1.12, 1.13). */
export type Carrier = 'text' | 'tool'

/** A well-formed request of the model to use a skill. Nothing but a proposal starts a skill. */
export interface Proposal {
  readonly carrier: Carrier
  /** As the model wrote it: `id` or `id@version`. */
  readonly skill_ref: string
  readonly id: string
  readonly version?: string
  readonly inputs: JsonObject
  /** At most 280 characters. It is for the log alone. */
  readonly why?: string
  /** The tool calls that get the result; empty for a block of text. Identical proposals of one reply have one result. */
  readonly callIds: readonly string[]
}

export interface ClarifyQuestion {
  readonly slot?: string
  readonly question: string
}

/** A request of the model for information from the user. */
export interface Clarification {
  readonly carrier: Carrier
  readonly skill_ref?: string
  readonly questions: readonly ClarifyQuestion[]
  readonly callIds: readonly string[]
}

/** The reasons for which a block is not decided. */
export const REJECTIONS = ['malformed', 'fenced', 'too_many', 'clarify_pending'] as const
export type RejectionReason = (typeof REJECTIONS)[number]

/** A block that is not decided, with what the model has to know to write a better one. */
export interface Rejection {
  readonly reason: RejectionReason
  /** The code of the catalogue. */
  readonly code: string
  /** At most twelve words. */
  readonly detail: string
  readonly skill_ref?: string
  readonly callIds: readonly string[]
}

/** A remark for the log about what was ignored, removed or shortened. */
export interface ProtocolNote {
  readonly kind: 'asp.forged' | 'asp.tail_dropped' | 'asp.ignored' | 'asp.unknown_keys' | 'asp.why_cut' | 'asp.calls_first'
  /** What it is about: a tag, a place, names of keys, a number of characters. */
  readonly detail: string
}

/** Everything that one reply of the model means for skills. The same for every way in which its text arrives in pieces. */
export interface ReplyOutcome {
  /** The text for the user and for the agent. */
  readonly visible: string
  /** The text for the model's own history: ends after the first executable block, and has no forged block. */
  readonly history: string
  /** The proposals to decide, in their order. */
  readonly proposals: readonly Proposal[]
  readonly clarification?: Clarification
  readonly rejections: readonly Rejection[]
  readonly notes: readonly ProtocolNote[]
  /** True if the reply has a malformed block. Two such replies disable the protocol for the rest of the turn. */
  readonly malformed: boolean
  /** The number of calls of the agent's own tools that stay in the reply. */
  readonly ownCalls: number
}

/** A result for the model, before it is written (reference skill 1.12). */
export interface SkillResultMessage {
  /** Absent where a block does not say which skill it means. */
  readonly skill_id?: string
  readonly status: ExecutionStatus | 'rejected'
  readonly outputs?: JsonObject
  readonly reason?: string
  readonly detail?: string
  readonly missing?: readonly ClarifyQuestion[]
  /** The path under `work.` that holds all outputs. */
  readonly ref?: string
  /** The path under `work.` of an output; where it is absent, it is the name of the output below `ref`. */
  readonly paths?: Readonly<Record<string, string>>
}

/** A message as it is sent to the model. */
export interface FormattedResult {
  readonly text: string
  readonly tokens: number
  /** What was shortened to stay within the limit, in this order; empty if nothing was. */
  readonly shortened: readonly ('references' | 'outputs' | 'questions' | 'detail' | 'ref')[]
}
