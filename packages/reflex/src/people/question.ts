import { type Asker, isFault, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { schemaProblem } from './answer-schema.ts'
import { faults } from './faults.ts'

/** One of the answers that a question offers. */
export interface QuestionOption {
  readonly value: string
  readonly label?: string
  readonly detail?: string
  /** The key that chooses it. */
  readonly key?: string
  /** Other names by which it may be chosen, such as where it leads. */
  readonly also?: readonly string[]
}

/** What a person is asked. The same shape in a journal, an inbox, a terminal and a browser. */
export interface Question {
  readonly text: string
  readonly options?: readonly QuestionOption[]
  /** JSON Schema of the answer, where it is more than one of the options. */
  readonly schema?: JsonObject
  /** Milliseconds until the answer is given up. */
  readonly due?: number
  /** The answer that counts when none came in time. */
  readonly otherwise?: Json
  /** What the one who answers should see. */
  readonly about?: Json
}

/** A question that stands open in a run. */
export interface OpenQuestion {
  /** The address at which it is answered, such as `otter-2m9q/q1`. */
  readonly id: string
  /** The name of the wait: a node, or a label for a question of Reflex itself. */
  readonly name: string
  /** Who asks; the program if absent. */
  readonly asker?: Asker
  /** Where in the program it is asked, such as `verify/approve`. */
  readonly path?: string
  readonly question: Question
}

/** True if Reflex itself asks and not the program. Only people answer these questions. */
export function isInternalQuestion({ asker = 'program' }: Pick<OpenQuestion, 'asker'>): boolean {
  return asker !== 'program'
}

/**
 * The question that a wait carries. A wait without one is a question of its name alone, so that every wait can be
 * answered; what looks like a question and is none is refused with `R4202`.
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

/** A hundred years: beyond that a date no longer fits what keeps it. */
const LONGEST_WAIT = 36_525 * 86_400_000

/**
 * What is wrong with a question before it is asked, or undefined: what is recorded once is shown to everybody for
 * ever. `about` is what `readQuestion` will read.
 */
export function questionProblem(about: Json): string | undefined {
  if (!isObject(about) || typeof about.text !== 'string') return 'a question has a text'
  const { due, schema } = about
  if (due !== undefined && !(typeof due === 'number' && Number.isInteger(due) && due > 0 && due <= LONGEST_WAIT)) {
    return 'due is a whole number of milliseconds, at most a hundred years'
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
  throw faults.make('R4202', `the question ${name} has no ${what} as its ${field}`, { path: `${name}.${field}` })
}
