import { faults } from '../journal/faults.ts'
import { causeOf, type Fault } from '../journal/fault.ts'
import type { HowClosed, Port, PortRun } from '../ports/port.ts'
import type { RunFacts } from '../ports/settings.ts'
import type { CallOwner, LiveCall } from './live-call.ts'

/** A run whose ports are opened. */
export interface PortOwner<S extends RunFacts> extends CallOwner<S> {
  message: PortRun<S>['message']
  /** Acts once it is certain that no other process owns the run. */
  whileOwned(act: () => void): void
  /** A port that a program of the run declares is open, or could not be opened. */
  onPortOpened(fault: Fault | undefined): void
}

interface PortWorld<S extends RunFacts> {
  readonly ports: ReadonlyMap<string, Port<S>>
  readonly onTrouble: ((fault: Fault) => void) | undefined
}

interface OpenPort<S extends RunFacts> {
  readonly port: Port<S>
  readonly run: MutableRun<S>
  readonly abort: AbortController
  /** Resolves when it is open, or with the fault; undefined once it is open. */
  opening: Promise<Fault | undefined> | undefined
}

const CLOSED = Promise.resolve()

type MutableRun<S extends RunFacts> = { -readonly [Key in keyof PortRun<S>]: PortRun<S>[Key] }

/**
 * The ports that are open for a run in this process: opened before their first effect, or when a program that declares them is on the
 * stack, and closed once. Nothing of it is recorded, so a replay and a fork open nothing, and a crash closes nothing.
 */
export class OpenPorts<S extends RunFacts = RunFacts> {
  readonly #run: PortOwner<S>
  readonly #world: PortWorld<S>
  readonly #ports = new Map<string, OpenPort<S>>()
  /** The number of declared ports that are being opened. */
  #declared = 0
  #closed: Promise<void> | undefined

  constructor(run: PortOwner<S>, world: PortWorld<S>) {
    this.#run = run
    this.#world = world
  }

  /** True while a declared port is being opened. A run that has ended does not wait for it. */
  get isOpening(): boolean {
    return this.#declared > 0 && this.#run.state.ended === undefined
  }

  /** Resolves when the port of a call is open, or with `R2107`. Undefined if there is nothing to wait for. */
  of(call: LiveCall<S>): Promise<Fault | undefined> | undefined {
    if (call.implementation.open === undefined || !call.isPerformed) return undefined
    return this.#open(call.port, call.implementation)
  }

  /** Returns what the port gave when it was opened. */
  session(port: string): unknown {
    return this.#ports.get(port)?.run.session
  }

  /** Opens the ports that the programs of pins declare. The run is notified of each that is not open at once. */
  declare(pins: Iterable<number>): void {
    if (this.#closed !== undefined) return
    const { definitions, settings } = this.#run
    for (const pin of pins) {
      const { kind, def } = definitions.program(pin)
      for (const name of definitions.kind(kind).ports?.(def) ?? []) {
        const port = this.#world.ports.get(name)
        if (port?.open === undefined || this.#ports.has(name) || (settings.simulated && port.simulate !== 'perform')) continue
        const opening = this.#open(name, port)
        if (opening === undefined) continue
        this.#declared++
        void opening.then((fault) => this.#onDeclared(fault))
      }
    }
  }

  #onDeclared(fault: Fault | undefined): void {
    this.#declared--
    if (this.#closed === undefined) this.#run.onPortOpened(fault)
  }

  #open(name: string, port: Port<S>): Promise<Fault | undefined> | undefined {
    const known = this.#ports.get(name)
    if (known !== undefined) return known.opening
    const { id, settings, state } = this.#run
    const abort = new AbortController()
    const run = {
      id,
      settings,
      forkedFrom: state.start?.fork?.[0],
      signal: abort.signal,
      session: undefined,
      message: this.#run.message.bind(this.#run),
    }
    const entry: OpenPort<S> = { port, run, abort, opening: undefined }
    this.#ports.set(name, entry)
    let isOpen = false
    const opening = new Promise<Fault | undefined>((resolve) => {
      const opened = (session: unknown): void => {
        run.session = session as undefined
        entry.opening = undefined
        isOpen = true
        resolve(undefined)
      }
      const failed = (thrown: unknown): void => {
        if (this.#ports.get(name) === entry) this.#ports.delete(name)
        resolve(openFault(id, name, thrown))
      }
      this.#run.whileOwned(() => {
        if (abort.signal.aborted) return failed('the run was closed')
        try {
          const session = port.open?.(run)
          if (session instanceof Promise) session.then(opened, failed)
          else opened(session)
        } catch (thrown) {
          failed(thrown)
        }
      })
    })
    if (isOpen) return undefined
    entry.opening = opening
    return opening
  }

  /**
   * Closes all open ports, once. A port that is being opened is aborted, and closed if it opens nevertheless; no caller waits for that.
   * Resolves when the open ones are closed; a port that fails to close is reported as `R2108`.
   */
  close(how: HowClosed): Promise<void> {
    this.#closed ??= this.#ports.size === 0 ? CLOSED : this.#closeAll(how)
    return this.#closed
  }

  /** Resolves when all ports of a closed run are closed. */
  get closed(): Promise<void> {
    return this.#closed ?? CLOSED
  }

  async #closeAll(how: HowClosed): Promise<void> {
    const entries = [...this.#ports]
    this.#ports.clear()
    await Promise.all(entries.map(([name, entry]) => this.#close(name, entry, how)))
  }

  async #close(name: string, { port, run, abort, opening }: OpenPort<S>, how: HowClosed): Promise<void> {
    if (opening !== undefined) {
      abort.abort()
      const close = (): Promise<void> => this.#close(name, { port, run, abort, opening: undefined }, how)
      return void opening.then((fault) => (fault === undefined ? close() : undefined))
    }
    try {
      await port.close?.(run, how)
    } catch (thrown) {
      const cause = causeOf(thrown)
      const why = typeof cause === 'string' ? cause : cause.message
      this.#world.onTrouble?.(
        faults.make('R2108', `port ${name} of ${run.id} could not be closed (${how}): ${why}`, { run: run.id, cause }),
      )
    }
  }
}

function openFault(run: string, name: string, thrown: unknown): Fault {
  const cause = causeOf(thrown)
  const why = typeof cause === 'string' ? cause : cause.message
  const fix = typeof cause === 'string' ? undefined : cause.fix
  return faults.make('R2107', `port ${name} cannot be opened for ${run}: ${why}`, { run, cause, ...(fix === undefined ? {} : { fix }) })
}
