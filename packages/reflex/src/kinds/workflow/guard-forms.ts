import { z } from 'zod'
import { equalJson } from '../../kernel/journal/json.ts'
import { once, quote, shortJson } from '../../text/index.ts'
import { describeExpression, testExpression } from './cel-guard.ts'
import { faults } from './faults.ts'
import type { BlackboardReader, BuiltinGuard, CelGuard, CustomGuard, Guard, GuardNameMap, GuardRegistry } from './types.ts'

/** All that there is to one type of guard: its JSON, its test, and how to say what it saw. */
export interface GuardForm<Form extends Guard> {
  /** Returns the schema of the guard as it stands in a file. */
  readonly schema: () => z.ZodObject
  /** Throws what the guard throws, or a fault when it cannot be asked or gives no boolean. */
  test(guard: Form, board: BlackboardReader): boolean
  /** What the guard saw, knowing its answer: `total equals 84, needs 100`. */
  describe(guard: Form, board: BlackboardReader, open: boolean): string
  /** The guard of a file that fits the schema, or undefined when it names a function that is not there. */
  read(json: Form, functions: GuardRegistry): Form | undefined
  /** The guard as it goes into a file; what is not JSON is left for the schema to refuse. */
  write(guard: Form, names: GuardNameMap | undefined): Record<string, unknown>
}

const boardKey = once(() => z.string().describe('The blackboard key to look at'))

/**
 * Every type of guard, by its name in programs. A new type of guard is one more line here and its type in `Guard`.
 *
 * Equality is deep and numbers are numbers; a key that is not there equals nothing (reference workflow C15).
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

/** The form of a guard, or undefined for a type that is not known. */
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
        version: z.string().optional().describe('The version of the function; runs that outlive their process need it'),
      }),
    ),
    test: testCustom,
    describe: (guard, _board, open) => `${guardName(guard)} says ${open ? 'yes' : 'no'}`,
    read(json, functions) {
      const evaluate = json.name !== undefined && Object.hasOwn(functions, json.name) ? functions[json.name] : undefined
      return typeof evaluate === 'function' ? { ...json, evaluate } : undefined
    },
    write(guard, names) {
      const name = names?.get(guard.evaluate) ?? guard.name
      return { type: 'custom', ...(name === undefined ? {} : { name }), ...(guard.version === undefined ? {} : { version: guard.version }) }
    },
  }
}

function testCustom(guard: CustomGuard, board: BlackboardReader): boolean {
  if (typeof guard.evaluate !== 'function') {
    const fix = 'register the function under its name, or set `evaluate`'
    throw faults.make('R2042', `${guardName(guard)} has no function to ask`, { fix })
  }
  const answer: unknown = guard.evaluate(board)
  if (typeof answer === 'boolean') return answer
  const isPromise = answer instanceof Promise
  // Nobody waits for the promise: were it to fail, the process would die of it.
  if (isPromise) answer.catch(() => undefined)
  const fix = isPromise ? 'decide synchronously, on what the board holds' : 'return true or false'
  throw faults.make('R2041', `${guardName(guard)} answered ${isPromise ? 'a promise' : shortJson(answer)}, not true or false`, { fix })
}

function keyName(key: string): string {
  return /^[\w.$-]+$/.test(key) ? key : quote(key)
}

function guardName(guard: CustomGuard): string {
  return guard.name === undefined ? 'a custom guard' : `guard ${quote(guard.name)}`
}
