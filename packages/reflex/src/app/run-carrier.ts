import type { RunHandle } from '../runs/handle.ts'
import { causeOf, type FaultData, faultData, isFault, type OpenRun, type Peek } from '../kernel/index.ts'
import type { WorkerEvent } from './options.ts'
import type { Reflex } from './reflex.ts'

/** The parts of a `Reflex` that a worker needs. They are the same for all kinds. */
export type WorkingReflex = Pick<
  Reflex,
  | 'cluster'
  | 'clusterSettings'
  | 'host'
  | 'kinds'
  | 'limitCalls'
  | 'modelAccess'
  | 'report'
  | 'resume'
  | 'runtime'
  | 'secretFingerprint'
  | 'store'
  | 'tools'
>

export interface CarrierOptions {
  /** From its abort on, runs are released as soon as they rest, and no run is carried on further. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for effects in flight to finish in `stop`; other effects that can wait are not started. Default: 0. */
  readonly grace?: number | undefined
  /** True: no run is held that is due again soon. */
  readonly holdsNone?: boolean | undefined
  /** Looks at a stored run before it is opened. What it throws is the failure of the run, and nothing was recorded. */
  readonly inspect?: ((stored: Peek) => void) | undefined
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined
}

/** What became of a run that was taken. */
export type Taken =
  /** It was carried on, and is released. `due`: the due times of its waits. */
  | { readonly did: 'left'; readonly records: number; readonly due: readonly number[] }
  /** Only the process that began it can continue it. */
  | { readonly did: 'hosted' }
  /** Another part of this process opened it first, and releases it. */
  | { readonly did: 'elsewhere' }
  | { readonly did: 'failed'; readonly thrown: unknown }

/** A run that the carrier has taken. */
interface ActiveRun {
  handle?: RunHandle
  /** True: it is held while it is due again soon. */
  readonly holds: boolean
  readonly done: Promise<Taken>
  /** Resolves when the run is open in this process, or is over. */
  readonly opened: Promise<void>
  readonly onOpened: () => void
  /** Releases it at its next rest, however soon it is due again. */
  readonly letGo: () => void
}

/** Milliseconds: a run that is due again sooner is held until then. To close it and open it again costs more than a tick. */
const HOLD_MS = 5_000
/** Milliseconds: a time that has come is met before its run rests. */
const MET_MS = 1

/**
 * Takes runs by name: opens a run, carries it on until it rests, holds it while it is due again within five seconds, and releases it. It does
 * not look for runs; whoever calls it does. A failure of one run does not touch the others.
 */
export class RunCarrier {
  readonly #reflex: WorkingReflex
  readonly #options: CarrierOptions
  readonly #active = new Map<string, ActiveRun>()

  constructor(reflex: WorkingReflex, options: CarrierOptions) {
    this.#reflex = reflex
    this.#options = options
  }

  /** The number of runs that it has taken and not released. */
  get size(): number {
    return this.#active.size
  }

  /** The names of these runs. */
  get runs(): readonly string[] {
    return [...this.#active.keys()]
  }

  has(run: string): boolean {
    return this.#active.has(run)
  }

  /** Resolves when a run that it has taken is released, or rests and is held because it is due again soon; at once for any other. */
  async rested(run: string): Promise<void> {
    const active = this.#active.get(run)
    await active?.opened
    const opened = active?.handle?.run
    if (active === undefined || opened === undefined) return
    const held = opened.idle({ ahead: MET_MS }).then(
      () => (active.holds && isDueSoon(opened, this.#reflex.host.now()) ? undefined : active.done),
      () => active.done,
    )
    await Promise.race([held, active.done])
  }

  get #isOver(): boolean {
    return this.#options.signal?.aborted === true
  }

  /** Takes a run that it does not have. Resolves when the run is released; does not reject. `holds`: also while the run is due again soon. */
  take(run: string, holds = this.#options.holdsNone !== true): Promise<Taken> {
    return this.#hold(run, holds, (released) => this.#carry(run, released))
  }

  /** Releases a run as soon as it rests, however soon it is due again. */
  letGo(run: string): void {
    this.#active.get(run)?.letGo()
  }

  /** Takes a run that this process has started: continues it and releases it as one that was due. */
  adopt(handle: RunHandle): Promise<Taken> {
    const taken = this.#hold(handle.id, this.#options.holdsNone !== true, (released) => this.#carryOpen(handle, 0, released))
    this.#onOpened(handle.id, handle)
    return taken
  }

  #hold(run: string, holds: boolean, carry: (released: Promise<void>) => Promise<Taken>): Promise<Taken> {
    const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: opened, resolve: onOpened } = Promise.withResolvers<void>()
    const done = Promise.resolve()
      .then(() => carry(released))
      .catch((thrown: unknown): Taken => ({ did: 'failed', thrown }))
      .finally(() => {
        onOpened()
        this.#active.delete(run)
      })
    this.#active.set(run, { holds, done, opened, onOpened, letGo })
    return done
  }

  async #carry(run: string, released: Promise<void>): Promise<Taken> {
    if (await isHosted(this.#reflex, run)) return { did: 'hosted' }
    let before: number | undefined
    const { inspect } = this.#options
    const handle = await this.#reflex.resume(run, {
      ...(inspect === undefined ? {} : { inspect }),
      prepare: (opened) => {
        before = opened.run.state.n
        this.#onOpened(run, opened)
      },
    })
    return before === undefined ? { did: 'elsewhere' } : this.#carryOpen(handle, before, released)
  }

  /** Continues an open run until it rests, and releases it. */
  async #carryOpen(handle: RunHandle, before: number, released: Promise<void>): Promise<Taken> {
    await this.#untilIdle(handle, released)
    await handle.run.leave()
    const { run, status } = handle
    const records = run.state.n - before
    this.#emit({ did: 'left', run: handle.id, status, records, handle })
    handle.close()
    const due = [...run.state.waits.values()].flatMap((wait) => wait.due ?? [])
    return { did: 'left', records, due }
  }

  #onOpened(run: string, handle: RunHandle): void {
    const active = this.#active.get(run)
    if (active !== undefined) active.handle = handle
    this.#emit({ did: 'took', run, handle })
    active?.onOpened()
  }

  /** Resolves when the run rests for a while, or this carrier no longer holds it. An input that arrives while it comes to rest is waited for. */
  async #untilIdle({ run }: RunHandle, released: Promise<void>): Promise<void> {
    if (this.#isOver) return run.leave()
    const holds = this.#active.get(run.id)?.holds === true
    await Promise.race([run.idle({ ahead: holds ? HOLD_MS : MET_MS }), released])
    do await run.idle()
    while (this.#reflex.runtime.openRuns.get(run.id) === run && !(run.atRest && run.durable === run.state.n))
  }

  /** Runs that rest and are only held give up to so many places. */
  makeRoom(places: number): void {
    let needed = places
    for (const { handle, letGo } of this.#active.values()) {
      if (needed <= 0) return
      if (handle?.run.atRest !== true) continue
      letGo()
      needed--
    }
  }

  /** Releases all runs: their decisions become durable, and any worker may continue them. `pause` resolves after the grace, or earlier. */
  async stop(pause: (ms: number) => Promise<void>): Promise<void> {
    const { grace = 0 } = this.#options
    const active = [...this.#active.values()]
    const ended = Promise.all(active.map(({ done }) => done))
    for (const { letGo } of active) letGo()
    if (grace > 0 && active.length > 0) {
      // A fault of a run is reported by the code that runs it.
      for (const { handle } of active) handle?.run.drain().catch(() => undefined)
      await Promise.race([ended, pause(grace)])
    }
    for (const { handle } of active) void handle?.run.leave()
    await ended
  }

  /** Reports a failure of a run, or of the store. */
  fail(run: string | undefined, thrown: unknown): FaultData {
    const fault = faultOf(thrown)
    this.#emit({ did: 'failed', run, fault })
    return fault
  }

  /** A listener cannot stop the worker; an error that it throws is reported as an unhandled rejection. */
  #emit(event: WorkerEvent): void {
    try {
      this.#options.onEvent?.(event)
    } catch (thrown) {
      void Promise.reject(thrown)
    }
  }
}

/** True for a run that code of another process drives: it is left to it. */
async function isHosted({ store, kinds }: WorkingReflex, run: string): Promise<boolean> {
  const kind = (await store.read(run, 0))?.row.program[1]
  return kind !== undefined && kinds.isHosted(kind)
}

/** True for a run at rest that is held, because a time of it comes within seconds. */
function isDueSoon({ state }: Pick<OpenRun, 'state'>, now: number): boolean {
  return state.ended === undefined && [...state.waits.values()].some(({ due }) => due !== undefined && due <= now + HOLD_MS)
}

function faultOf(thrown: unknown): FaultData {
  if (isFault(thrown)) return faultData(thrown)
  const cause = causeOf(thrown)
  return { code: 'R9002', verdict: 'bug', message: typeof cause === 'string' ? cause : cause.message }
}
