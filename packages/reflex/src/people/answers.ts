import { copyJson, isList, isObject, type Json } from '../kernel/index.ts'
import { acceptAnswer, type Guess } from './accept.ts'
import { faults } from './faults.ts'
import { isInternalQuestion, type OpenQuestion } from './question.ts'

/** A source of answers to questions. */
export interface Answers {
  /** The name that is recorded as the one who answered. */
  readonly by: string
  /** Returns the checked answer; undefined leaves the question open. Throws a fault for an answer that the question refuses. */
  answer(open: OpenQuestion): Json | undefined | Promise<Json | undefined>
}

/** Answers no question: the run suspends at every question. */
export const noAnswers: Answers = { by: 'nobody', answer: () => undefined }

/**
 * Answers with the default that counts after the deadline, otherwise with the first option. Leaves open a question that has neither, and
 * every question of Reflex itself, because a default cannot know the outcome of an effect.
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
  /** Returns the names in the script that no question has used yet. */
  unused(): readonly string[]
}

export interface ScriptedOptions {
  /** The file name, for messages and as the name of the one who answered. */
  readonly file?: string | undefined
  readonly guess?: Guess | undefined
}

/** The JSON Schema (draft-07) of a file of answers. Any name can have any answer; its question checks the answer. */
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
 * Returns answers from data. The data maps the name of a question (its address, its node path, or its node) to its answer, or to a list of
 * answers in the order in which the question is asked. When a list has no more answers, the question stays open. The position in a list is
 * only in memory; another process starts again at the first answer. An answer that is itself a list must be inside a list. Throws `R4210`
 * for data that is not an object.
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
      // A question of Reflex at a node is not a question of that node, so the answers of the node do not apply to it.
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
