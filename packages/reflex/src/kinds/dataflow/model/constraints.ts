/** The limits of a supervisor (reference 7.1). Durations are milliseconds. */
export interface Constraints {
  /** The most episodes at the same time; at least 1. */
  readonly max_in_flight?: number
  /** The most passes begun in one `rate_window`; both are stated, or neither. */
  readonly max_per_window?: number
  readonly rate_window?: number
  /** Is recorded with each decision. 0 aborts every pass; any other value limits nothing, because a pass reads no clock. */
  readonly deadline?: number
  /** The most further attempts after a mechanical failure. Default: 0. */
  readonly max_retries?: number
}
