/** What a grader says of one answer. */
export interface Grade {
  /** In [0, 1]. */
  readonly score: number
  readonly passed: boolean
  readonly detail: string
}

/** A grade that knows no half. */
export function verdict(passed: boolean, detail: string): Grade {
  return { score: passed ? 1 : 0, passed, detail }
}
