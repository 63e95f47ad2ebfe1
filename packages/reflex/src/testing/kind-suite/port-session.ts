import type { HowClosed, Port, PortRun } from '../../kernel/index.ts'
import { neverResolves, type ProcessControl } from './process-control.ts'

/** Checks that a port is open while it performs effects of a run, that it is opened once and closed once. */
export class PortSession {
  readonly #port: Port
  readonly #control: ProcessControl
  readonly #report: (text: string) => void
  #run: PortRun | undefined

  constructor(port: Port, control: ProcessControl, report: (text: string) => void) {
    this.#port = port
    this.#control = control
    this.#report = report
  }

  open(run: PortRun): unknown {
    if (this.#control.dead) return neverResolves()
    if (this.#run !== undefined) this.#report(`a port of ${run.id} was opened twice`)
    this.#run = run
    return this.#port.open?.(run)
  }

  /** A process that is over closes nothing. */
  close(run: PortRun, how: HowClosed): void | Promise<void> {
    if (this.#control.dead) return undefined
    if (this.#run !== run) this.#report(`a port of ${run.id} was closed (${how}) that was not open`)
    this.#run = undefined
    return this.#port.close?.(run, how)
  }

  checkOpen(what: string): void {
    if (this.#run === undefined) this.#report(`${what} was performed while its port was not open`)
  }
}
