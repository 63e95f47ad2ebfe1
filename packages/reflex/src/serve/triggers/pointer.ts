import { isList, isObject, type Json } from '../../kernel/index.ts'

/** True for a JSON pointer (RFC 6901): empty, or steps that begin with a slash. */
export function isPointer(text: string): boolean {
  return /^(\/([^~/]|~[01])*)*$/.test(text)
}

/** Returns the value at a JSON pointer; undefined if there is none. Only what the value itself has is found. */
export function valueAtPointer(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (isList(at)) at = /^(0|[1-9]\d{0,8})$/.test(key) ? at[Number(key)] : undefined
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key]
    else return undefined
  }
  return at
}
