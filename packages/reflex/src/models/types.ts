import type { Json, JsonObject } from '../kernel/index.ts'

/** A call of a tool that a model asks for. `args` have been parsed; whether they fit the tool is the tool's to say. */
export interface ToolCall {
  /** The model's own name for this call; its result carries it. Unique within a reply. */
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** What the model wrote instead of a JSON object; `args` is empty then. */
  readonly invalid?: string | undefined
}

/** A tool that a model may call. */
export interface ToolOffer {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments. */
  readonly schema: JsonObject
}

/** Settings that only one provider knows, by its name: `{"openai": {"store": false}}`. They hold no keys: a record keeps them. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>

/** What a message or one of its parts says to providers beside its content. */
export interface ContentMarks {
  /** The provider keeps the prompt up to here in its cache, where it has one: as long as it usually does, or for an hour. */
  readonly cache?: true | '1h' | undefined
  readonly options?: ProviderOptions | undefined
}

/** Text of a message. */
export interface TextPart extends ContentMarks {
  readonly type: 'text'
  readonly text: string
}

/** A file of a message: an image, a PDF, a sound, a text. `filePart` makes one from bytes. */
export interface FilePart extends ContentMarks {
  readonly type: 'file'
  /** The bytes in base64. */
  readonly data: string
  /** The media type, such as `image/png`; found in the content if absent. */
  readonly media?: string | undefined
  readonly name?: string | undefined
  /** How many bytes it has. */
  readonly bytes?: number | undefined
  /** The SHA-256 of the bytes, in hex: bytes that have another one are refused. */
  readonly hash?: string | undefined
}

/** One part of what a user says. */
export type ContentPart = TextPart | FilePart

/**
 * One message of a conversation. System messages come first. Each result of a tool follows the assistant message that
 * asked for it, in the order of its calls.
 */
export type ModelMessage =
  | ({ readonly role: 'system'; readonly content: string } & ContentMarks)
  | ({
      readonly role: 'user'
      readonly content: string
      /** Parts that stand before the text: images, files, further texts. */
      readonly parts?: readonly ContentPart[] | undefined
    } & ContentMarks)
  | ({
      readonly role: 'assistant'
      readonly content?: string | undefined
      readonly calls?: readonly ToolCall[] | undefined
      /** `native` of the reply that this message repeats. */
      readonly native?: readonly Json[] | undefined
    } & ContentMarks)
  | ({
      readonly role: 'tool'
      readonly content?: undefined
      /** The id of the call. */
      readonly call: string
      readonly name: string
      readonly result: Json
      /** The tool failed; `result` says how. */
      readonly failed?: true | undefined
    } & ContentMarks)

/** How much a model should think before it answers; a model that cannot be told so ignores it, with a warning. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high'

/** What is asked of a model. Plain JSON: a request enters records, recordings and digests as it is. */
export interface ModelRequest {
  /** `provider:name`, or a name that the application gave. The configured default if absent. */
  readonly model?: string | undefined
  /** Asked in turn when the model fails for good or has no try left. The configured ones if absent. */
  readonly fallback?: readonly string[] | undefined
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ToolOffer[] | undefined
  /** `auto` if absent. */
  readonly choice?: 'auto' | 'none' | 'required' | { readonly tool: string } | undefined
  /** The answer is JSON that fits this JSON Schema, and comes back as `object`. */
  readonly output?: { readonly schema: JsonObject; readonly name?: string | undefined } | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  /** Tokens of the answer at most. */
  readonly maxTokens?: number | undefined
  /** True: an answer that is empty, or cut by the limit of tokens, counts. Otherwise it is the failure `R4019`. */
  readonly partial?: boolean | undefined
  readonly stop?: readonly string[] | undefined
  readonly seed?: number | undefined
  readonly effort?: Effort | undefined
  readonly options?: ProviderOptions | undefined
  /** The answer is wanted as it grows: as deltas through `part`. */
  readonly stream?: boolean | undefined
  /** Milliseconds for everything: all tries, waits, fallbacks and the repair. 120,000 if absent. */
  readonly timeout?: number | undefined
  /**
   * Milliseconds for one try; a try that takes longer is aborted, and the next model of `fallback` is asked, or the same one again
   * where there is none. `timeout` if absent.
   */
  readonly tryTimeout?: number | undefined
  /** Further tries of each model after a failure that may pass. 2 if absent. */
  readonly retries?: number | undefined
  /** What the call is for, such as `refund/decide`: for people, and for recordings written by hand. */
  readonly label?: string | undefined
}

/** Tokens. `cached` (read from a cache) and `cacheWrite` (written to one) are parts of `input`, `reasoning` is a part of `output`. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cached?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
}

/** Why a model stopped: it was done, the limit of tokens was reached, it calls tools, a filter stopped it. */
export type Finish = 'stop' | 'length' | 'tools' | 'filter' | 'other'

/** What one try brought: an adapter's answer. */
export interface ModelTry {
  readonly text: string
  readonly calls?: readonly ToolCall[] | undefined
  /** What the model says that it thought, where a provider shows it. */
  readonly reasoning?: string | undefined
  readonly finish: Finish
  /** Absent when the provider did not say: it is estimated then. */
  readonly usage?: Usage | undefined
  /**
   * The reply in the provider's own form, where a later request must repeat it (signed thoughts, ids of items). Goes
   * back with the assistant message; means nothing to anybody else.
   */
  readonly native?: readonly Json[] | undefined
  /** What of the request was ignored, in the provider's words. */
  readonly warnings?: readonly string[] | undefined
  /** Who wrote the reply when no model did, such as `hand` or `simulated`. */
  readonly by?: string | undefined
}

/** A model that was asked in vain before another try or another model answered. */
export interface FailedTry {
  readonly model: string
  readonly code: string
  readonly message: string
}

/** What came of a request. Plain JSON. */
export interface ModelReply extends Omit<ModelTry, 'usage'> {
  /** The model that answered, as it was asked for. */
  readonly model: string
  /** The answer, when `output` was asked for. Fits the schema. */
  readonly object?: Json | undefined
  /** The sum over all tries, estimated where a model did not say what it used. */
  readonly usage: Usage
  /** USD, over all tries that were billed. Absent: unpriced. */
  readonly cost?: number | undefined
  /** Some of the usage is an estimate: a model did not say what it used, or its try broke off before. */
  readonly estimated?: true | undefined
  /** How often a model was asked, over all models and the repair. */
  readonly tries: number
  readonly failures?: readonly FailedTry[] | undefined
}

/** Progress of an answer: pieces to append to what came before. At most ten come in a second. */
export interface ModelDelta {
  /** What came before is void, for another try begins: its number, the model that is asked, and why. */
  readonly restart?: { readonly try: number; readonly model: string; readonly because: string }
  readonly text?: string
  readonly reasoning?: string
  /** Calls that the model has begun. */
  readonly calls?: readonly { readonly id: string; readonly name: string }[]
}

/** What a model needs of the call that it serves; the call of a port has it. */
export interface ModelCall {
  /** Aborted when the result is no longer wanted: requests under way are broken off. */
  readonly signal: AbortSignal
  /** The same for the same call, also after a crash: waits between tries are drawn from it. */
  readonly key: string
  /** Receives progress: a `ModelDelta`. A delta that begins the answer again replaces what came before. */
  part(delta: Json, begins?: boolean): void
}

/**
 * An adapter: one model, one try. Throws Faults: verdict `retry` (with `data.retryAfter` in milliseconds where the
 * provider said so) for what may pass, `fail` for what will not. Rejects when the signal is aborted.
 */
export interface Model {
  readonly name: string
  /** False where no provider bills its replies. */
  readonly billed?: false
  generate(request: ModelRequest, call: ModelCall): Promise<ModelTry>
}

/** The models that are configured, behind one call. */
export interface Models {
  /** A model can be asked without being named. */
  readonly configured: boolean
  /** The model that a request goes to first; undefined when none is configured and the request names none. */
  name(request?: ModelRequest): string | undefined
  /** The price of the model that a request goes to first; undefined when it has none. Recorded and simulated replies cost 0. */
  price(request: ModelRequest): Price | undefined
  /** Names the models without a price that a request may go to, fallbacks included. */
  unpricedModels(request: ModelRequest): readonly string[]
  /**
   * Asks until a model has answered: tries again what may pass, after the wait that the provider asks for; then goes on
   * to the fallback models; checks structured output and has it repaired once. All within one deadline.
   *
   * Throws the fault of the last try, the earlier ones in its `data.failures`; where a model had answered, what it said in
   * `data.answer` and what was used in `data.used`. `R4001` when no model is configured.
   * Rejects with the reason of the signal when that is aborted, and breaks off what is under way. Called again after a
   * crash it asks anew: models keep nothing.
   */
  generate(request: ModelRequest, call: ModelCall): Promise<ModelReply>
}

/** USD for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Tokens read from a cache; as `input` if absent. */
  readonly cached?: number | undefined
  /** Tokens written to a cache; as `input` if absent. */
  readonly cacheWrite?: number | undefined
  /** Tokens of reasoning; as `output` if absent. */
  readonly reasoning?: number | undefined
}

/** Prices by the name of a model, such as `openai:gpt-5-mini`. */
export type Prices = Readonly<Record<string, Price>>
