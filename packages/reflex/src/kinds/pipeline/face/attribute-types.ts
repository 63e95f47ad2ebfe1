import type { AttributeFacts } from '../model/attribute.ts'
import type { EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES } from '../model/attributes-graph.ts'
import type { NODE_ATTRIBUTES } from '../model/attributes-node.ts'
import type { OPERATIONS } from '../operations/table.ts'
import type { DurationValue, JsonValue, ListValue } from './define-values.ts'

/** The values of each type of attribute; `Id` is the id of a node. */
interface Values<Id> {
  text: string
  int: number
  number: number
  bool: boolean
  duration: DurationValue
  seconds: number
  csv: ListValue
  json: JsonValue
  node: Id
  key: string
  keys: ListValue
  path: string
}

type ValueOf<Form, Id> = Form extends keyof Values<Id> ? Values<Id>[Form] : Form extends readonly (infer Word)[] ? Word : ListValue

/** The names of attributes; one that stands for all that begin so takes any value, as every custom attribute does. */
type NamesOf<Facts> = Exclude<keyof Facts & string, `${string}.*`>

/** The types of attributes, each under its own name and under its aliases. */
type FormsOf<Facts extends AttributeFacts> = {
  [Name in NamesOf<Facts> as Name | Facts[Name]['aliases'][number]]: Facts[Name]['form']
}

type Optional<Forms, Id> = { readonly [Name in keyof Forms]?: ValueOf<Forms[Name], Id> | undefined }

type Required<Facts extends AttributeFacts, Id> = {
  readonly [Name in NamesOf<Facts> as Facts[Name]['required'] extends true ? Name : never]: ValueOf<Facts[Name]['form'], Id>
}

/** The attributes that an operation reads, with their types: those without which it fails are required. */
export type AttributesOf<Described extends { readonly parameters: AttributeFacts }, Id extends string = string> = Optional<
  FormsOf<Described['parameters']>,
  Id
> &
  Required<Described['parameters'], Id>

type BuiltIn = (typeof OPERATIONS)[number]
type FormsOfEach<Described> = Described extends { readonly parameters: infer Facts extends AttributeFacts }
  ? [keyof Facts] extends [never]
    ? never
    : FormsOf<Facts>
  : never
type DispatchOfEach<Described> = Described extends { readonly dispatch?: infer Dispatched }
  ? NonNullable<Dispatched> extends readonly (infer One)[]
    ? One
    : never
  : never
type ByOfEach<One> = One extends { readonly by: infer By } ? By : never

/** All members of a union of types have their names; several may have the same name, each with its own type. */
type NamesOfUnion<Union> = Union extends unknown ? keyof Union & string : never
type MemberOfUnion<Union, Name> = Union extends unknown ? (Name extends keyof Union ? Union[Name] : never) : never

/** The types of the attributes of all operations, and the words by which types choose an operation. */
type Forms = FormsOfEach<BuiltIn>
type Words = ByOfEach<DispatchOfEach<BuiltIn>>
type OperationForms = {
  [Name in NamesOfUnion<Forms> | NamesOfUnion<Words>]: MemberOfUnion<Forms, Name> | WordsNamed<Name>
}
type WordsNamed<Name> = Name extends 'op'
  ? 'text'
  : [MemberOfUnion<Words, Name>] extends [never]
    ? never
    : readonly MemberOfUnion<Words, Name>[]

/** Attributes of the pipeline itself. */
export type GraphAttributes<Id extends string> = Optional<FormsOf<typeof GRAPH_ATTRIBUTES>, Id>

/** Attributes of nodes, of whatever type. */
export type NodeAttributes<Id extends string> = Optional<FormsOf<typeof NODE_ATTRIBUTES> & Omit<OperationForms, 'op'>, Id>

/** Attributes of edges. */
export type EdgeAttributes = Optional<FormsOf<typeof EDGE_ATTRIBUTES>, string>
