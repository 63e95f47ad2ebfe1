import type { Store } from '../../kernel/ports/store.ts'

/** A method of a store, as a moment names it. */
export type StoreCall = Exclude<keyof Store, 'durable' | 'name' | 'watch' | 'close'>

/** A moment in the life of a process: it calls its store, performs an effect, or has applied a record. */
export interface Moment {
  readonly what: StoreCall | 'perform' | 'record'
  readonly when: 'before' | 'after'
}

/** What becomes of a process. */
export interface ProcessControl {
  /** The process is over: it does nothing more, and hears nothing. */
  readonly dead: boolean
  /** The process stands still, and goes on once this resolves. */
  readonly stopped: Promise<void> | undefined
  /** How many records were durable when it was last stopped. */
  readonly stoppedAt?: number | undefined
  /** Told of every moment. May end the process or stop it, or throw what the store is to throw. */
  onMoment(moment: Moment): void
}

/** Nothing ever happens to it. */
export const UNCONTROLLED: ProcessControl = { dead: false, stopped: undefined, onMoment() {} }

/** The process dies at one of its commits and performances, before or after: the moments that count most. */
export class CrashControl implements ProcessControl {
  readonly stopped = undefined
  readonly #crashAt: number
  events = 0

  constructor(crashAt: number = Number.POSITIVE_INFINITY) {
    this.#crashAt = crashAt
  }

  get dead(): boolean {
    return this.events >= this.#crashAt
  }

  onMoment({ what }: Moment): void {
    if (what === 'commit' || what === 'perform') this.events++
  }
}

/** What a process that is over gets to hear. */
export function neverResolves(): Promise<never> {
  return new Promise(() => {})
}
