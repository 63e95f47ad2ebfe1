import { z } from 'zod'
import { equalJson } from '../../../kernel/index.ts'
import { once, quote, shortJson } from '../../../text/index.ts'
import { describeExpression, testExpression } from './cel-guard.ts'
import { faults } from '../model/faults.ts'
import { findFunction } from './find-function.ts'
import type { BlackboardReader, BuiltinGuard, CelGuard, CustomGuard, Guard, GuardNameMap, GuardRegistry } from '../types/index.ts'

/** Everything about one type of guard: its JSON, its test, and its description. */
export interface GuardForm<Form extends Guard> {
  /** Returns the schema of the guard in a file. */
  readonly schema: () => z.ZodObject
  /** Tests the guard. Throws the error of the guard, or a fault if it cannot be evaluated or its result is not a boolean. */
  test(guard: Form, board: BlackboardReader): boolean
  /** Returns the observed value of the guard, given its result: `total equals 84, needs 100`. */
  describe(guard: Form, board: BlackboardReader, open: boolean): string
  /** Returns the guard of a file that fits the schema; undefined if the guard names an unknown function. */
  read(json: Form, functions: GuardRegistry): Form | undefined
  /** Returns the guard as written in a file. The schema refuses a value that is not JSON. */
  write(guard: Form, names: GuardNameMap | undefined): Record<string, unknown>
}

const boardKey = once(() => z.string().describe('The blackboard key that the guard reads'))

/**
 * Every type of guard, by its name in programs. A new type of guard needs one more line here and its type in `Guard`.
 * Equality is deep and compares numbers by value; a missing key equals nothing (reference workflow C15).
 */
export const GUARD_FORMS: GuardForms = {
  exists: presenceForm('exists', (isPresent) => isPresent),
  'not-exists': presenceForm('not-exists', (isPresent) => !isPresent),
  equals: equalityForm('equals', (equal) => equal),
  'not-equals': equalityForm('not-equals', (equal) => !equal),
  cel: celForm(),
  custom: customForm(),
}

type GuardForms = {
  readonly [Type in Guard['type']]: GuardForm<Type extends BuiltinGuard['type'] ? BuiltinGuard : Extract<Guard, { type: Type }>>
}

/** Returns the form of a guard, or undefined for an unknown type. */
export function guardForm(guard: Guard): GuardForm<Guard> | undefined {
  return Object.hasOwn(GUARD_FORMS, guard.type) ? GUARD_FORMS[guard.type] : undefined
}

function presenceForm(type: 'exists' | 'not-exists', passes: (isPresent: boolean) => boolean): GuardForm<BuiltinGuard> {
  return {
    schema: once(() => z.strictObject({ type: z.literal(type), key: boardKey() })),
    test: (guard, board) => passes(board.has(guard.key)),
    describe: (guard, board) => `${keyName(guard.key)} is ${board.has(guard.key) ? 'there' : 'not there'}`,
    read: (json) => json,
    write: (guard) => ({ type: guard.type, key: guard.key }),
  }
}

function equalityForm(type: 'equals' | 'not-equals', passes: (equal: boolean) => boolean): GuardForm<BuiltinGuard> {
  return {
    schema: once(() => {
      const value = z.union([z.string(), z.number(), z.boolean(), z.null()]).describe('The value to compare with')
      return z.strictObject({ type: z.literal(type), key: boardKey(), value })
    }),
    test: (guard, board) => passes(board.has(guard.key) && equalJson(board.get(guard.key), guard.value)),
    describe(guard, board, open) {
      const found = board.has(guard.key) ? `equals ${shortJson(board.get(guard.key))}` : 'is not there'
      const expected = type === 'equals' ? `, needs ${shortJson(guard.value)}` : ', must not'
      return `${keyName(guard.key)} ${found}${open ? '' : expected}`
    },
    read: (json) => json,
    write: (guard) => ({ type: guard.type, key: guard.key, value: guard.value }),
  }
}

function celForm(): GuardForm<CelGuard> {
  return {
    schema: once(() =>
      z.strictObject({
        type: z.literal('cel'),
        expr: z.string().describe('A condition in CEL; board keys are its variables, `board` is all of them'),
      }),
    ),
    test: testExpression,
    describe: describeExpression,
    read: (json) => json,
    write: (guard) => ({ type: guard.type, expr: guard.expr }),
  }
}

function customForm(): GuardForm<CustomGuard> {
  return {
    schema: once(() =>
      z.strictObject({
        type: z.literal('custom'),
        name: z.string().describe('The name under which the host registers the function'),
        version: z.string().optional().describe('The version of the function, needed by runs that outlive their process'),
      }),
    ),
    test: testCustom,
    describe: (guard, _board, open) => `${guardName(guard)} says ${open ? 'yes' : 'no'}`,
    read(json, functions) {
      const found = json.name === undefined ? undefined : findFunction(functions, json.name, json.version)
      if (found === undefined) return undefined
      const { evaluate, version } = found
      return { ...json, evaluate, ...(version === undefined ? {} : { version }) }
    },
    write(guard, names) {
      const name = names?.get(guard.evaluate) ?? guard.name
      return { type: 'custom', ...(name === undefined ? {} : { name }), ...(guard.version === undefined ? {} : { version: guard.version }) }
    },
  }
}

function testCustom(guard: CustomGuard, board: BlackboardReader): boolean {
  if (typeof guard.evaluate !== 'function') {
    const fix = 'register a function under this name, or set `evaluate`'
    throw faults.make('R2042', `${guardName(guard)} has no function`, { fix })
  }
  const answer: unknown = guard.evaluate(board)
  if (typeof answer === 'boolean') return answer
  const isPromise = answer instanceof Promise
  // The promise is never awaited: an unhandled rejection would end the process.
  if (isPromise) answer.catch(() => undefined)
  const fix = isPromise ? 'return true or false synchronously, from values of the board' : 'return true or false'
  throw faults.make('R2041', `${guardName(guard)} returned ${isPromise ? 'a promise' : shortJson(answer)}, not true or false`, { fix })
}

function keyName(key: string): string {
  return /^[\w.$-]+$/.test(key) ? key : quote(key)
}

function guardName(guard: CustomGuard): string {
  return guard.name === undefined ? 'a custom guard' : `guard ${quote(guard.name)}`
}
