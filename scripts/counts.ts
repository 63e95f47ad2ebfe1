/** What a check reports: how many of its parts passed, failed and were skipped. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 }

export function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/** The line that ends every run of the checks. */
export function summary({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** Tells the process that started this one, if it listens. */
export function report(counts: Counts): void {
  process.send?.(counts)
}

/** Reads what `report` sent. */
export function isCounts(message: unknown): message is Counts {
  if (typeof message !== 'object' || message === null) return false
  return ['passed', 'failed', 'skipped'].every((key) => Number.isInteger((message as Record<string, unknown>)[key]))
}
