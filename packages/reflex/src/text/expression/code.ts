import type { TextSpan } from '../place.ts'
import { Refusal, phraseOf, type Meter, type Value } from './values.ts'

/** The source of an expression's variables: a board, or any other object with named JSON values. */
export interface Variables {
  has(name: string): boolean
  get(name: string): unknown
  keys(): Iterable<string>
}

/** The state of one evaluation. */
export interface Scope {
  readonly variables: Variables
  readonly meter: Meter
  /** The values of the loop variables, by slot. */
  readonly slots: (Value | undefined)[]
}

/** A part of an expression in executable form. A failure is returned as a value, not thrown. */
export type Code = (scope: Scope) => Value | Refusal

/** Returns code that adds the span to a failure that has no place yet. */
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

/** Returns code that refuses a value other than true or false. `subject` names the operator that needs the value. */
export function asBoolean(code: Code, subject: string): Code {
  return (scope) => {
    const value = code(scope)
    if (typeof value === 'boolean' || value instanceof Refusal) return value
    return new Refusal('type', `${subject} needs true or false, not ${phraseOf(value)}`)
  }
}
