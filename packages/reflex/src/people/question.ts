import { type Asker, isFault, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { schemaProblem } from './answer-schema.ts'
import { faults } from './faults.ts'

/** An answer that a question offers. */
export interface QuestionOption {
  readonly value: string
  readonly label?: string
  readonly detail?: string
  /** The key that chooses the option. */
  readonly key?: string
  /** Other names that choose the option, such as the target of its edge. */
  readonly also?: readonly string[]
}

/** A question to a person. It has the same shape in a journal, an inbox, a terminal and a browser. */
export interface Question {
  readonly text: string
  readonly options?: readonly QuestionOption[]
  /** The JSON Schema of the answer, if the answer is more than one of the options. */
  readonly schema?: JsonObject
  /** The time in milliseconds until the question expires. */
  readonly due?: number
  /** The answer that counts when the question expires. */
  readonly otherwise?: Json
  /** Data to show to the person who answers. */
  readonly about?: Json
}

/** A question that is open in a run. */
export interface OpenQuestion {
  /** The address of the question, such as `otter-2m9q/q1`. */
  readonly id: string
  /** The name of the wait: a node, or a label for a question of Reflex itself. */
  readonly name: string
  /** The part that asks; the program if absent. */
  readonly asker?: Asker
  /** The place in the program that asks, such as `verify/approve`. */
  readonly path?: string
  readonly question: Question
}

/** True if Reflex itself asks, not the program. Only people answer these questions. */
export function isInternalQuestion({ asker = 'program' }: Pick<OpenQuestion, 'asker'>): boolean {
  return asker !== 'program'
}

/**
 * Reads the question of a wait. A wait without a question becomes a question with the name of the wait as its text, so that every wait can
 * be answered. Throws `R4202` for a question with invalid fields.
 */
export function readQuestion(about: Json | undefined, name: string): Question {
  if (about === undefined || about === null) return { text: name }
  if (!isObject(about) || typeof about.text !== 'string') return { text: name, about }
  const { text, options, schema, due, otherwise } = about
  return {
    text,
    ...(options === undefined ? {} : { options: readOptions(options, name) }),
    ...(schema === undefined ? {} : { schema: requireField(isObject(schema) ? schema : undefined, name, 'schema', 'a JSON Schema') }),
    ...(due === undefined || due === null
      ? {}
      : { due: requireField(typeof due === 'number' ? due : undefined, name, 'due', 'a number of milliseconds') }),
    ...(otherwise === undefined ? {} : { otherwise }),
    ...(about.about === undefined ? {} : { about: about.about }),
  }
}

/** The longest wait: a hundred years. A later date would not fit its storage. */
const LONGEST_WAIT = 36_525 * 86_400_000

/**
 * Returns what is wrong with a question before it is asked; undefined if it is valid. A recorded question stays in the journal and is shown
 * to everybody, so it is checked first. `about` is the value that `readQuestion` will read.
 */
export function questionProblem(about: Json): string | undefined {
  if (!isObject(about) || typeof about.text !== 'string') return 'a question must have a text'
  const { due, schema } = about
  if (due !== undefined && !(typeof due === 'number' && Number.isInteger(due) && due > 0 && due <= LONGEST_WAIT)) {
    return 'due must be a whole number of milliseconds, at most a hundred years'
  }
  try {
    readQuestion(about, 'question')
    return isObject(schema) ? schemaProblem(schema) : undefined
  } catch (thrown) {
    return isFault(thrown) ? thrown.message : 'it cannot be read'
  }
}

function readOptions(options: Json, name: string): readonly QuestionOption[] {
  const list = requireField(isList(options) ? options : undefined, name, 'options', 'a list')
  return list.map((option, i) => {
    const { value, label, detail, key, also } = isObject(option) ? option : { value: option }
    return {
      value: requireField(typeof value === 'string' ? value : undefined, name, `options[${i}].value`, 'text'),
      ...(typeof label === 'string' ? { label } : {}),
      ...(typeof detail === 'string' ? { detail } : {}),
      ...(typeof key === 'string' && key !== '' ? { key } : {}),
      ...(isList(also) ? { also: also.filter((name) => typeof name === 'string') } : {}),
    }
  })
}

function requireField<T>(value: T | undefined, name: string, field: string, what: string): T {
  if (value !== undefined) return value
  throw faults.make('R4202', `the ${field} of the question ${name} must be ${what}`, { path: `${name}.${field}` })
}
