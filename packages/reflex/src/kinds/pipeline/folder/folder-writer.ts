import { type Host, readRecords, type Rec, type Run, type Runtime, type Fault, toFault } from '../../../kernel/index.ts'
import { Chronicle, type ChronicleOptions } from './chronicle.ts'
import { pipelineFaults } from '../contract/faults.ts'
import type { PipelineEvent } from './events.ts'
import { writeFolder } from './writer.ts'

/** The observers and files of a run. */
export interface FolderWriterOptions extends Omit<ChronicleOptions, 'run' | 'programs'> {
  /** Receives each event once its record is durable. An error that it throws is ignored. */
  readonly onEvent?: ((event: PipelineEvent) => void) | undefined
  /** Is called once if the folder cannot be written: `R2209`, a warning. The run continues. */
  readonly onTrouble?: ((fault: Fault) => void) | undefined
}

/** The milliseconds without a record after which a postponed checkpoint is written. */
const QUIET = 1_000
/** The records of a journal that are applied in one turn of the event loop. */
const AT_ONCE = 500

/**
 * Follows a run from its first record to its last and writes its folder, beside the event loop: while one batch of
 * changes is written, the next one is collected. Each file is written before anything that depends on its records
 * leaves. After a crash, the missing files are made from the journal when the run is opened again.
 */
export class FolderWriter {
  readonly chronicle: Chronicle
  /** Resolves once all earlier records of the journal are applied. */
  readonly ready: Promise<void>
  readonly #options: FolderWriterOptions
  readonly #host: Host
  readonly #run: Run
  /** The last record that this process found: listeners do not receive it again. */
  readonly #found: number
  readonly #waiting: (readonly [record: Rec, n: number])[] = []
  readonly #unsent: PipelineEvent[] = []
  /** The events of checkpoints that are not written yet. */
  readonly #unsaved: PipelineEvent[] = []
  #isBehind: boolean
  #isBroken = false
  /** True if the run is idle or has ended: its checkpoint is then written at any cost. */
  #isAtRest = false
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #stopQuiet: (() => void) | undefined

  /** Must be called before the run's next record, such as in `prepare`. */
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
    // A batch of records is published at once: its files are written with its last record.
    return n >= this.#run.durable ? this.#written() : undefined
  }

  #rest(): Promise<void> | undefined {
    this.#isAtRest = true
    if (this.#isBehind) return this.ready
    return this.chronicle.isPostponed || this.#next !== undefined ? this.#written() : undefined
  }

  async #catchUp(runtime: Runtime, run: string): Promise<void> {
    try {
      const { store } = runtime
      for await (const [n, record] of store === undefined ? [] : readRecords(store, run)) {
        if (n % AT_ONCE === 0) await new Promise<void>((resolve) => this.#host.turn(resolve))
        this.#publish(record, n)
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

  /** Resolves once all published records are written. Calls during a write share the next write. */
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

  /** Writes, then emits events: `checkpoint_saved` follows the saved file. */
  async #write(): Promise<void> {
    this.#stopQuiet?.()
    const untold = this.#unsent.splice(0)
    const changes = this.chronicle.changes(this.#isAtRest)
    const { isPostponed } = this.chronicle
    this.#isAtRest = false
    try {
      // If another process owns the run, that process writes the folder.
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
      // A listener cannot affect the run.
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
          fix: 'make room or name another folder with --logs; the journal has everything, and a resume writes the missing files',
          ...(logsRoot === undefined ? {} : { file: logsRoot }),
        }),
      ),
    )
  }
}
