import { type Asker, type FaultData, isObject, type Json } from '../kernel/index.ts'
import { acceptAnswer, type Question, type QuestionOption } from '../people/index.ts'
import { suggest } from '../text/index.ts'

/** The parts of an open question that decide its wording. */
interface AskedQuestion {
  readonly run: string
  readonly name: string
  readonly asker: Asker
  readonly path: string
  readonly question: Question
  readonly fault?: FaultData
}

const OUTCOMES: Readonly<Record<string, Omit<QuestionOption, 'value'>>> = {
  happened: { label: 'It happened', detail: 'continue as after a success' },
  repeat: { label: 'It did not', detail: 'do it now, under the same key' },
  failed: { label: 'It failed', detail: 'continue as after a failure' },
}

/**
 * Returns a question in words for people. A question about an unknown outcome names the effect and its key, and describes the
 * result of each answer.
 */
export function presentQuestion({ question, path, run, asker }: AskedQuestion): Question {
  if (asker !== 'outcome') return question
  const { about, options = [] } = question
  const { args, effect } = isObject(about) ? about : {}
  const key = typeof effect === 'number' || typeof effect === 'string' ? ` for its key, ${run}:${effect}` : ''
  const tool = isObject(args) && typeof args['tool'] === 'string' ? args['tool'] : ''
  const what = [tool, path].filter((part) => part !== '').join(' at ')
  return {
    text: `Did ${what === '' ? 'the call' : what} happen? The process ended during the call, and Reflex may not repeat it without an answer. Check with the other side first${key}.`,
    options: options.map((option) => ({ ...option, ...OUTCOMES[option.value] })),
    ...(args === undefined ? {} : { about: { asked: args } }),
  }
}

/** The only answer to a failure: try again. */
const RETRY: QuestionOption = { value: 'retry', label: 'Try again' }

/** True if an accepted answer is one of the options of its question: it then has no text of its author. */
export function isOption({ asker, question }: AskedQuestion, answer: Json): boolean {
  return asker === 'retry' || question.options?.some(({ value }) => value === answer) === true
}

/**
 * Returns an answer in the form that the run accepts. A failure that asks to be retried accepts no value or `retry`: both retry.
 * Throws `R4200` and `R4201`.
 */
export function checkAnswer(open: AskedQuestion, value: unknown): Json {
  if (open.asker !== 'retry') return acceptAnswer(open.question, value ?? null, suggest)
  if (value !== undefined && value !== null) acceptAnswer({ text: open.question.text, options: [RETRY] }, value, suggest)
  return null
}
