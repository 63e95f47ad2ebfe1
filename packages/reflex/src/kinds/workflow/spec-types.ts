import type { Json, JsonObject } from '../../kernel/journal/json.ts'

/** The spec of a node: for the built-in agents, or for an agent of the host, which may take other fields. */
export type SpecDefinition<Key extends string> = BuiltInSpec<Key> | OtherSpec

/** The spec of the built-in agents. A node asks (`ask`), calls a tool (`tool`), prompts a model (`prompt`), or works by rules. */
export interface BuiltInSpec<Key extends string> {
  /** The agent that decides, by name. */
  readonly agent?: string
  readonly classify?: OneOrMany<ClassifyDefinition<Key>>
  readonly extract?: OneOrMany<ExtractDefinition<Key>>
  /** For each key the first of these values that is present. */
  readonly pick?: { readonly [Name in Key]?: unknown }
  /** For each key a text with `{{…}}`. */
  readonly template?: { readonly [Name in Key]?: Text }
  readonly rules?: readonly RuleDefinition<Key>[]
  /** The id or event of an edge, or the node that it leads to. */
  readonly go?: string
  readonly because?: string
  /** A key, or values by key; the keys that a model must write, as JSON Schemas by key. */
  readonly writes?: Key | { readonly [Name in Key]?: unknown }
  readonly tool?: string
  readonly args?: JsonObject
  readonly ask?: Text
  readonly options?: readonly (string | OptionDefinition<Key>)[]
  /** JSON Schema of the answer. */
  readonly schema?: JsonObject
  /** A time such as `'3d'`, or milliseconds. */
  readonly due?: string | number
  /** The answer that counts if none comes in time. */
  readonly otherwise?: Json
  /** Board keys, or paths into their values. */
  readonly show?: readonly string[]
  readonly prompt?: Text
  readonly system?: Text
  readonly model?: string
  readonly fallback?: readonly string[]
  /** The most tokens of the board that the prompt may hold. */
  readonly budget?: number
  readonly temperature?: number
  readonly maxTokens?: number
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high'
  readonly timeout?: string | number
  readonly tryTimeout?: string | number
  readonly retries?: number
  /** Files that the model sees: paths, `{ from: 'key' }`, or contents in base64. */
  readonly attach?: OneOrMany<Json>
  /** Settings that one provider knows, by its name. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject }
  /** The provider keeps the system prompt in its cache, or that and the prompt. */
  readonly cache?: 'system' | 'prompt'
  /** The tools that the model may call before it decides, by name. */
  readonly tools?: readonly string[]
  readonly toolChoice?: 'auto' | 'required' | 'none' | { readonly tool: string }
  /** How often the model may answer with calls of tools; 15 if absent. */
  readonly maxTurns?: number
}

/** The spec of another agent. A field name of the built-in agents has its meaning there. */
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
