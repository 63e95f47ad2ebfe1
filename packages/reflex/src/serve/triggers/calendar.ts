import { Cron } from 'croner'

/**
 * The times of a cron expression in a time zone, in milliseconds since the epoch. A time that the start of daylight saving time leaves out
 * is taken at the first moment after the gap. A time that its end repeats is taken once, at the first of both moments; with a wildcard in
 * the hour, each hour that passes counts.
 */
export class Calendar {
  readonly #cron: Cron

  constructor(expression: string, zone: string) {
    this.#cron = new Cron(expression, { timezone: zone, paused: true })
  }

  /** Returns the next times after a moment, at most `most`. */
  next(after: number, most: number): readonly number[] {
    return this.#cron.nextRuns(most, new Date(after)).map((date) => date.getTime())
  }

  /** Returns the last times in (after, until], at most `most`, in order. */
  last(after: number, until: number, most: number): readonly number[] {
    // The reference itself is no previous time.
    return this.#cron
      .previousRuns(most, new Date(until + 1000))
      .map((date) => date.getTime())
      .filter((time) => time > after && time <= until)
      .reverse()
  }
}

/** Returns the problem of a cron expression or a time zone; undefined if it has times. */
export function calendarProblem(cron: string, zone: string): { readonly field: 'cron' | 'zone'; readonly message: string } | undefined {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions()
  } catch {
    return { field: 'zone', message: `there is no time zone ${JSON.stringify(zone)}; write one such as Europe/Berlin` }
  }
  try {
    if (new Calendar(cron, zone).next(0, 1).length > 0) return undefined
    return { field: 'cron', message: `${JSON.stringify(cron)} has no times: no date matches it` }
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace(/^\w+: /, '') : 'it cannot be read'
    return { field: 'cron', message: `${JSON.stringify(cron)} is not a cron expression: ${reason}` }
  }
}
