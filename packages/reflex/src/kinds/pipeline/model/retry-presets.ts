/** The number of attempts of a node, and the delays between them. */
export interface RetryPolicy {
  /** The number of executions, including the first. */
  readonly attempts: number
  readonly initialDelay: number
  readonly factor: number
  readonly maxDelay: number
  readonly jitter: boolean
}

/** The five presets (seed pipeline 3.4; reference pipeline 3.5). */
export const PRESETS: Readonly<Record<string, RetryPolicy>> = {
  standard: { attempts: 5, initialDelay: 200, factor: 2, maxDelay: 10_000, jitter: true },
  aggressive: { attempts: 5, initialDelay: 500, factor: 2, maxDelay: 30_000, jitter: true },
  linear: { attempts: 3, initialDelay: 500, factor: 1, maxDelay: 5_000, jitter: true },
  patient: { attempts: 3, initialDelay: 2_000, factor: 3, maxDelay: 60_000, jitter: true },
  none: { attempts: 1, initialDelay: 0, factor: 0, maxDelay: 0, jitter: false },
}
