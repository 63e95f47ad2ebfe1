import { equalJson, type Json } from '../../../../kernel/index.ts'

/** The key of `{key}`; undefined for a literal. `{=}` is the key that has the name of the port. */
export function referenceIn(value: string, port: string): string | undefined {
  const inner = /^\{([^{}]+)\}$/.exec(value.trim())?.[1]?.trim()
  if (inner === '') return undefined
  return inner === '=' ? port : inner
}

export function referenceTo(key: string): string {
  return `{${key}}`
}

/** The beginning of a value that is written as JSON. */
const JSON_MARK = 'json:'

/**
 * Returns the value of a literal: a number, true or false, JSON behind `json:`, or a text. `type` is that of the port in C++: a port of type
 * string holds a text whatever it looks like, and one of type double holds a number however it is written.
 */
export function literalIn(text: string, type?: string): Json {
  if (text.startsWith(JSON_MARK)) {
    try {
      return JSON.parse(text.slice(JSON_MARK.length)) as Json
    } catch {
      return text
    }
  }
  if (type !== undefined && isTextType(type)) return text
  if (isNumberType(type) && NUMBER.test(text)) return Number(text)
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && String(Number(text)) === text) return Number(text)
  return text === 'true' || text === 'false' ? text === 'true' : text
}

/** Returns the text of a value that `literalIn` reads back. */
export function literalTo(value: Json): string {
  const text = typeof value === 'object' ? undefined : String(value)
  const isPlain =
    text !== undefined && !text.startsWith(JSON_MARK) && referenceIn(text, '') === undefined && equalJson(literalIn(text), value)
  return isPlain ? text : `${JSON_MARK}${JSON.stringify(value)}`
}

const TYPES: Readonly<Record<string, string>> = {
  'std::string': 'str',
  string: 'str',
  bool: 'bool',
  double: 'float',
  float: 'float',
  int: 'int',
  int8_t: 'int',
  int16_t: 'int',
  int32_t: 'int',
  int64_t: 'int',
  uint8_t: 'int',
  uint16_t: 'int',
  uint32_t: 'int',
  uint64_t: 'int',
  unsigned: 'int',
}

/** The schema of a type of C++: `any` for those that only its program knows. */
export function schemaOfType(type: string | undefined): string {
  return type === undefined || !Object.hasOwn(TYPES, type) ? 'any' : (TYPES[type] ?? 'any')
}

/** True if a port of a type of C++ can hold a literal. A text with `${bb.key}` has its value when its node is ticked. */
export function fitsType(value: Json, type: string | undefined): boolean {
  if (typeof value === 'string' && value.includes('${')) return true
  switch (schemaOfType(type)) {
    case 'int':
      return typeof value === 'number' && Number.isInteger(value) && (value >= 0 || type?.startsWith('u') !== true)
    case 'float':
      return typeof value === 'number'
    case 'bool':
      return typeof value === 'boolean' || value === 0 || value === 1
    default:
      return true
  }
}

const WRITTEN: Readonly<Record<string, string>> = { str: 'std::string', bool: 'bool', float: 'double', int: 'int' }

/** The type of C++ that is written for a schema; undefined for one that C++ does not have by this name. */
export function typeOfSchema(schema: string): string | undefined {
  return Object.hasOwn(WRITTEN, schema) ? WRITTEN[schema] : undefined
}

/** A number as C++ reads it from a port. */
const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

function isNumberType(type: string | undefined): boolean {
  const schema = schemaOfType(type)
  return schema === 'int' || schema === 'float'
}

function isTextType(type: string): boolean {
  return schemaOfType(type) === 'str'
}
