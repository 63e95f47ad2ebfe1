import type { Validator, Json, JsonObject } from '../../../kernel/index.ts'
import type { TypedProgram, UnknownTypes, WorkflowTypes } from '../../../programs/program-types.ts'
import type { SpecDefinition } from './spec-types.ts'
import type { BoardSchema, CelGuard, CustomGuard, Workflow } from '../types/index.ts'

/** The types of a workflow: `TypesIn<typeof refund>`. The types of a plain `Workflow` are unknown. */
export type TypesIn<Defined> =
  Defined extends TypedProgram<infer Types> ? (Types extends WorkflowTypes ? Types : UnknownTypes) : UnknownTypes

/** A workflow that has the types of its parts. It is a `Workflow` of the seed and is accepted wherever a `Workflow` is. */
export interface DefinedWorkflow<Types = UnknownTypes> extends Workflow, TypedProgram<Types> {}

/** The board of a definition that declares none: any text is a key. */
export type AnyBoard = Readonly<Record<string, BoardSchema>>

/** The keys that a called workflow declares; any text if it declares none. */
type ChildKeys<Child> = Child extends { readonly values: infer Values } ? keyof Values & string : string

/** A workflow as written in TypeScript; `workflow` converts it to a `Workflow` of the seed. */
export interface WorkflowDefinition<Board, Calls, Outputs, From, EdgeId = string, Event = string> {
  readonly id: string
  readonly version?: string
  readonly entry: keyof NoInfer<Calls> & string
  /** The schemas of board keys: validators or JSON Schemas. If present, every named key must be declared here. */
  readonly board?: Board
  /** The nodes, by id. */
  readonly nodes: { readonly [Id in keyof Calls]: NodeDefinition<keyof NoInfer<Board> & string, Calls[Id]> } & {
    readonly [Id in keyof Outputs]: { readonly outputs?: readonly OutputDefinition<Outputs[Id], keyof NoInfer<Board> & string>[] }
  }
  readonly edges: readonly EdgeDefinition<From, keyof NoInfer<Calls> & string, NoInfer<Board>, EdgeId, Event>[]
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** A node without its id, which is its key. */
export interface NodeDefinition<Key extends string, Child> {
  readonly description?: string
  /** The spec of a node: for the built-in agents, or for an agent of the host. */
  readonly spec?: SpecDefinition<Key>
  readonly invokes?: CallDefinition<Key, Child>
  readonly inputs?: readonly {
    readonly key: Key
    readonly required: boolean
    readonly inherited?: boolean
    readonly description?: string
  }[]
}

/** A call of a workflow object, which is registered with its caller, or of any program by name. */
export interface CallDefinition<Key extends string, Child> {
  readonly workflow: DefinedWorkflow<Child> | string
  readonly returnMap?: readonly { readonly parentKey: Key; readonly childKey: NoInfer<ChildKeys<Child>> }[]
  readonly inputMap?: readonly { readonly from: Key; readonly to: NoInfer<ChildKeys<Child>> }[]
}

interface OutputDefinition<Output, Key extends string> {
  readonly key: Output extends Key ? Output : Key
  readonly guaranteed: boolean
  readonly description?: string
}

/** An edge. Without an event it gets `NEXT`, without an id `from:event`. */
export interface EdgeDefinition<From, Id extends string, Board, EdgeId = string, Event = string> {
  readonly id?: EdgeId
  readonly from: From
  readonly to: Id
  readonly event?: Event
  readonly guard?: GuardDefinition<Board>
}

type GuardDefinition<Board> =
  | { readonly type: 'exists' | 'not-exists'; readonly key: keyof Board & string }
  | Comparison<Board>[keyof Board & string]
  | CelGuard
  | CustomGuard

/** A comparison for each key, with a value of the type of the key. */
type Comparison<Board> = {
  readonly [Key in keyof Board & string]: {
    readonly type: 'equals' | 'not-equals'
    readonly key: Key
    readonly value: SchemaValue<Board[Key]>
  }
}

/** The types that a definition declares. The compiler evaluates a member only when it is used. */
export interface TypesOf<Board, Outputs, From, EdgeId, Event> {
  readonly nodes: keyof Outputs & string
  readonly values: string extends keyof Board ? UnknownTypes['values'] : { readonly [Key in keyof Board]: SchemaValue<Board[Key]> }
  readonly value: { readonly [Id in keyof Outputs]: Answer<Board, Outputs[Id]> }[Exclude<keyof Outputs, From>]
  readonly edges: IdOf<From, EdgeId, Event>
  readonly events: EventOf<Event>
}

/** The written ids, and the generated ids of edges without one. */
type IdOf<From, EdgeId, Event> = (string extends EdgeId ? never : EdgeId & string) | `${From & string}:${EventOf<Event>}`

/** The written events, and the event of edges without one. */
type EventOf<Event> = (string extends Event ? never : Event & string) | 'NEXT'

/** The result of a node without outgoing edges: its declared outputs, else its writes. */
type Answer<Board, Output> = unknown extends Output
  ? JsonObject | undefined
  : { readonly [Key in Output & string]?: Key extends keyof Board ? SchemaValue<Board[Key]> : Json }

/** The type of a board key: the input type of its validator, or the type of its JSON Schema as far as TypeScript can express it. */
type SchemaValue<Schema> = Schema extends Validator
  ? Schema extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
    ? Input
    : Json
  : JsonSchemaValue<Schema>

type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? ValueOfType<Type extends readonly (infer One)[] ? One : Type, Schema>
      : Json

type ValueOfType<Type, Schema> = Type extends 'object'
  ? ObjectOf<Schema>
  : Type extends 'array'
    ? readonly (Schema extends { readonly items: infer Item } ? JsonSchemaValue<Item> : Json)[]
    : Type extends keyof JsonTypes
      ? JsonTypes[Type]
      : Json

/** The type of an object with declared properties: the required ones are present. */
type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? { readonly [Key in keyof Properties & RequiredOf<Schema>]: JsonSchemaValue<Properties[Key]> } & {
      readonly [Key in Exclude<keyof Properties, RequiredOf<Schema>>]?: JsonSchemaValue<Properties[Key]>
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
