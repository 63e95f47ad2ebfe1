import { anyOf, checkArguments, listOf, OBJECT, shape, TEXT } from '../../../text/index.ts'

/**
 * The types of attribute values: `node` is the id of a node, `key` and `keys` name context values, `path` a file, `seconds` a
 * number of seconds.
 */
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

/** The type of an attribute: a type name, the allowed words, or the words that a list may have. */
export type AttributeForm = AttributeType | readonly string[] | { readonly list: readonly string[] }

/** An attribute without its name. Every value may be quoted: text that can be read as a number is a number. */
export interface AttributeFact<
  Form extends AttributeForm = AttributeForm,
  Required extends boolean = boolean,
  Alias extends string = string,
> {
  readonly form: Form
  /** A description in one line. */
  readonly does: string
  /** The default, as text for people. Empty if there is none. */
  readonly usual: string
  /** True if a node without it fails. */
  readonly required: Required
  /** Aliases of the attribute; the first name that is written counts. */
  readonly aliases: readonly Alias[]
  /** True if an unknown word has no effect; otherwise the node fails. */
  readonly lenient: boolean
}

/** Attributes by name. A name that ends in `.*` matches every name that begins with it. */
export type AttributeFacts = Readonly<Record<string, AttributeFact>>

const FORM = anyOf(TEXT, listOf(TEXT), shape('the words of a list', { list: listOf(TEXT) }))

/** The optional details of an attribute. */
export interface AttributeDetails {
  readonly usual?: string
  readonly required?: boolean
  readonly aliases?: readonly string[]
  readonly lenient?: boolean
}

type IsRequired<Details> = Details extends { readonly required: true } ? true : false
type AliasesOf<Details> = Details extends { readonly aliases: readonly (infer Alias extends string)[] } ? Alias : never

/**
 * Describes an attribute: its type, a line for people, and details. `AttributesOf`, lint, help, docs and the JSON Schema are
 * derived from it.
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
