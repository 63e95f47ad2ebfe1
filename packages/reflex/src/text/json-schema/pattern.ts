import { z } from 'zod'
import { matchLinear } from '../linear-pattern.ts'

/**
 * Whether a text matches a pattern, anywhere in it. What an engine of linear time cannot do, looking around and back
 * references, matches nothing; ask `patternProblem` before.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  return matchLinear(text, linear(pattern)) === true
}

/** Why a pattern cannot be matched in time linear in its text, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  const answer = matchLinear('', linear(pattern))
  return typeof answer === 'boolean' ? undefined : answer.problem.replace('invalid or unsupported Perl syntax', 'unsupported syntax')
}

/** JavaScript writes `\u00e9` where the engine reads `\x{00e9}`. */
function linear(pattern: string): string {
  return pattern.replaceAll(/\\(?:u([0-9a-fA-F]{4})|[^])/g, (escape, hex: string | undefined) =>
    hex === undefined ? escape : `\\x{${hex}}`,
  )
}

const FORMATS: Readonly<Record<string, z.ZodType>> = {
  'date-time': z.iso.datetime({ offset: true }),
  date: z.iso.date(),
  time: z.iso.time(),
  duration: z.iso.duration(),
  email: z.email(),
  uri: z.url(),
  uuid: z.guid(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
}

/** Whether a text has a format. A format that is not known says something to readers alone. */
export function hasFormat(text: string, format: string): boolean {
  return !Object.hasOwn(FORMATS, format) || FORMATS[format]?.safeParse(text).success === true
}
