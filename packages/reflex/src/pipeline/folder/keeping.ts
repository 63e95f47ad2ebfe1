import type { Rec } from '../../kernel/record.ts'
import type { Run } from '../../kernel/run.ts'
import type { Runtime } from '../../kernel/runtime.ts'
import { type Fault, toFault } from '../../kernel/fault.ts'
import { Chronicle, type ChronicleOf } from './chronicle.ts'
import { pipelineFaults } from '../engine/faults.ts'
import type { PipelineEvent } from '../events.ts'
import { writeFolder } from './writer.ts'

/** What follows a run. */
export interface KeepingOptions extends Omit<ChronicleOf, 'run' | 'programs'> {
  /** Gets each event once its record is durable. What it throws breaks nothing. */
  readonly onEvent?: ((event: PipelineEvent) => void) | undefined
  /** Hears once that the folder cannot be written: `R2209`, a warning. The run goes on. */
  readonly onTrouble?: ((fault: Fault) => void) | undefined
}

/**
 * Follows a run from its first record to its last, whoever began it, and keeps its folder. Each file is written before
 * anything that depends on its records leaves. After a crash, what was not written is made from the journal.
 */
export class Keeping {
  readonly chronicle: Chronicle
  /** Resolves once everything before this process is caught up with. */
  readonly ready: Promise<void>
  readonly #options: KeepingOptions
  readonly #run: Run
  /** What this process found: nobody is told of it again. */
  readonly #found: number
  readonly #waiting: (readonly [record: Rec, n: number])[] = []
  readonly #untold: PipelineEvent[] = []
  #isBehind: boolean
  #isBroken = false

  /** To be called before the run's next record, such as in `prepare`. */
  constructor(runtime: Runtime, run: Run, options: KeepingOptions) {
    this.#options = options
    this.chronicle = new Chronicle({ ...options, run: run.id, programs: runtime.programs })
    this.#run = run
    this.#found = run.state.n
    this.#isBehind = run.state.n > 0
    run.subscribe((record, n) => this.#take(record, n))
    this.ready = this.#isBehind ? this.#catchUp(runtime, run.id) : Promise.resolve()
  }

  #take(record: Rec, n: number): void {
    if (this.#isBehind) return void this.#waiting.push([record, n])
    this.#tell(record, n)
    // A batch of records is published at once: its files are written with its last one.
    if (n >= this.#run.durable) this.#write()
  }

  async #catchUp(runtime: Runtime, run: string): Promise<void> {
    try {
      for (const [i, record] of (await runtime.journal(run)).entries()) this.#tell(record, i + 1)
      for (const [record, n] of this.#waiting.splice(0)) this.#tell(record, n)
      this.#isBehind = false
      this.#write()
    } catch (thrown) {
      this.#trouble(thrown)
    }
  }

  #tell(record: Rec, n: number): void {
    if (n !== this.chronicle.state.n + 1) return
    const events = this.chronicle.take(record)
    if (n > this.#found && this.#options.onEvent !== undefined) this.#untold.push(...events)
  }

  /** Writes, then tells: a checkpoint is only said to be saved where it is. */
  #write(): void {
    try {
      if (!this.#isBroken) writeFolder(this.chronicle.changes())
    } catch (thrown) {
      this.#trouble(thrown)
    }
    for (const event of this.#untold.splice(0)) if (!this.#isBroken || event.type !== 'checkpoint_saved') this.#emit(event)
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
