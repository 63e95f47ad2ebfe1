import type { TextSpan } from '../place.ts'
import { Refusal, phraseOf, type Meter, type Value } from './values.ts'

/** Where an expression finds its variables: a board, or whatever else knows names and JSON values. */
export interface Variables {
  has(name: string): boolean
  get(name: string): unknown
  keys(): Iterable<string>
}

/** What one evaluation works with. */
export interface Scope {
  readonly variables: Variables
  readonly meter: Meter
  /** The values of the loop variables, by slot. */
  readonly slots: (Value | undefined)[]
}

/** A part of an expression made ready to be evaluated. A failure is a value, not a throw. */
export type Code = (scope: Scope) => Value | Refusal

/** Says of a failure that has no place yet that it happened here. */
export function withPlace(span: TextSpan, code: Code): Code {
  return (scope) => {
    const value = code(scope)
    if (value instanceof Refusal && value.offset < 0) {
      value.offset = span.offset
      value.length = span.length
    }
    return value
  }
}

/** Refuses a value that is neither true nor false; `who` asks for it. */
export function asBoolean(code: Code, subject: string): Code {
  return (scope) => {
    const value = code(scope)
    if (typeof value === 'boolean' || value instanceof Refusal) return value
    return new Refusal('type', `${subject} needs true or false, not ${phraseOf(value)}`)
  }
}
