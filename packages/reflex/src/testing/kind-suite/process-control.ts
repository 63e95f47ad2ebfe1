import type { Store } from '../../kernel/index.ts'

/** The name of a store method in a moment. */
export type StoreCall = Exclude<keyof Store, 'durable' | 'name' | 'watch' | 'follow' | 'batches' | 'close'>

/** A moment of a process: it calls its store, performs an effect, or has applied a record. */
export interface Moment {
  readonly what: StoreCall | 'perform' | 'record'
  readonly when: 'before' | 'after'
}

/** Controls a process: it can end it or stop it. */
export interface ProcessControl {
  /** True if the process is over. It then does nothing more and receives nothing. */
  readonly dead: boolean
  /** Resolves when the process resumes; undefined if it is not stopped. */
  readonly stopped: Promise<void> | undefined
  /** The number of durable records when the process was last stopped. */
  readonly stoppedAt?: number | undefined
  /** Receives every moment. It can end or stop the process, or throw the error that the store must throw. */
  onMoment(moment: Moment): void
}

/** Never ends or stops the process. */
export const UNCONTROLLED: ProcessControl = { dead: false, stopped: undefined, onMoment() {} }

/** Ends the process before or after one of its commits or performed effects: the most critical moments. */
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

/** Returns a promise that never settles, for a process that is over. */
export function neverResolves(): Promise<never> {
  return new Promise(() => {})
}
