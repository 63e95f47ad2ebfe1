import { z } from 'zod'
import { fromJavaScript, javaScriptPatternProblem } from '../javascript-pattern.ts'
import { once } from '../once.ts'
import { matchLinear } from '../linear-pattern.ts'

/**
 * Returns true for a text that matches a pattern, anywhere in it. What an engine of linear time cannot do, looking around and back
 * references, matches nothing; ask `patternProblem` before.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  return matchLinear(text, fromJavaScript(pattern)) === true
}

/** Why a pattern cannot be matched in time linear in its text, and what to write instead, or undefined. */
export const patternProblem = javaScriptPatternProblem

const FORMATS: Readonly<Record<string, () => z.ZodType>> = {
  'date-time': once(() => z.iso.datetime({ offset: true })),
  date: once(() => z.iso.date()),
  time: once(() => z.iso.time()),
  duration: once(() => z.iso.duration()),
  email: once(() => z.email()),
  uri: once(() => z.url()),
  uuid: once(() => z.guid()),
  ipv4: once(() => z.ipv4()),
  ipv6: once(() => z.ipv6()),
}

/** Whether a text has a format. A format that is not known says something to readers alone. */
export function hasFormat(text: string, format: string): boolean {
  return !Object.hasOwn(FORMATS, format) || FORMATS[format]?.().safeParse(text).success === true
}
