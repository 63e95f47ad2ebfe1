import type { Json } from '../../kernel/index.ts'

/** A call of a tool in a transcript. */
export interface TranscriptCall {
  readonly tool: string
  readonly args: Json
  /** Milliseconds since the epoch; undefined if the transcript has no times. */
  readonly at: number | undefined
  /** False if the transcript has no result of the call. */
  isAnswered: boolean
  result: Json
  /** 1: the call succeeded; 0: it failed; 2: unknown. */
  ok: 0 | 1 | 2
  /** Milliseconds from the call to its result; 0 if they are unknown. */
  ms: number
}

/** What one reply of a model took, as far as the transcript has it. */
export interface TranscriptUsage {
  readonly usd?: number
  readonly input?: number
  readonly output?: number
}

/** A canonical turn: what a user wrote, or what a model replied with the calls that it issued. */
export type TranscriptTurn =
  | { readonly type: 'user'; readonly text: string }
  | {
      readonly type: 'reply'
      readonly usage: TranscriptUsage
      readonly calls: TranscriptCall[]
      text: string
      /** Milliseconds since the epoch; undefined if the transcript has no times. */
      readonly at: number | undefined
      /** The transcript does not have the reply: its calls say that there was one. */
      readonly isInferred?: true
    }

/** One agent of a transcript: the main one, or one that it called. */
export interface TranscriptStrand {
  /** Empty for the main one. */
  readonly name: string
  readonly turns: readonly TranscriptTurn[]
}

/** A transcript of another agent in canonical turns, whatever its format. */
export interface Transcript {
  readonly strands: readonly TranscriptStrand[]
  /** Milliseconds since the epoch of its first entry, if it has times. */
  readonly started: number | undefined
  /** False if the transcript says that the session failed; undefined if it does not say how it ended. */
  readonly succeeded: boolean | undefined
}
