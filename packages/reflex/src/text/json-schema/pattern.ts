import { z } from 'zod'
import { fromJavaScript, javaScriptPatternProblem } from '../javascript-pattern.ts'
import { once } from '../once.ts'
import { matchLinear } from '../linear-pattern.ts'

/**
 * Returns true if a pattern matches anywhere in a text. A pattern that the linear-time matcher cannot match (look-around, back references)
 * matches nothing; check it with `patternProblem` before.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  return matchLinear(text, fromJavaScript(pattern)) === true
}

/** Returns the reason why a pattern cannot be matched in linear time, and a replacement; undefined if it can be matched. */
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

/** True if a text has a format. An unknown format is only documentation, so every text has it. */
export function hasFormat(text: string, format: string): boolean {
  return !Object.hasOwn(FORMATS, format) || FORMATS[format]?.().safeParse(text).success === true
}
