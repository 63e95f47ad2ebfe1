import { isRegistered, loadTelemetry, type ObserveOptions } from './api.ts'
import { SpanProjection } from './spans.ts'
import { Teller, type ToldRun } from './telling.ts'
import {
  type Fault,
  Journals,
  type Rec,
  type Run,
  RunPrograms,
  type RunRow,
  type Runtime,
  type Store,
  toFault,
} from '../../kernel/index.ts'
import { historyFaults } from '../faults.ts'

/** What observation needs of the rest. */
export interface ObserveWorld {
  readonly runtime: Runtime
  readonly store: Store
  /** Hears of what cannot be told; no run stops over it. */
  readonly onTrouble: (fault: Fault) => void
}

/**
 * Tells an application's telemetry of the runs that this process carries: spans and metrics, projected from their durable
 * records. Only where the application has registered a provider, or gave one: else nothing is imported and nothing is done.
 */
export class Observing {
  readonly #world: ObserveWorld
  readonly #options: ObserveOptions | undefined
  readonly #off: boolean
  readonly #under = new Set<Promise<void>>()
  #teller: Promise<Teller> | undefined

  constructor(world: ObserveWorld, options: ObserveOptions | false | undefined) {
    this.#world = world
    this.#options = options === false ? undefined : options
    this.#off = options === false
  }

  /** Follows a run that begins or is opened again, from its next record on. */
  follow(run: Run): void {
    if (this.#off || (this.#options === undefined && !isRegistered())) return
    this.#teller ??= loadTelemetry().then((api) => new Teller(api, this.#options ?? {}))
    const followed = new Followed(this.#world, run, this.#teller)
    const settled = followed.ready.catch((thrown: unknown) =>
      this.#world.onTrouble(untold(thrown, `telemetry of ${run.id} cannot be told`)),
    )
    this.#under.add(settled)
    void settled.finally(() => this.#under.delete(settled))
  }

  /** Resolves once what has become durable so far was told, and handed in as far as providers can: a process may end right after. */
  async settled(): Promise<void> {
    await Promise.all(this.#under)
    if (this.#teller === undefined) return
    try {
      for (const reason of await (await this.#teller).flush()) this.#lost(reason)
    } catch (thrown) {
      this.#lost(thrown)
    }
  }

  #lost(thrown: unknown): void {
    this.#world.onTrouble(untold(thrown, 'telemetry cannot be handed in'))
  }
}

function untold(thrown: unknown, what: string): Fault {
  return toFault(thrown, (message, cause) =>
    historyFaults.make('R2086', `${what}: ${message}`, {
      cause,
      fix: 'mend the provider that was registered or given; the run goes on without it',
    }),
  )
}

/** One run whose records are told. */
class Followed {
  /** Resolves once it has caught up with the journal; rejects with what keeps it from that. */
  readonly ready: Promise<void>
  readonly #world: ObserveWorld
  readonly #run: string
  readonly #waiting: Rec[] = []
  #tell: ((record: Rec) => void) | undefined
  #troubled = false

  constructor(world: ObserveWorld, run: Run, teller: Promise<Teller>) {
    this.#world = world
    this.#run = run.id
    const known = run.state.n
    run.subscribe((record, n) => {
      if (n <= known) return
      if (this.#tell === undefined) this.#waiting.push(record)
      else this.#tell(record)
    })
    this.ready = this.#catchUp(known, teller)
  }

  async #catchUp(known: number, telling: Promise<Teller>): Promise<void> {
    const { runtime, store } = this.#world
    try {
      const teller = await telling
      const projection = new SpanProjection((state) => new RunPrograms(runtime.programs, state), {
        origin: await originOf(store, this.#run),
      })
      for await (const record of recordsOf(new Journals(store, runtime.programs), this.#run, known)) projection.add(record)
      const told = teller.run(projection.open, (thrown) => this.#trouble(thrown))
      this.#tell = (record) => this.#next(told, projection, record)
      for (const record of this.#waiting.splice(0)) this.#tell(record)
    } catch (thrown) {
      this.#silence()
      throw thrown
    }
  }

  /** Whoever writes the journal hears nothing of what goes wrong here. */
  #next(told: ToldRun, projection: SpanProjection, record: Rec): void {
    try {
      told.take(projection.add(record), true)
    } catch (thrown) {
      this.#silence()
      this.#trouble(thrown)
    }
  }

  #silence(): void {
    this.#tell = () => undefined
    this.#waiting.length = 0
  }

  /** Said once for a run: what fails for one span fails for the next. */
  #trouble(thrown: unknown): void {
    if (this.#troubled) return
    this.#troubled = true
    this.#world.onTrouble(untold(thrown, `telemetry of ${this.#run} cannot be told`))
  }
}

/** The records of a run up to number `until`. */
async function* recordsOf(journals: Journals, id: string, until: number): AsyncGenerator<Rec> {
  if (until === 0) return
  let n = 0
  for await (const batch of journals.batches(id))
    for (const record of batch) {
      if (n++ === until) return
      yield record
    }
}

/** The trace of the run that a run was forked from, if both are in this store. */
async function originOf(store: Store, id: string): Promise<string | undefined> {
  const [first] = await store.journal(id)
  const fork = first === undefined || !first.body.includes('"fork":') ? undefined : forkIn(first.body)
  return fork === undefined ? undefined : (await rowOf(store, fork))?.trace
}

async function rowOf(store: Store, id: string): Promise<RunRow | undefined> {
  return (await store.read(id, 0))?.row
}

function forkIn(body: string): string | undefined {
  const rows = JSON.parse(body) as readonly (readonly unknown[])[]
  const more = rows[0]?.at(-1) as { readonly start?: { readonly fork?: readonly [string, number] } } | undefined
  return more?.start?.fork?.[0]
}
