import type { Host } from '../../../kernel/ports/host.ts'
import type { Rec } from '../../../kernel/journal/record.ts'
import type { Run } from '../../../kernel/run/run.ts'
import type { Runtime } from '../../../kernel/run/runtime.ts'
import { type Fault, toFault } from '../../../kernel/journal/fault.ts'
import { Chronicle, type ChronicleOptions } from './chronicle.ts'
import { pipelineFaults } from '../contract/faults.ts'
import type { PipelineEvent } from './events.ts'
import { writeFolder } from './writer.ts'

/** What follows a run. */
export interface FolderWriterOptions extends Omit<ChronicleOptions, 'run' | 'programs'> {
  /** Gets each event once its record is durable. What it throws breaks nothing. */
  readonly onEvent?: ((event: PipelineEvent) => void) | undefined
  /** Hears once that the folder cannot be written: `R2209`, a warning. The run goes on. */
  readonly onTrouble?: ((fault: Fault) => void) | undefined
}

/** Milliseconds in which nothing is told before a checkpoint that was put off is written. */
const QUIET = 1_000
/** Records of a journal that are told in one turn of the event loop. */
const AT_ONCE = 500

/**
 * Follows a run from its first record to its last and keeps its folder, beside the event loop: while one batch of changes is
 * written, the next one gathers. Each file is written before anything that depends on its records leaves. What a crash left out is
 * made from the journal when the run is opened again.
 */
export class FolderWriter {
  readonly chronicle: Chronicle
  /** Resolves once everything before this process is caught up with. */
  readonly ready: Promise<void>
  readonly #options: FolderWriterOptions
  readonly #host: Host
  readonly #run: Run
  /** The last record that this process found: listeners do not hear of it again. */
  readonly #found: number
  readonly #waiting: (readonly [record: Rec, n: number])[] = []
  readonly #unsent: PipelineEvent[] = []
  /** Events of checkpoints that are not written yet. */
  readonly #unsaved: PipelineEvent[] = []
  #isBehind: boolean
  #isBroken = false
  /** The run rests or ends: its checkpoint is written whatever it costs. */
  #isAtRest = false
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #stopQuiet: (() => void) | undefined

  /** To be called before the run's next record, such as in `prepare`. */
  constructor(runtime: Runtime, run: Run, options: FolderWriterOptions) {
    this.#options = options
    this.#host = runtime.host
    this.chronicle = new Chronicle({ ...options, run: run.id, programs: runtime.programs })
    this.#run = run
    this.#found = run.state.n
    this.#isBehind = run.state.n > 0
    run.subscribe(
      (record, n) => this.#take(record, n),
      () => this.#rest(),
    )
    this.ready = this.#isBehind ? this.#catchUp(runtime, run.id) : Promise.resolve()
  }

  #take(record: Rec, n: number): Promise<void> | undefined {
    if (this.#isBehind) {
      if (!this.#isBroken) this.#waiting.push([record, n])
      return this.ready
    }
    this.#publish(record, n)
    // A batch of records is published at once: its files are written with its last one.
    return n >= this.#run.durable ? this.#written() : undefined
  }

  #rest(): Promise<void> | undefined {
    this.#isAtRest = true
    if (this.#isBehind) return this.ready
    return this.chronicle.isPostponed || this.#next !== undefined ? this.#written() : undefined
  }

  async #catchUp(runtime: Runtime, run: string): Promise<void> {
    try {
      for (const [i, record] of (await runtime.journal(run)).entries()) {
        if (i % AT_ONCE === AT_ONCE - 1) await new Promise<void>((resolve) => this.#host.turn(resolve))
        this.#publish(record, i + 1)
      }
      for (const [record, n] of this.#waiting.splice(0)) this.#publish(record, n)
      this.#isBehind = false
      this.#isAtRest = true
      await this.#written()
    } catch (thrown) {
      this.#trouble(thrown)
    }
  }

  #publish(record: Rec, n: number): void {
    if (n !== this.chronicle.state.n + 1) return
    const events = this.chronicle.take(record)
    if (n > this.#found && this.#options.onEvent !== undefined) this.#unsent.push(...events)
  }

  /** Resolves once all that was told is written. Callers that come while a batch is written share the next one. */
  #written(): Promise<void> | undefined {
    if (this.#options.logsRoot === undefined) {
      this.#emitAll(this.#unsent.splice(0))
      return undefined
    }
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      this.#current = this.#write()
      return this.#current
    })
    return this.#next
  }

  /** Writes, then emits: a checkpoint is only said to be saved where it is. */
  async #write(): Promise<void> {
    this.#stopQuiet?.()
    const untold = this.#unsent.splice(0)
    const changes = this.chronicle.changes(this.#isAtRest)
    const { isPostponed } = this.chronicle
    this.#isAtRest = false
    try {
      // Where another process holds the run, that process keeps the folder.
      if (!this.#isBroken && !this.#run.isLost) await writeFolder(changes)
    } catch (thrown) {
      this.#trouble(thrown)
    }
    this.#emitAll(isPostponed ? this.#withoutSaved(untold) : [...this.#unsaved.splice(0), ...untold])
    if (isPostponed) this.#stopQuiet = this.#host.at(this.#host.now() + QUIET, () => void this.#rest(), true)
  }

  #withoutSaved(untold: readonly PipelineEvent[]): readonly PipelineEvent[] {
    this.#unsaved.push(...untold.filter(({ type }) => type === 'checkpoint_saved'))
    return untold.filter(({ type }) => type !== 'checkpoint_saved')
  }

  #emitAll(events: readonly PipelineEvent[]): void {
    for (const event of events) if (!this.#isBroken || event.type !== 'checkpoint_saved') this.#emit(event)
  }

  #emit(event: PipelineEvent): void {
    try {
      this.#options.onEvent?.(event)
    } catch {
      // Whoever listens has no say in the run.
    }
  }

  #trouble(thrown: unknown): void {
    this.#isBroken = true
    const { logsRoot } = this.#options
    this.#options.onTrouble?.(
      toFault(thrown, (message, cause) =>
        pipelineFaults.make('R2209', `the folder of the run cannot be written: ${message}`, {
          severity: 'warning',
          cause,
          fix: 'make room or name another folder with --logs; the journal has everything, and a resume writes what is missing',
          ...(logsRoot === undefined ? {} : { file: logsRoot }),
        }),
      ),
    )
  }
}
