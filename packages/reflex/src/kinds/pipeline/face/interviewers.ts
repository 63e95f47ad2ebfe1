import type { Json } from '../../../kernel/index.ts'
import { acceptAnswer, type Guess, isInternalQuestion, type OpenQuestion, type Question } from '../../../people/index.ts'
import { findChoice } from '../language/find-choice.ts'
import type { PipelineEvent } from '../folder/events.ts'
import { renderText } from '../language/render.ts'

/** The type of answer that a question asks for (reference pipeline 7.1). */
export type QuestionType = 'yes_no' | 'multiple_choice' | 'freeform' | 'confirmation'

/** A choice of a question. */
export interface InterviewOption {
  readonly key: string
  readonly label: string
  /** The node that the choice leads to. */
  readonly to?: string
}

/** A question for an interviewer, spelled as in the seed. */
export interface InterviewQuestion {
  /** The address of the question: `otter-2m9q/q1`. */
  readonly id: string
  readonly text: string
  readonly type: QuestionType
  /** In the order of the edges. */
  readonly options: readonly InterviewOption[]
  /** The answer that is used after a timeout: the label of an option, or text. */
  readonly default?: string
  readonly timeout_seconds?: number
  /** The node that asks. */
  readonly stage: string
  readonly metadata: Readonly<Record<string, Json>>
}

/** The answer of an interviewer. `value` is the key of an option, text, or one of the words `yes`, `no`, `skipped` and `timeout`. */
export interface InterviewAnswer {
  readonly value: string
  readonly selected_option?: InterviewOption
  /** The text of a freeform answer. */
  readonly text?: string
}

/** A person or program that answers the questions of pipelines (seed pipeline 8.1). */
export interface Interviewer {
  /** True if the answers are automatic: no person has reviewed what they approve. */
  readonly automatic?: boolean
  ask(question: InterviewQuestion): InterviewAnswer | Promise<InterviewAnswer>
  /** Answers several questions that are open at the same time. Without this method they are asked one after another. */
  ask_multiple?(questions: readonly InterviewQuestion[]): Promise<readonly InterviewAnswer[]>
  /**
   * Receives a message that needs no answer: a warning, a stage that failed without another attempt, the end of the pipeline
   * (then `stage` is the graph). Errors that it throws are ignored.
   */
  inform?(message: string, stage: string): void
}

export const SKIPPED: InterviewAnswer = { value: 'skipped' }
export const TIMEOUT: InterviewAnswer = { value: 'timeout' }

/** Sends the events that concern a person to an interviewer; ignores all others. */
export function informOf(
  interviewer: Interviewer | undefined,
  { type, graph_id, node_id, warning, error, will_retry, reason }: PipelineEvent,
): void {
  const stage = renderText(node_id)
  if (type === 'stage_warning') interviewer?.inform?.(renderText(warning), stage)
  if (type === 'stage_failed' && will_retry !== true) interviewer?.inform?.(`failed: ${renderText(error)}`, stage)
  if (type === 'pipeline_completed') interviewer?.inform?.('completed', graph_id)
  if (type === 'pipeline_failed') interviewer?.inform?.(`failed: ${renderText(reason)}`, graph_id)
}

/** Returns the answer for an option. */
export function optionAnswer(option: InterviewOption): InterviewAnswer {
  return { value: option.key, selected_option: option }
}

/** Returns the answer that a word names. Undefined if the word names no option. */
export function answerNamed({ type, options }: InterviewQuestion, word: string): InterviewAnswer | undefined {
  const option = findChoice(options, word)
  if (option !== undefined) return optionAnswer(option)
  return type === 'freeform' ? { value: word, text: word } : undefined
}

/** Converts an open question of a run to the question for an interviewer. */
export function interviewQuestion(open: OpenQuestion, run = ''): InterviewQuestion {
  const { id, name, question } = open
  const { text, options = [], otherwise, due } = question
  const type = typeOf(question)
  return {
    id,
    text,
    type,
    options: options.map(({ value, label = value, key, also = [] }, i) => {
      const to = type === 'yes_no' ? undefined : also.at(-1)
      return { key: key ?? String(i + 1), label, ...(to === undefined ? {} : { to }) }
    }),
    ...(typeof otherwise === 'string' ? { default: otherwise } : {}),
    ...(due === undefined ? {} : { timeout_seconds: due / 1000 }),
    stage: name,
    metadata: { node_id: name, path: open.path ?? name, ...(run === '' ? {} : { run_id: run }) },
  }
}

function typeOf({ options = [], schema }: Question): QuestionType {
  if (options.length === 0 || schema?.['type'] === 'string') return 'freeform'
  const [yes, no] = options
  return options.length === 2 && yes?.value === 'yes' && no?.value === 'no' ? 'yes_no' : 'multiple_choice'
}

/**
 * Asks an interviewer the open questions. Returns the answers as a run records them, in the order of the questions:
 * `{"skipped": true}` and `{"timeout": true}` without an answer, undefined for a question of Reflex itself, which only people
 * answer. Throws `R4200` and `R4201` for an answer that the question does not allow.
 */
export async function interview(
  interviewer: Interviewer,
  open: readonly OpenQuestion[],
  { run, guess }: { readonly run?: string; readonly guess?: Guess } = {},
): Promise<readonly (Json | undefined)[]> {
  const asked = open.filter((question) => !isInternalQuestion(question))
  const answers = await askAll(
    interviewer,
    asked.map((question) => interviewQuestion(question, run)),
  )
  const recorded = asked.map((question, i) => recordedAnswer(question, answers[i] ?? SKIPPED, guess))[Symbol.iterator]()
  return open.map((question) => (isInternalQuestion(question) ? undefined : recorded.next().value))
}

/** Asks several questions together if the interviewer can, otherwise one after another. */
export async function askAll(interviewer: Interviewer, questions: readonly InterviewQuestion[]): Promise<readonly InterviewAnswer[]> {
  if (interviewer.ask_multiple !== undefined && questions.length > 1) return interviewer.ask_multiple(questions)
  const answers: InterviewAnswer[] = []
  for (const question of questions) answers.push(await interviewer.ask(question))
  return answers
}

function recordedAnswer({ question }: OpenQuestion, answer: InterviewAnswer, guess: Guess | undefined): Json {
  const { value, selected_option, text } = answer
  if (value === 'skipped') return { skipped: true }
  if (value === 'timeout') return { timeout: true }
  return acceptAnswer(question, selected_option?.label ?? text ?? value, guess)
}
