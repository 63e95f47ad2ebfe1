import { copyJson, type Fault, type Json, type JsonObject } from '../kernel/index.ts'
import { fitAnswer } from './answer-schema.ts'
import { faults } from './faults.ts'
import type { Question, QuestionOption } from './question.ts'

/** Returns the name that a misspelt word probably means, such as `suggest` of the text room. */
export type Guess = (word: string, names: readonly string[]) => string | undefined

const MAX_ANSWER_SIZE = 100_000
const MAX_REASON_SIZE = 10_000
const NUMBER_TEXT = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/**
 * Returns the answer in the form that the program receives. Throws `R4200` if it is not one of the options, and `R4201` if it has the wrong
 * shape or is too large.
 *
 * An option is chosen by its value or its label, otherwise by its key, otherwise by one of its other names. Upper and lower case and
 * surrounding space do not count, unless two options differ only in them. The answer is the value of the option. A question without options
 * accepts every answer that its schema allows (text is converted to the number, boolean or JSON that the schema requires), and without a
 * schema every answer.
 */
export function acceptAnswer(question: Question, value: unknown, guess?: Guess): Json {
  if (sizeUpTo(MAX_ANSWER_SIZE, value) > MAX_ANSWER_SIZE) {
    const found = typeof value === 'string' ? `, this one has ${value.length}` : ', counted as JSON, and this one has more'
    throw faults.make('R4201', `an answer has at most ${MAX_ANSWER_SIZE} characters${found}`, {
      fix: 'put the text into a file and answer with the name of the file',
    })
  }
  const answer = copyJson(value, 'answer')
  const options = question.options ?? []
  const chosen = chooseOption(options, answer)
  if (chosen !== undefined) return chosen.value
  if (question.schema !== undefined)
    return fitAnswer(question.schema, typeof answer === 'string' ? textAs(question.schema, answer) : answer)
  if (options.length > 0) throw unknownOption(options, answer, guess)
  return answer
}

/** Throws `R4201` if the reason for an answer is too long. */
export function checkReason(reason: string | undefined): void {
  if (reason === undefined || reason.length <= MAX_REASON_SIZE) return
  throw faults.make('R4201', `a reason has at most ${MAX_REASON_SIZE} characters, this one has ${reason.length}`, {
    fix: 'give a shorter reason',
  })
}

/** Returns the approximate number of characters of a value as JSON. It stops at the limit, so the work is bounded for every value. */
function sizeUpTo(limit: number, value: unknown): number {
  const pending = [value]
  let size = 0
  while (pending.length > 0 && size <= limit) {
    const one = pending.pop()
    size += typeof one === 'string' ? one.length : 1
    if (typeof one !== 'object' || one === null) continue
    for (const key of Object.keys(one)) {
      if (size > limit) break
      size += Array.isArray(one) ? 1 : key.length + 4
      pending.push(Reflect.get(one, key))
    }
  }
  return size
}

function chooseOption(options: readonly QuestionOption[], answer: Json): QuestionOption | undefined {
  if (typeof answer !== 'string') return undefined
  const exact = options.find((option) => option.value === answer) ?? options.find((option) => option.label === answer)
  if (exact !== undefined) return exact
  const folded = fold(answer)
  const uniqueOption = (names: (option: QuestionOption) => readonly string[]): QuestionOption | undefined => {
    const matching = options.filter((option) => names(option).some((name) => fold(name) === folded))
    return matching.length === 1 ? matching[0] : undefined
  }
  return uniqueOption(namesOf) ?? uniqueOption(({ key }) => (key === undefined ? [] : [key])) ?? uniqueOption(({ also = [] }) => also)
}

function namesOf({ value, label }: QuestionOption): readonly string[] {
  return label === undefined ? [value] : [value, label]
}

function fold(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

function unknownOption(options: readonly QuestionOption[], answer: Json, guess: Guess | undefined): Fault {
  const names = options.map(({ value, label }) => (label === undefined || fold(label) === fold(value) ? value : `${value} (${label})`))
  const meant = typeof answer === 'string' ? guess?.(answer, options.flatMap(namesOf)) : undefined
  const shown = JSON.stringify(answer)
  const shortAnswer = shown.length > 60 ? `${shown.slice(0, 57)}…` : shown
  return faults.make('R4200', `${shortAnswer} is none of ${names.join(', ')}${meant === undefined ? '' : `; did you mean "${meant}"?`}`, {
    fix: meant === undefined ? `answer ${names.join(' or ')}` : `answer ${meant}`,
    data: { options: options.map(({ value }) => value) },
  })
}

/**
 * Converts a text to the type that a JSON Schema requires. A text that cannot be converted is returned unchanged; the schema then refuses
 * it.
 */
export function textAs(schema: JsonObject, text: string): Json {
  const word = text.trim().toLowerCase()
  switch (schema.type) {
    case 'number':
    case 'integer':
      return NUMBER_TEXT.test(word) ? Number(word) : text
    case 'boolean':
      return ['true', 'yes', 'y'].includes(word) ? true : ['false', 'no', 'n'].includes(word) ? false : text
    case 'array':
    case 'object':
      return parseOrText(text)
    default:
      return text
  }
}

function parseOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
