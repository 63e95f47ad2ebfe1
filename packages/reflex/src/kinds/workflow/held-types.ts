import type { Validator } from '../../kernel/state/board.ts'
import type { Json, JsonObject } from '../../kernel/journal/json.ts'

/** The type of a board key: the output of its validator, or the type of its JSON Schema as far as types can express it. */
export type Held<Schema> = Schema extends Validator
  ? Schema extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
    ? Input
    : Json
  : Described<Schema>

type Described<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? OfType<Type extends readonly (infer One)[] ? One : Type, Schema>
      : Json

type OfType<Type, Schema> = Type extends 'object'
  ? ObjectOf<Schema>
  : Type extends 'array'
    ? readonly (Schema extends { readonly items: infer Item } ? Described<Item> : Json)[]
    : Type extends keyof JsonTypes
      ? JsonTypes[Type]
      : Json

/** An object by its declared properties: the required ones are present. */
type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? { readonly [Key in keyof Properties & RequiredOf<Schema>]: Described<Properties[Key]> } & {
      readonly [Key in Exclude<keyof Properties, RequiredOf<Schema>>]?: Described<Properties[Key]>
    }
  : JsonObject

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never

interface JsonTypes {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}
