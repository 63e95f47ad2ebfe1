import type { Json, JsonObject, Leave } from '../kernel/index.ts'

/** A tool call that a model requests. `args` have been parsed; the tool checks whether they fit. */
export interface ToolCall {
  /** The model's id for this call; its result repeats it. Unique within a reply. */
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** The text that the model wrote instead of a JSON object; `args` is empty then. */
  readonly invalid?: string | undefined
}

/** A tool that a model may call. */
export interface ToolOffer {
  readonly name: string
  readonly description?: string | undefined
  /** The JSON Schema of the arguments. */
  readonly schema: JsonObject
}

/**
 * The settings for single providers, by name of the provider: `{"openai": {"store": false}}`. They must contain no
 * keys: records keep them.
 */
export type ProviderOptions = Readonly<Record<string, JsonObject>>

/** The settings of a message or a part for providers, besides its content. */
export interface ContentMarks {
  /**
   * Marks the end of the prompt that the provider caches, if it has a cache: for the provider's default time, or for an
   * hour.
   */
  readonly cache?: true | '1h' | undefined
  readonly options?: ProviderOptions | undefined
}

/** A text of a message. */
export interface TextPart extends ContentMarks {
  readonly type: 'text'
  readonly text: string
}

/** A file of a message: an image, a PDF, a sound or a text. `filePart` creates one from bytes. */
export interface FilePart extends ContentMarks {
  readonly type: 'file'
  /** The bytes in base64. */
  readonly data: string
  /** The media type, such as `image/png`; detected from the content if absent. */
  readonly media?: string | undefined
  readonly name?: string | undefined
  /** The number of bytes. */
  readonly bytes?: number | undefined
  /** The SHA-256 of the bytes, in hex; content with another hash is refused. */
  readonly hash?: string | undefined
}

/** One part of a user message. */
export type ContentPart = TextPart | FilePart

/**
 * One message of a conversation. System messages come first. Each tool result follows the assistant message that called
 * the tool, in the order of its calls.
 */
export type ModelMessage =
  | ({ readonly role: 'system'; readonly content: string } & ContentMarks)
  | ({
      readonly role: 'user'
      readonly content: string
      /** The parts before the text: images, files, further texts. */
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
      /** True if the tool failed; `result` describes the failure. */
      readonly failed?: true | undefined
    } & ContentMarks)

/** The amount of thinking before an answer; a model without this setting ignores it with a warning. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high'

/** A request to a model. Plain JSON: it is stored unchanged in records, recordings and digests. */
export interface ModelRequest {
  /** `provider:name`, or a name that the application defined. Default: the configured model. */
  readonly model?: string | undefined
  /** The models that are asked in turn when the model fails finally or has no retries left. Default: the configured ones. */
  readonly fallback?: readonly string[] | undefined
  readonly messages: readonly ModelMessage[]
  readonly tools?: readonly ToolOffer[] | undefined
  /** Default: `auto`. */
  readonly choice?: 'auto' | 'none' | 'required' | { readonly tool: string } | undefined
  /** The JSON Schema of a structured answer, which is returned as `object`. */
  readonly output?: { readonly schema: JsonObject; readonly name?: string | undefined } | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  /** The most tokens of the answer. */
  readonly maxTokens?: number | undefined
  /** True to accept an answer that is empty or cut by the token limit. Otherwise it is the failure `R4019`. */
  readonly partial?: boolean | undefined
  readonly stop?: readonly string[] | undefined
  readonly seed?: number | undefined
  readonly effort?: Effort | undefined
  readonly options?: ProviderOptions | undefined
  /** True to receive the answer while it grows, as deltas through `part`. */
  readonly stream?: boolean | undefined
  /** The time limit in milliseconds for all tries, waits, fallbacks and the repair. Default 120,000. */
  readonly timeout?: number | undefined
  /**
   * The time limit in milliseconds for one try. A longer try is aborted; then the next model of `fallback` is asked, or
   * the same model again if there is none. Default: `timeout`.
   */
  readonly tryTimeout?: number | undefined
  /** The further tries of each model after a failure that can be retried. Default 2. */
  readonly retries?: number | undefined
  /** The purpose of the call, such as `refund/decide`: for people, and for handwritten recordings. */
  readonly label?: string | undefined
}

/**
 * Numbers of tokens. `cached` (read from a cache) and `cacheWrite` (written to one) are parts of `input`, `reasoning`
 * is a part of `output`.
 */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cached?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
}

/** The reason why a model stopped: it finished, reached the token limit, called tools, or was stopped by a filter. */
export type Finish = 'stop' | 'length' | 'tools' | 'filter' | 'other'

/** The result of one try: an adapter's answer. */
export interface ModelTry {
  readonly text: string
  readonly calls?: readonly ToolCall[] | undefined
  /** The thoughts of the model, if the provider shows them. */
  readonly reasoning?: string | undefined
  readonly finish: Finish
  /** Absent if the provider did not report it; it is then estimated. */
  readonly usage?: Usage | undefined
  /**
   * The reply in the provider's own form, if a later request must repeat it (signed thoughts, ids of items). It returns
   * to the provider with the assistant message and has no meaning elsewhere.
   */
  readonly native?: readonly Json[] | undefined
  /** The provider's warnings about ignored parts of the request. */
  readonly warnings?: readonly string[] | undefined
  /** The origin of a reply that no model wrote, such as `hand` or `simulated`. */
  readonly by?: string | undefined
}

/** A failed try before another try or another model answered. */
export interface FailedTry {
  readonly model: string
  readonly code: string
  readonly message: string
}

/** The reply to a request. Plain JSON. */
export interface ModelReply extends Omit<ModelTry, 'usage'> {
  /** The name under which the answering model was asked. */
  readonly model: string
  /** The structured answer, if `output` was requested. It fits the schema. */
  readonly object?: Json | undefined
  /** The sum over all tries, estimated where a model did not report its usage. */
  readonly usage: Usage
  /** The cost in USD over all billed tries. Absent: no price is known. */
  readonly cost?: number | undefined
  /** True if part of the usage is an estimate: a model did not report its usage, or a try ended before that. */
  readonly estimated?: true | undefined
  /** The number of tries, over all models and the repair. */
  readonly tries: number
  readonly failures?: readonly FailedTry[] | undefined
}

/** Progress of an answer: pieces to append to the earlier ones. */
export interface ModelDelta {
  /** Voids the earlier pieces because another try begins: its number, its model, and the code of the failure. */
  readonly restart?: { readonly try: number; readonly model: string; readonly because: string }
  readonly text?: string
  readonly reasoning?: string
  /** The calls that the model has started. */
  readonly calls?: readonly { readonly id: string; readonly name: string }[]
}

/** The parts of a call that a model needs; the call of a port has them. */
export interface ModelCall {
  /** Aborted when the result is no longer needed; pending requests are aborted. */
  readonly signal: AbortSignal
  /** The same for the same call, also after a crash; the waits between tries are derived from it. */
  readonly key: string
  /** Takes room for what is used from now on, such as `model:openai`; see `Call.enter` of the kernel. Absent or undefined: nothing is limited. */
  enter?(use: string, signal: AbortSignal): Promise<Leave> | undefined
  /** Receives progress: a `ModelDelta`. With `begins`, the delta replaces everything before it. */
  part(delta: Json, begins?: boolean): void
}

/**
 * An adapter: one model, one try. It throws faults: with verdict `retry` for a failure that can be retried (with
 * `data.retryAfter` in milliseconds if the provider asked for a wait), with `fail` for any other. It rejects when the
 * signal is aborted.
 */
export interface Model {
  readonly name: string
  /** False if no provider bills its replies. */
  readonly billed?: false
  generate(request: ModelRequest, call: ModelCall): Promise<ModelTry>
}

/** The configured models, behind one call. */
export interface Models {
  /** True if a request does not have to name a model. */
  readonly configured: boolean
  /** Returns the model that a request asks first; undefined if none is configured and the request names none. */
  name(request?: ModelRequest): string | undefined
  /**
   * Returns the price of the model that a request asks first; undefined if it has none. Recorded and simulated replies
   * cost 0.
   */
  price(request: ModelRequest): Price | undefined
  /** Returns the names of the models without a price that a request may ask, including fallbacks. */
  unpricedModels(request: ModelRequest): readonly string[]
  /**
   * Asks models until one has answered. A failure that can be retried is retried after the wait that the provider asks
   * for; then the fallback models are asked. Structured output is checked and repaired once. One deadline applies to
   * all of this.
   *
   * Throws the fault of the last try, with the earlier ones in its `data.failures`; if a model had answered, with the
   * answer in `data.answer` and the usage in `data.used`. Throws `R4001` if no model is configured. Rejects with the
   * reason of the signal when it is aborted, and aborts pending requests. A call after a crash asks again: models keep
   * no state. A replay takes the recorded reply and calls nothing.
   */
  generate(request: ModelRequest, call: ModelCall): Promise<ModelReply>
}

/** Prices in USD per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** The price of tokens read from a cache; `input` if absent. */
  readonly cached?: number | undefined
  /** The price of tokens written to a cache; `input` if absent. */
  readonly cacheWrite?: number | undefined
  /** The price of reasoning tokens; `output` if absent. */
  readonly reasoning?: number | undefined
}

/** Prices by model name, such as `openai:gpt-5-mini`. */
export type Prices = Readonly<Record<string, Price>>
