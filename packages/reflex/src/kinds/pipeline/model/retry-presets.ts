/** How often a node is tried, and how long it rests between two tries. */
export interface RetryPolicy {
  /** Executions, the first included. */
  readonly attempts: number
  readonly initial: number
  readonly factor: number
  readonly most: number
  readonly jitter: boolean
}

/** The five presets (seed pipeline 3.4; reference pipeline 3.5). */
export const PRESETS: Readonly<Record<string, RetryPolicy>> = {
  standard: { attempts: 5, initial: 200, factor: 2, most: 10_000, jitter: true },
  aggressive: { attempts: 5, initial: 500, factor: 2, most: 30_000, jitter: true },
  linear: { attempts: 3, initial: 500, factor: 1, most: 5_000, jitter: true },
  patient: { attempts: 3, initial: 2_000, factor: 3, most: 60_000, jitter: true },
  none: { attempts: 1, initial: 0, factor: 0, most: 0, jitter: false },
}
