import { createInterface, type Interface } from 'node:readline'
import { printable, checkArguments } from '../../../text/index.ts'
import { answerNamed, type InterviewAnswer, type Interviewer, type InterviewQuestion, SKIPPED, TIMEOUT } from './interviewers.ts'
import { CONSOLE } from '../dot/argument-forms.ts'

/** The streams of a `ConsoleInterviewer`. */
export interface ConsoleOptions {
  /** Default: standard input. */
  readonly input?: NodeJS.ReadableStream
  /** Default: standard error, so that standard output contains only results. */
  readonly output?: NodeJS.WritableStream
  /** True if a person can answer. Default: true if the input is a terminal. */
  readonly interactive?: boolean
}

/** The number of attempts to get an answer that names an option. */
const TRIES = 3

/**
 * Asks line by line (reference pipeline 7.2): prints `[?] text` and the options, then reads one line: a key, a label, a target,
 * a number or the beginning of a label. At the end of the input the answer is `timeout`. If no person can answer, the question
 * is skipped at once, or answered with `timeout` if it has a default.
 */
export class ConsoleInterviewer implements Interviewer {
  readonly #input: NodeJS.ReadableStream
  readonly #output: NodeJS.WritableStream
  readonly #interactive: boolean
  #lines: AsyncIterator<string> | undefined
  #reader: Interface | undefined
  #ended = false

  constructor(options: ConsoleOptions = {}) {
    checkArguments('ConsoleInterviewer', { options: [options, CONSOLE] })
    const { input = process.stdin, output = process.stderr, interactive } = options
    this.#input = input
    this.#output = output
    this.#interactive = interactive ?? ('isTTY' in input && input.isTTY)
  }

  async ask(question: InterviewQuestion): Promise<InterviewAnswer> {
    const { text, options, default: otherwise } = question
    if (!this.#interactive) return otherwise === undefined ? SKIPPED : TIMEOUT
    this.#print(`[?] ${text}`, ...options.map(({ key, label }) => `  [${key}] ${label}`))
    try {
      return await this.#answer(question)
    } finally {
      // A resumed input would keep the process alive.
      if (!this.#ended) this.#reader?.pause()
    }
  }

  async #answer(question: InterviewQuestion): Promise<InterviewAnswer> {
    const { options, type } = question
    for (let tries = 0; tries < TRIES; tries++) {
      const line = await this.#line(type === 'freeform' ? '> ' : type === 'multiple_choice' ? 'Select: ' : '[Y/N]: ')
      if (line === undefined) return TIMEOUT
      const word = line.trim()
      const answer = word === '' ? undefined : answerNamed(question, word)
      if (answer !== undefined) return answer
      this.#print(
        word === ''
          ? 'Type at least one character.'
          : `${word} is not an option. The options are ${options.map(({ label }) => label).join(', ')}.`,
      )
    }
    return SKIPPED
  }

  inform(message: string, stage: string): void {
    this.#print(`[i] ${stage}: ${message}`)
  }

  /** Closes the reader of the input. */
  close(): void {
    this.#reader?.close()
    this.#reader = undefined
    this.#lines = undefined
  }

  /** Returns the next line. Undefined at the end of the input. */
  async #line(prompt: string): Promise<string | undefined> {
    this.#output.write(prompt)
    this.#reader ??= createInterface({ input: this.#input }).once('close', () => (this.#ended = true))
    this.#lines ??= this.#reader[Symbol.asyncIterator]()
    if (!this.#ended) this.#reader.resume()
    const next = await this.#lines.next()
    return next.done === true ? undefined : next.value
  }

  #print(...lines: readonly string[]): void {
    this.#output.write(lines.map((line) => `${printable(line)}\n`).join(''))
  }
}
