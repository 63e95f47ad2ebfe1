import type { OpenQuestion } from '../handle.ts'
import { DOUBT, isObject } from '../kernel/index.ts'
import type { Question, QuestionOption } from '../people/index.ts'

/** Whether Reflex asks for the outcome of an effect that nobody knows. */
export function isDoubt({ name }: Pick<OpenQuestion, 'name'>): boolean {
  return name === DOUBT
}

const OUTCOMES: Readonly<Record<string, Omit<QuestionOption, 'value'>>> = {
  happened: { label: 'It happened', detail: 'go on as after a success' },
  repeat: { label: 'It did not', detail: 'do it now, under the same key' },
  failed: { label: 'It failed', detail: 'go on as after a failure' },
}

/** A question in words for people: those of Reflex itself say what is not known and what each answer does. */
export function present(open: OpenQuestion): Question {
  const { question, path, run } = open
  if (!isDoubt(open)) return question
  const { about, options = [] } = question
  const { args: what, effect } = isObject(about) ? about : {}
  const key = typeof effect === 'number' || typeof effect === 'string' ? ` for its key, ${run}:${effect}` : ''
  const tool = isObject(what) && typeof what['tool'] === 'string' ? `${what['tool']} at ` : ''
  return {
    text: `Did ${tool}${path} happen? Its process ended while it was under way, and it may not be repeated unasked. Look on the other side first${key}.`,
    options: options.map((option) => ({ ...option, ...OUTCOMES[option.value] })),
    ...(what === undefined ? {} : { about: { asked: what } }),
  }
}
