import { anyOf, checkArguments, listOf, OBJECT, shape, TEXT } from '../../../text/index.ts'

/** What the value of an attribute is: `node` is the id of a node, `key` and `keys` name context values, `path` a file, `seconds` a count. */
export const ATTRIBUTE_TYPES = [
  'text',
  'int',
  'number',
  'bool',
  'duration',
  'seconds',
  'csv',
  'json',
  'node',
  'key',
  'keys',
  'path',
] as const

export type AttributeType = (typeof ATTRIBUTE_TYPES)[number]

/** The type of an attribute: one of the types, a list of the words that it can be, or the words that a list can hold. */
export type AttributeForm = AttributeType | readonly string[] | { readonly list: readonly string[] }

/** An attribute, without its name. Everything may be quoted: text that reads as a number is one. */
export interface AttributeFact<
  Form extends AttributeForm = AttributeForm,
  Required extends boolean = boolean,
  Alias extends string = string,
> {
  readonly form: Form
  /** One line that says what the attribute does. */
  readonly does: string
  /** The value that holds where none is written, as text for people; empty for none. */
  readonly usual: string
  /** A node without it fails. */
  readonly required: Required
  /** Other names of the attribute; the first name that is written counts. */
  readonly aliases: readonly Alias[]
  /** An unknown word has no effect, where a node otherwise fails. */
  readonly lenient: boolean
}

/** Attributes by name. A name that ends in `.*` stands for every name that begins so. */
export type AttributeFacts = Readonly<Record<string, AttributeFact>>

const FORM = anyOf(TEXT, listOf(TEXT), shape('the words of a list', { list: listOf(TEXT) }))

/** What can be said of an attribute beside its type and what it does. */
export interface AttributeDetails {
  readonly usual?: string
  readonly required?: boolean
  readonly aliases?: readonly string[]
  readonly lenient?: boolean
}

type IsRequired<Details> = Details extends { readonly required: true } ? true : false
type AliasesOf<Details> = Details extends { readonly aliases: readonly (infer Alias extends string)[] } ? Alias : never

/**
 * Describes an attribute: its type, a line for people, and details. The types of `AttributesOf` come from it, and so do lint, help,
 * docs and the JSON Schema.
 */
export function attribute<const Form extends AttributeForm, const Details extends AttributeDetails = AttributeDetails>(
  form: Form,
  does: string,
  details?: Details,
): AttributeFact<Form, IsRequired<Details>, AliasesOf<Details>>
export function attribute(form: AttributeForm, does: string, details: AttributeDetails = {}): AttributeFact {
  checkArguments('attribute', { form: [form, FORM], does: [does, TEXT], details: [details, OBJECT] })
  const { usual = '', required = false, aliases = [], lenient = false } = details
  return { form, does, usual, required, aliases, lenient }
}
