import {
  answerNamed,
  askAll,
  type InterviewAnswer,
  type Interviewer,
  type InterviewQuestion,
  optionAnswer,
  SKIPPED,
  TIMEOUT,
} from './interviewers.ts'
import { checkArguments, FUNCTION, optional } from '../../../text/index.ts'
import { INTERVIEWER, QUEUE, WARN } from '../dot/argument-forms.ts'

/** Words in a label that suggest a rejection. */
const REJECTION = /\b(no|not|reject(ed)?|den(y|ied)|fail(ed)?|cancel|abort|stop|decline)\b/i

/** Answers yes, takes the first option in edge order, and writes "auto-approved" as text (reference pipeline 7.2). */
export class AutoApproveInterviewer implements Interviewer {
  readonly automatic = true
  readonly #warn: (message: string, stage: string) => void

  /** `warn` is called when the label of the chosen option looks like a rejection. */
  constructor(options: { readonly warn?: (message: string, stage: string) => void } = {}) {
    checkArguments('AutoApproveInterviewer', { options: [options, WARN] })
    this.#warn = options.warn ?? (() => undefined)
  }

  ask({ type, options, stage }: InterviewQuestion): InterviewAnswer {
    if (type === 'freeform') return { value: 'auto-approved', text: 'auto-approved' }
    const [first] = options
    if (first === undefined) return type === 'multiple_choice' ? SKIPPED : { value: 'yes' }
    if (type !== 'multiple_choice') return optionAnswer(first)
    if (REJECTION.test(first.label)) this.#warn(`${JSON.stringify(first.label)} was chosen, which looks like a rejection`, stage)
    return optionAnswer(first)
  }
}

/** The answers of a callback. Anything that is neither an answer nor text skips the question. */
export type CallbackAnswer = InterviewAnswer | { readonly value: unknown } | string | null | undefined

/** Asks a function of the host, which may be asynchronous (reference pipeline 7.2). Rejects with the error that the function throws. */
export class CallbackInterviewer implements Interviewer {
  readonly #callback: (question: InterviewQuestion, metadata: InterviewQuestion['metadata']) => CallbackAnswer | Promise<CallbackAnswer>

  constructor(
    callback: (question: InterviewQuestion, metadata: InterviewQuestion['metadata']) => CallbackAnswer | Promise<CallbackAnswer>,
  ) {
    checkArguments('CallbackInterviewer', { callback: [callback, FUNCTION] })
    this.#callback = callback
  }

  async ask(question: InterviewQuestion): Promise<InterviewAnswer> {
    const said = await this.#callback(question, question.metadata)
    if (typeof said === 'string') return fromWord(question, said)
    if (typeof said !== 'object' || said === null || typeof said.value !== 'string') return SKIPPED
    return 'selected_option' in said || 'text' in said ? { ...said, value: said.value } : fromWord(question, said.value)
  }
}

/** Converts a word to an answer. A word that names no option is kept; the question refuses it later. */
function fromWord(question: InterviewQuestion, word: string): InterviewAnswer {
  if (word === SKIPPED.value || word === TIMEOUT.value) return { value: word }
  return answerNamed(question, word) ?? { value: word, text: word }
}

/** A prepared answer: a word or an answer object. */
export type QueuedAnswer = string | InterviewAnswer

export interface QueueOptions {
  readonly answers?: readonly QueuedAnswer[]
  /** Answers for single nodes. They are used before the others. */
  readonly answers_by_stage?: Readonly<Record<string, QueuedAnswer | readonly QueuedAnswer[]>>
  /** If true, the answer is `timeout` instead of `skipped` when the queue is empty. */
  readonly return_timeout_when_empty?: boolean
}

/** Gives prepared answers, each once. A word that names no option selects the first option (reference pipeline 7.2, 7.3). */
export class QueueInterviewer implements Interviewer {
  readonly #all: QueuedAnswer[]
  readonly #byStage: ReadonlyMap<string, QueuedAnswer[]>
  readonly #empty: InterviewAnswer

  constructor(options: QueueOptions) {
    checkArguments('QueueInterviewer', { options: [options, QUEUE] })
    const { answers = [], answers_by_stage = {}, return_timeout_when_empty = false } = options
    this.#all = [...answers]
    this.#byStage = new Map(Object.entries(answers_by_stage).map(([stage, queued]) => [stage, isList(queued) ? [...queued] : [queued]]))
    this.#empty = return_timeout_when_empty ? TIMEOUT : SKIPPED
  }

  ask(question: InterviewQuestion): InterviewAnswer {
    const next = this.#byStage.get(question.stage)?.shift() ?? this.#all.shift()
    if (next === undefined) return this.#empty
    if (typeof next !== 'string') return next
    if (next === SKIPPED.value || next === TIMEOUT.value) return { value: next }
    const [first] = question.options
    return answerNamed(question, next) ?? (first === undefined ? { value: next, text: next } : optionAnswer(first))
  }

  /** The number of answers left. */
  get left(): number {
    return this.#all.length + [...this.#byStage.values()].reduce((sum, { length }) => sum + length, 0)
  }
}

function isList(queued: QueuedAnswer | readonly QueuedAnswer[]): queued is readonly QueuedAnswer[] {
  return Array.isArray(queued)
}

/** A question and its answer. */
export interface Recording {
  readonly question: InterviewQuestion
  readonly answer: InterviewAnswer
}

/** Records the questions and answers of another interviewer. A `QueueInterviewer` can replay them. */
export class RecordingInterviewer implements Interviewer {
  readonly automatic: boolean
  readonly recordings: Recording[] = []
  readonly #inner: Interviewer
  readonly #recorder: ((recording: Recording) => void) | undefined

  constructor(inner: Interviewer, recorder?: (recording: Recording) => void) {
    checkArguments('RecordingInterviewer', { inner: [inner, INTERVIEWER], recorder: [recorder, optional(FUNCTION)] })
    this.#inner = inner
    this.automatic = inner.automatic === true
    this.#recorder = recorder
  }

  async ask(question: InterviewQuestion): Promise<InterviewAnswer> {
    return this.#keep(question, await this.#inner.ask(question))
  }

  async ask_multiple(questions: readonly InterviewQuestion[]): Promise<readonly InterviewAnswer[]> {
    const answers = await askAll(this.#inner, questions)
    return questions.map((question, i) => this.#keep(question, answers[i] ?? SKIPPED))
  }

  inform(message: string, stage: string): void {
    this.#inner.inform?.(message, stage)
  }

  #keep(question: InterviewQuestion, answer: InterviewAnswer): InterviewAnswer {
    const recording = { question, answer }
    this.recordings.push(recording)
    this.#recorder?.(recording)
    return answer
  }
}
