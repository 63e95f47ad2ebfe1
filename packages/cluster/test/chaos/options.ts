/** The faults that are injected. */
export type FaultName = 'kill' | 'stop' | 'cut' | 'delay' | 'silence' | 'restart' | 'deploy'

/** What is played. */
export interface ChaosOptions {
  readonly runs: number
  readonly seed: number
  readonly workers: number
  readonly leaseMs: number
  /** The most runs that have begun and not ended. */
  readonly abreast: number
  /** Milliseconds between two faults: at least, and at most. */
  readonly every: readonly [least: number, most: number]
  /** The faults, in the order in which they come; then they are drawn. */
  readonly faults?: readonly FaultName[]
  /** No more faults than these. */
  readonly most?: number
  readonly onLine?: (line: string) => void
}
