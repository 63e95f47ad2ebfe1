import { isList, isObject, type Json } from '../../../kernel/index.ts'

/** A schema that every tree knows by name. */
interface NamedSchema {
  readonly expects: string
  readonly fits: (value: Json) => boolean
}

/** The schemas that every tree knows by name. `int` takes whole numbers only; 3.0 is whole. */
export const NAMED_SCHEMAS = {
  any: { expects: 'any value', fits: () => true },
  str: { expects: 'a text', fits: (value) => typeof value === 'string' },
  int: { expects: 'a whole number', fits: (value) => Number.isInteger(value) },
  float: { expects: 'a number', fits: (value) => typeof value === 'number' },
  bool: { expects: 'true or false', fits: (value) => typeof value === 'boolean' },
  list: { expects: 'a list', fits: isList },
  dict: { expects: 'an object', fits: isObject },
} as const satisfies Readonly<Record<string, NamedSchema>>

export type SchemaName = keyof typeof NAMED_SCHEMAS

/** Other spellings of the names. */
export const SCHEMA_ALIASES = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  array: 'list',
  object: 'dict',
} as const satisfies Readonly<Record<string, SchemaName>>

export type SchemaAlias = keyof typeof SCHEMA_ALIASES

/** Returns the name of a schema that every tree knows, from the name or another spelling; undefined if there is none. */
export function schemaName(name: string): SchemaName | undefined {
  if (Object.hasOwn(NAMED_SCHEMAS, name)) return name as SchemaName
  return Object.hasOwn(SCHEMA_ALIASES, name) ? SCHEMA_ALIASES[name as SchemaAlias] : undefined
}
