import type { Json, JsonObject } from '../../kernel/index.ts'
import type { ReplyOutcome } from '../../kinds/skill/model/protocol.ts'
import type { ReplyCall } from '../../kinds/skill/protocol/native.ts'
import type { ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { Fields } from './loose.ts'

/** The interfaces of models that are wrapped (design skill 1). OpenAI has two. */
export const DIALECTS = ['openai-chat', 'openai-responses', 'anthropic', 'language-model', 'agents-model', 'chat-model'] as const
export type DialectName = (typeof DIALECTS)[number]

/** A part of a message without what differs from run to run: call ids are ordinals, and ids of messages are absent. */
export type CanonicalPart =
  | { readonly text: string }
  | { readonly call: string; readonly name: string; readonly arguments: Json }
  | { readonly result: string; readonly value: Json }
  | { readonly data: Json }

export interface CanonicalMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: readonly CanonicalPart[]
}

/** A call of a model as every dialect says it, from which its id and its record are made: no headers, signals, message ids. */
export interface CanonicalRequest {
  readonly system: string
  /** One for each message that the agent sends, in its order; a system message of the list is one of them. */
  readonly messages: readonly CanonicalMessage[]
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly parameters: Json }[]
  /** Model, temperature and whatever else the agent states. */
  readonly params: JsonObject
  /** The last message of a user that has text: it opened the turn. */
  readonly turn?: { readonly index: number; readonly text: string }
}

/** Tokens of a call. What the provider does not state is absent. */
export interface CanonicalUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedTokens?: number
}

export type ReplyPart = { readonly kind: 'text'; readonly text: string } | ({ readonly kind: 'call' } & ReplyCall)

/** The assistant's part of a response: its texts and calls in their order, and nothing else of it is read for blocks. */
export interface CanonicalReply {
  readonly parts: readonly ReplyPart[]
  readonly usage: CanonicalUsage
  /** The dialect's own word for the end of the reply. */
  readonly finish?: string
}

/** The hidden rounds before a reply, as data, and the text that the reply has without theirs. */
export interface Splice {
  readonly rounds: readonly HiddenRound[]
  readonly text: string
}

/** What is added to a request. All indices are those of the messages as the agent sends them. */
export interface Injection {
  /** Empty: none. */
  readonly guidance: string
  readonly tools: boolean
  /** A text part that is appended to the message of a user. */
  readonly bulletins: ReadonlyMap<number, string>
  readonly splices: ReadonlyMap<number, Splice>
}

/** A hidden round: what the model wrote, and the results that it gets. */
export interface HiddenRound {
  /** `history` of the outcome. */
  readonly assistant: string
  /** The calls of the protocol in the reply, with their results. */
  readonly calls: readonly (ReplyCall & { readonly result: string })[]
  /** The results of blocks of text, for a message of the user; empty if there are none. */
  readonly results: string
}

/** What the agent gets in place of a response. */
export interface Replacement {
  /** The visible text of all rounds. */
  readonly text: string
  /** The responses of all rounds in their order, the last one included, for the sum of their usage. */
  readonly rounds: readonly Fields[]
  /** The number of the agent's own calls that stay, from the first on. */
  readonly ownCalls: number
}

/** What a round of a stream came to, with the chunks for the agent that were held back. */
export interface RoundEnd {
  readonly chunks: readonly Fields[]
  readonly outcome: ReplyOutcome
  /** The texts and calls of the round as the model wrote them. */
  readonly parts: readonly ReplyPart[]
  /** The usage of the round as the model states it. */
  readonly usage: unknown
  /** The calls of the protocol in the round, for its results. */
  readonly calls: readonly ReplyCall[]
}

/** A stream that an agent reads while one or more hidden rounds take place: one beginning, one end, and the text of all rounds between. */
export interface DialectStream {
  /** The text of all rounds that the agent has, without what was said. */
  readonly visible: string
  /** Reads the round that has not begun yet, and later ones, with other options. */
  begin(options: ReplyOptions): void
  /** Takes a chunk of the model and returns the chunks for the agent. */
  push(chunk: Fields): readonly Fields[]
  /** Ends a round when the model's stream has ended. A further `push` begins the next one, whose text begins a line. */
  endRound(): RoundEnd
  /** Returns chunks for text that the agent gets and the model did not write. */
  say(text: string): readonly Fields[]
  /** Returns the chunks that end the stream, with the usage of all rounds. */
  close(): readonly Fields[]
}

/**
 * How one interface of models says requests, replies and streams. All functions are pure and total: what they do not know passes through, and
 * a request or response of another shape is read as empty. No argument is changed.
 */
export interface Dialect {
  readonly name: DialectName
  /** The messages as the agent sends them, for the ledgers. */
  messages(request: Fields): readonly Fields[]
  read(request: Fields): CanonicalRequest
  inject(request: Fields, injection: Injection): Fields
  reply(response: Fields): CanonicalReply
  /** Reads usage as the model states it. */
  usage(stated: unknown): CanonicalUsage
  write(response: Fields, replacement: Replacement): Fields
  stream(options?: ReplyOptions): DialectStream
  /** The messages of a hidden round. */
  hidden(round: HiddenRound): readonly Fields[]
  /** A request with further messages at its end. */
  result(request: Fields, messages: readonly Fields[]): Fields
}
