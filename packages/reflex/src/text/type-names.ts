const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  undefined: 'nothing',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  function: 'a function',
}

/** What a value is, in the words of our messages: `a string`, `true`, `an object`. */
export function typeOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  return NAMES[typeof value] ?? `a ${typeof value}`
}

/** A type that a schema expects, in the same words. */
export function typeName(expected: string): string {
  return NAMES[expected] ?? `a ${expected}`
}

/** `a string, true, false or null`. */
export function listed(names: readonly string[]): string {
  const single = names.flatMap((name) => name.split(' or '))
  const last = single.at(-1) ?? ''
  return single.length < 2 ? last : `${single.slice(0, -1).join(', ')} or ${last}`
}
