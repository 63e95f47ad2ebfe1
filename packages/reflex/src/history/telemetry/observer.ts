import { isRegistered, loadTelemetry, type ObserveOptions } from './api.ts'
import { SpanProjection } from './spans.ts'
import { TelemetryExporter, type RunTelemetry } from './exporter.ts'
import { type Fault, readPart, type Rec, type Run, segmentStart, type State, type Store, toFault } from '../../kernel/index.ts'
import { historyFaults } from '../faults.ts'
import type { ProgramViewer } from '../../programs/kinds.ts'

/** The parts that an observer needs. */
export interface ObserveWorld extends ProgramViewer {
  readonly store: Store
  /** Receives the faults of telemetry. They do not stop a run. */
  readonly onTrouble: (fault: Fault) => void
}

/**
 * Sends the telemetry of the runs of this process to an application: spans and metrics from their durable records. It is active only if the
 * application has registered or given a provider; otherwise nothing is imported.
 */
export class TelemetryObserver {
  readonly #world: ObserveWorld
  readonly #options: ObserveOptions | undefined
  readonly #isOff: boolean
  readonly #pending = new Set<Promise<void>>()
  #exporter: Promise<TelemetryExporter> | undefined

  constructor(world: ObserveWorld, options: ObserveOptions | false | undefined) {
    this.#world = world
    this.#options = options === false ? undefined : options
    this.#isOff = options === false
  }

  /** Follows a run that starts or is opened again, from its next record. */
  follow(run: Run): void {
    if (this.#isOff || (this.#options === undefined && !isRegistered())) return
    this.#exporter ??= loadTelemetry().then((api) => new TelemetryExporter(api, this.#options ?? {}))
    const followedRun = new FollowedRun(this.#world, run, this.#exporter)
    const ready = followedRun.ready.catch((thrown: unknown) =>
      this.#world.onTrouble(telemetryFault(thrown, `telemetry of ${run.id} cannot be sent`)),
    )
    this.#pending.add(ready)
    void ready.finally(() => this.#pending.delete(ready))
  }

  /** Resolves after the telemetry of all durable records was sent and flushed as far as the providers can. The process can end after it. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending)
    if (this.#exporter === undefined) return
    try {
      for (const reason of await (await this.#exporter).flush()) this.#reportLoss(reason)
    } catch (thrown) {
      this.#reportLoss(thrown)
    }
  }

  #reportLoss(thrown: unknown): void {
    this.#world.onTrouble(telemetryFault(thrown, 'telemetry cannot be flushed'))
  }
}

function telemetryFault(thrown: unknown, what: string): Fault {
  return toFault(thrown, (message, cause) =>
    historyFaults.make('R2086', `${what}: ${message}`, {
      cause,
      fix: 'repair the provider that was registered or given; the run continues without it',
    }),
  )
}

/** A run with telemetry. */
class FollowedRun {
  /** Resolves when the telemetry has reached the end of the journal; rejects if it cannot. */
  readonly ready: Promise<void>
  readonly #world: ObserveWorld
  readonly #run: string
  /** The state of the live run. */
  readonly #state: State
  readonly #buffered: Rec[] = []
  #send: ((record: Rec) => void) | undefined
  #hasReported = false

  constructor(world: ObserveWorld, run: Run, exporter: Promise<TelemetryExporter>) {
    this.#world = world
    this.#run = run.id
    this.#state = run.state
    const known = run.state.n
    run.subscribe((record, n) => {
      if (n <= known) return
      if (this.#send === undefined) this.#buffered.push(record)
      else this.#send(record)
    })
    this.ready = this.#catchUp(known, exporter)
  }

  async #catchUp(known: number, loading: Promise<TelemetryExporter>): Promise<void> {
    const { store } = this.#world
    try {
      const exporter = await loading
      const [source] = this.#state.start?.fork ?? []
      const part = known === 0 ? undefined : await readPart(store, this.#run, await segmentStart(store, this.#run, known), known)
      const projection = new SpanProjection((state) => this.#world.programsOf(state), {
        origin: source === undefined ? undefined : (await store.read(source, 0))?.row.trace,
        opening: part?.opening(),
      })
      if (part !== undefined) for await (const [, record] of part.records()) projection.add(record)
      const telemetry = exporter.run(projection.open, (thrown) => this.#report(thrown))
      this.#send = (record) => this.#sendRecord(telemetry, projection, record)
      for (const record of this.#buffered.splice(0)) this.#send(record)
    } catch (thrown) {
      this.#stop()
      throw thrown
    }
  }

  /** Sends a record. The writer of the journal does not receive its errors. */
  #sendRecord(telemetry: RunTelemetry, projection: SpanProjection, record: Rec): void {
    try {
      telemetry.apply(projection.add(record), true)
    } catch (thrown) {
      this.#stop()
      this.#report(thrown)
    }
  }

  #stop(): void {
    this.#send = () => undefined
    this.#buffered.length = 0
  }

  /** Reports a fault once for each run, because a failure usually repeats for every span. */
  #report(thrown: unknown): void {
    if (this.#hasReported) return
    this.#hasReported = true
    this.#world.onTrouble(telemetryFault(thrown, `telemetry of ${this.#run} cannot be sent`))
  }
}
