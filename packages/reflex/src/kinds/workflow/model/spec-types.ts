import type { Json, JsonObject } from '../../../kernel/index.ts'

/** The spec of a node: for the built-in agents, or for an agent of the host, which may read other fields. */
export type SpecDefinition<Key extends string> = BuiltInSpec<Key> | OtherSpec

/** The spec of the built-in agents. A node asks a person (`ask`), calls a tool (`tool`), prompts a model (`prompt`), or uses rules. */
export interface BuiltInSpec<Key extends string> {
  /** The agent that decides, by name. */
  readonly agent?: string
  readonly classify?: OneOrMany<ClassifyDefinition<Key>>
  readonly extract?: OneOrMany<ExtractDefinition<Key>>
  /** The first present value, for each key. */
  readonly pick?: { readonly [Name in Key]?: unknown }
  /** A text with `{{…}}`, for each key. */
  readonly template?: { readonly [Name in Key]?: Text }
  readonly rules?: readonly RuleDefinition<Key>[]
  /** The id or event of an edge, or the node that it leads to. */
  readonly go?: string
  readonly because?: string
  /** A key, or values by key; for a model, JSON Schemas by key. */
  readonly writes?: Key | { readonly [Name in Key]?: unknown }
  readonly tool?: string
  readonly args?: JsonObject
  readonly ask?: Text
  readonly options?: readonly (string | OptionDefinition<Key>)[]
  /** JSON Schema of the answer. */
  readonly schema?: JsonObject
  /** A time such as `'3d'`, or milliseconds. */
  readonly due?: string | number
  /** The answer that is used if none arrives in time. */
  readonly otherwise?: Json
  /** Board keys, or paths into their values. */
  readonly show?: readonly string[]
  readonly prompt?: Text
  readonly system?: Text
  readonly model?: string
  readonly fallback?: readonly string[]
  /** The limit of tokens of the board in the prompt. */
  readonly budget?: number
  readonly temperature?: number
  readonly maxTokens?: number
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high'
  readonly timeout?: string | number
  readonly tryTimeout?: string | number
  readonly retries?: number
  /** Files for the model: paths, `{ from: 'key' }`, or contents in base64. */
  readonly attach?: OneOrMany<Json>
  /** Settings of one provider, by the name of the provider. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
  /** The part that the provider caches: the system prompt, or also the prompt. */
  readonly cache?: 'system' | 'prompt'
  /** The tools that the model may call before it decides, by name. */
  readonly tools?: readonly string[]
  readonly toolChoice?: 'auto' | 'required' | 'none' | { readonly tool: string }
  /** The limit of turns in which the model answers with calls of tools. Default 15. */
  readonly maxTurns?: number
}

/** The spec of another agent. A field of a built-in agent cannot be used with another meaning. */
export type OtherSpec = { readonly [name: string]: unknown } & {
  readonly [Name in Exclude<keyof BuiltInSpec<string>, 'agent'>]?: undefined
}

type OneOrMany<Item> = Item | readonly Item[]
/** A text in one piece, or its lines. */
type Text = string | readonly string[]

interface ClassifyDefinition<Key extends string> {
  readonly from: string
  readonly by?: string | readonly string[]
  readonly into: Key
  readonly rules: readonly { readonly match: string; readonly flags?: string; readonly class: string }[]
  readonly otherwise?: string
  readonly keep?: readonly string[]
}

interface ExtractDefinition<Key extends string> {
  readonly from: string
  readonly by?: string
  readonly into: Key
  readonly match: string
  readonly flags?: string
  readonly first?: boolean
  readonly without?: string
}

interface RuleDefinition<Key extends string> {
  readonly when?: OneOrMany<ConditionDefinition>
  readonly go?: string
  readonly because?: string
  readonly writes?: { readonly [Name in Key]?: unknown }
}

type ConditionDefinition =
  | { readonly type: 'exists' | 'not-exists'; readonly key: string }
  | { readonly type: 'equals' | 'not-equals'; readonly key: string; readonly value: Json }
  | { readonly type: 'above' | 'below'; readonly key: string; readonly value: number }

interface OptionDefinition<Key extends string> {
  readonly value?: string
  readonly event?: string
  readonly label?: string
  readonly detail?: string
  readonly writes?: { readonly [Name in Key]?: unknown }
}
