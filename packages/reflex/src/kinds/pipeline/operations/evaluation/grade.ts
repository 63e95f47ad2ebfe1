/** The judgement of a grader about one answer. */
export interface Grade {
  /** In [0, 1]. */
  readonly score: number
  readonly passed: boolean
  readonly detail: string
}

/** Returns a grade that is either 0 or 1. */
export function verdict(passed: boolean, detail: string): Grade {
  return { score: passed ? 1 : 0, passed, detail }
}
