import { copyJson, isList, isObject, type Json } from '../kernel/index.ts'
import { acceptAnswer, type Guess } from './accept.ts'
import { faults } from './faults.ts'
import { isInternalQuestion, type OpenQuestion } from './question.ts'

/** Somebody or something that answers questions. */
export interface Answers {
  /** Who is recorded as having answered. */
  readonly by: string
  /** The answer, checked, or undefined: it stays open. Throws a fault for an answer that the question refuses. */
  answer(open: OpenQuestion): Json | undefined | Promise<Json | undefined>
}

/** Nobody answers: the run suspends at every question. */
export const noAnswers: Answers = { by: 'nobody', answer: () => undefined }

/**
 * Takes what counts after the deadline, else the first option. A question that has neither stays open, and so does
 * every question of Reflex itself: what happened to an effect is not for a default to say.
 */
export const autoAnswers: Answers = {
  by: 'auto',
  answer(open) {
    if (isInternalQuestion(open)) return undefined
    const { otherwise, options } = open.question
    const value = otherwise ?? options?.[0]?.value
    return value === undefined ? undefined : acceptAnswer(open.question, value)
  },
}

/** Answers from a file or a test. */
export interface ScriptedAnswers extends Answers {
  /** Names in the script that no question has had yet. */
  unused(): readonly string[]
}

export interface ScriptedOptions {
  /** The file, for messages and as the one who answered. */
  readonly file?: string | undefined
  readonly guess?: Guess | undefined
}

/** JSON Schema (draft-07) of a file of answers: any name may have any answer, which its question checks. */
export const answersSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:reflex:answers',
  title: 'Reflex answers',
  type: 'object',
  properties: { $schema: { type: 'string' } },
  additionalProperties: {
    description: 'The answer to the question of this address, node path or node; a list has one for each time that it is asked',
  },
} as const

/**
 * Answers from data: the name of a question (its address, its node path, or its node) and its answer, or a list of
 * answers in the order in which it is asked. A list that has run out leaves the question open. The place in a list is
 * kept in memory alone: another process begins again. An answer that is itself a list stands in a list.
 */
export function scriptedAnswers(data: unknown, options: ScriptedOptions = {}): ScriptedAnswers {
  const file = options.file ?? 'the script'
  if (!isObject(data)) throw faults.make('R4210', `${file} is not an object of names and answers`, { file: options.file })
  const script = new Map(
    Object.entries(data)
      .filter(([name]) => name !== '$schema')
      .map(([name, value]) => [name, copyJson(value, name)]),
  )
  const turns = new Map<string, number>()
  return {
    by: file,
    answer(open) {
      // What Reflex asks where a node stands is no question of that node: the node's answers are not for it.
      const names = isInternalQuestion(open) ? [open.id, open.name] : [open.id, open.path, open.name]
      const name = names.find((candidate) => candidate !== undefined && script.has(candidate))
      const scripted = name === undefined ? undefined : script.get(name)
      if (name === undefined || scripted === undefined) return undefined
      const turn = turns.get(name) ?? 0
      const value = isList(scripted) ? scripted[turn] : scripted
      if (value === undefined) return undefined
      const answer = acceptAnswer(open.question, value, options.guess)
      turns.set(name, turn + 1)
      return answer
    },
    unused: () => [...script.keys()].filter((name) => !turns.has(name)),
  }
}
