import { eventsOf, linesOf, type StoryLine } from '../history/trace.ts'
import {
  type Asker,
  askerOf,
  type Change,
  type FaultData,
  FollowedRun,
  type IdleOptions,
  isObject,
  type Json,
  type OpenRun,
  type OpenWait,
  type Pin,
  type Rec,
  type RunStatus,
  summary,
} from '../kernel/index.ts'
import { checkAnswer, presentQuestion } from './runtime-questions.ts'
import { checkReason, type Question, readQuestion } from '../people/index.ts'
import type { RunSettings } from '../policy/index.ts'
import { checkArguments, FUNCTION, NUMBER, oneOf, optional, options, shape, TEXT } from '../text/index.ts'
import type { UnknownTypes, WorkflowTypes } from '../programs/program-types.ts'
import type { KindEvent, PictureLine } from '../programs/kind-view.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'
import { pictureOf } from './picture.ts'

/** An open question. */
export interface OpenQuestion {
  /** Its address: `otter-2m9q/q1`. */
  readonly id: string
  readonly run: string
  /** The program of the run; absent where the run itself is at hand. */
  readonly program?: Pin
  /** The wait's name in the journal. */
  readonly wait: string
  /** The name of the wait: a node's, or a label for a question of Reflex itself. */
  readonly name: string
  /** The origin of the question: the program, or Reflex itself about an outcome, an edge, a retry, a budget or a permission. */
  readonly asker: Asker
  readonly path: string
  readonly question: Question
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly due?: number
  /** The failure that the question is about, if a failure asks to be retried. */
  readonly fault?: FaultData
}

/** Returns the open questions among the waits of a run. `program`: that of the run, for lists of questions of several runs. */
export function questionsOf(run: string, waits: readonly OpenWait[], program?: Pin): OpenQuestion[] {
  return waits
    .filter(({ type }) => type === 'answer')
    .map((wait) => {
      const { id, name, path, about, since, due, number } = wait
      const asker = askerOf(wait)
      return {
        id: `${run}/q${number}`,
        run,
        ...(program === undefined ? {} : { program }),
        wait: String(id),
        name,
        asker,
        path,
        question: presentQuestion({ question: questionOf(about, name), run, name, asker, path }),
        since,
        ...(due === undefined ? {} : { due }),
        ...faultOf(about),
      }
    })
}

function questionOf(about: Json | undefined, name: string): Question {
  const reason = isObject(about) && typeof about.reason === 'string' ? about.reason : name
  if (isObject(about) && about.text === undefined) return { text: reason }
  try {
    return readQuestion(about, name)
  } catch {
    // One unreadable question must not hide the questions of all other runs.
    return { text: reason }
  }
}

function faultOf(about: Json | undefined): { fault?: FaultData } {
  return isObject(about) && isObject(about.fault) ? { fault: about.fault as unknown as FaultData } : {}
}

/** The longest pause, in milliseconds, that does not count as idle. */
const SHORT_PAUSE_MS = 120_000
const IDLE_OPTIONS = options({ until: oneOf('rest', 'people', 'end'), ahead: NUMBER })

/** Options to observe a run from its beginning. */
export interface ListenOptions {
  /** Called before the first record. */
  readonly prepare?: (handle: RunHandle) => void
}

/** A run that this process holds, or that it follows while another one holds it. `Types`: the declarations of its workflow, if the workflow is written in TypeScript. */
export class RunHandle<Types extends WorkflowTypes = UnknownTypes> {
  readonly run: OpenRun<RunSettings>
  readonly definitions: ViewedPrograms
  readonly #lines = new Set<(line: StoryLine) => void>()
  readonly #records = new Set<(record: Rec, n: number) => void>()
  readonly #events = new Set<(event: KindEvent) => void>()
  #pending: StoryLine[] = []
  #pendingEvents: (readonly [n: number, event: KindEvent])[] = []

  constructor(run: OpenRun<RunSettings>, definitions: ViewedPrograms) {
    this.run = run
    this.definitions = definitions
    run.observe((change) => this.#observe(change))
    run.subscribe((record, n) => this.#onDurable(record, n))
  }

  get id(): string {
    return this.run.id
  }

  get status(): RunStatus {
    return this.run.status
  }

  /** The result of the run, when it has ended; for a failed run, `failure` as JSON. */
  get value(): Types['value'] | undefined {
    return this.run.state.ended?.value
  }

  /** The failure of a failed run. */
  get failure(): FaultData | undefined {
    const { ended } = this.run.state
    return ended?.status === 'failed' && isObject(ended.value) ? (ended.value as unknown as FaultData) : undefined
  }

  /** Returns the latest value of a key on the root's board. */
  get<Key extends keyof Types['values'] & string>(key: Key): Types['values'][Key] | undefined {
    return this.run.state.root.reader().get(key) as Types['values'][Key] | undefined
  }

  /** Returns the nodes of the program with their states at a time; empty if its kind draws none. */
  picture(now: number): readonly PictureLine[] {
    const { state } = this.run
    return pictureOf(state.root, state, this.definitions, now)
  }

  /** The open questions. Show them when `idle` has resolved: they are durable then. */
  get questions(): OpenQuestion[] {
    return questionsOf(this.id, summary(this.run.state, this.definitions, this.status).waits)
  }

  /**
   * Resolves when the run has nothing to do and everything is durable. A pause of up to two minutes, such as the one between two
   * attempts, does not count as idle if the run waits for nothing else. With options, resolves as they say, such as
   * `{ until: 'people' }` for a run that ticks.
   */
  async idle(wanted?: IdleOptions): Promise<void> {
    checkArguments('idle', { options: [wanted, optional(IDLE_OPTIONS)] })
    if (wanted !== undefined) return this.run.idle(wanted)
    await this.run.idle()
    while (this.#isShortPause() && (await this.run.hasNextRecord())) await this.run.idle()
  }

  #isShortPause(): boolean {
    const waits = [...this.run.state.waits.values()]
    if (this.status !== 'suspended' || waits.length === 0 || !waits.every(({ type }) => type === 'timer')) return false
    return Math.min(...waits.map(({ due = Number.POSITIVE_INFINITY }) => due)) <= this.run.state.time + SHORT_PAUSE_MS
  }

  /**
   * Answers an open question. The answer is checked against its options or its schema. Resolves with the number of the record
   * when it is durable; the run continues by itself. Rejects with `R2002` if the question is not open (the fault names the
   * record that closed it), with `R2001` if the run has ended, and with `R4200` or `R4201` if the question does not allow the
   * answer or the reason is too long.
   */
  async answer(question: OpenQuestion, value: unknown, by?: string, reason?: string): Promise<number> {
    checkArguments('answer', {
      question: [question, shape('an open question', { wait: TEXT })],
      by: [by, optional(TEXT)],
      reason: [reason, optional(TEXT)],
    })
    checkReason(reason)
    const open = this.questions.find(({ wait }) => wait === question.wait)
    // The run reports the record that closed the question.
    if (open === undefined) return this.run.answer(question.wait, value ?? null, by, reason)
    return this.run.answer(open.wait, checkAnswer(open, value), by, reason)
  }

  /** Calls the listener with each line of the story when its record is durable. The returned function removes the listener. */
  onLine(listener: (line: StoryLine) => void): () => void {
    checkArguments('onLine', { listener: [listener, FUNCTION] })
    this.#lines.add(listener)
    return () => void this.#lines.delete(listener)
  }

  /** Calls the listener with each record when it is durable. The returned function removes the listener. */
  onRecord(listener: (record: Rec, n: number) => void): () => void {
    checkArguments('onRecord', { listener: [listener, FUNCTION] })
    this.#records.add(listener)
    return () => void this.#records.delete(listener)
  }

  /**
   * Calls the listener with each event of the kind when its record is durable: for a tree, ticks, the statuses of nodes, and what nodes report.
   * They are derived from the journal, so `reflex trace RUN --events` prints them again. An event can come twice after a crash, with the same id.
   * The returned function removes the listener. A kind without events never calls it.
   */
  onEvent(listener: (event: KindEvent) => void): () => void {
    checkArguments('onEvent', { listener: [listener, FUNCTION] })
    this.#events.add(listener)
    return () => void this.#events.delete(listener)
  }

  #observe(change: Change): void {
    if (this.#events.size > 0) this.#pendingEvents.push(...eventsOf(change, this.definitions).map((event) => [change.n, event] as const))
    this.#pending.push(...linesOf(change, this.definitions))
  }

  #onDurable(record: Rec, n: number): void {
    for (const listener of this.#records) listener(record, n)
    const firstLater = this.#pending.findIndex((line) => line.n > n)
    const ready = this.#pending.splice(0, firstLater < 0 ? this.#pending.length : firstLater)
    for (const line of ready) for (const listener of this.#lines) listener(line)
    const later = this.#pendingEvents.findIndex(([record]) => record > n)
    const events = this.#pendingEvents.splice(0, later < 0 ? this.#pendingEvents.length : later)
    for (const [, event] of events) for (const listener of this.#events) listener(event)
  }

  /** True if this process only follows the run: another one carries it on. */
  get isFollowed(): boolean {
    return this.run instanceof FollowedRun
  }

  /** Stops the run in this process. The run can be resumed. */
  close(): void {
    this.run.close()
  }

  /**
   * Stops the run in this process as `close` does, but first makes its decisions durable: an effect that has just settled is not
   * asked about again.
   */
  leave(): Promise<void> {
    return this.run.leave()
  }
}
