import type { AttributeFacts } from '../model/attribute.ts'
import type { EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES } from '../model/attributes-graph.ts'
import type { NODE_ATTRIBUTES } from '../model/attributes-node.ts'
import type { OPERATIONS } from '../operations/table.ts'
import type { DurationValue, JsonValue, ListValue } from './define-values.ts'

/** The types of attribute values. `Id` is the type of node ids. */
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

/** The names of attributes, without prefixes such as `param.*`: those accept any value, like custom attributes. */
type NamesOf<Facts> = Exclude<keyof Facts & string, `${string}.*`>

/** The types of attributes by name and by alias. */
type FormsOf<Facts extends AttributeFacts> = {
  [Name in NamesOf<Facts> as Name | Facts[Name]['aliases'][number]]: Facts[Name]['form']
}

type Optional<Forms, Id> = { readonly [Name in keyof Forms]?: ValueOf<Forms[Name], Id> | undefined }

type Required<Facts extends AttributeFacts, Id> = {
  readonly [Name in NamesOf<Facts> as Facts[Name]['required'] extends true ? Name : never]: ValueOf<Facts[Name]['form'], Id>
}

/** The typed attributes of an operation. Required attributes are not optional. */
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

/** The names of all members of a union. Several members may have the same name with different types. */
type NamesOfUnion<Union> = Union extends unknown ? keyof Union & string : never
type MemberOfUnion<Union, Name> = Union extends unknown ? (Name extends keyof Union ? Union[Name] : never) : never

/** The types of the attributes of all operations, and the attribute values that select an operation. */
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

/** The attributes of a pipeline. */
export type GraphAttributes<Id extends string> = Optional<FormsOf<typeof GRAPH_ATTRIBUTES>, Id>

/** The attributes of nodes of all types. */
export type NodeAttributes<Id extends string> = Optional<FormsOf<typeof NODE_ATTRIBUTES> & Omit<OperationForms, 'op'>, Id>

/** The attributes of edges. */
export type EdgeAttributes = Optional<FormsOf<typeof EDGE_ATTRIBUTES>, string>
