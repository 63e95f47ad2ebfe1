import { linearPattern, patternCost } from './linear-pattern.ts'

/** The units of a pattern: an escape, the start of a group, a class, or any other character. */
const UNIT = /\\(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|k<[^>]{0,80}>|[^])|\(\?(?:<[=!]|[=!])|\[\^?(?:\\[^]|[^\]\\])*\]?|[^]/g
/** The limit on the compile cost of a pattern, in steps; see `patternCost`. */
const MAX_COST = 10_000

/** Constructs that a search in linear time cannot match, each with its name and a replacement. */
const REPLACEMENTS: Readonly<Record<string, readonly [name: string, instead: string]>> = {
  '(?=': ['a lookahead', 'let the pattern also match the text that follows, and put the wanted part into a group: (wanted)followed'],
  '(?!': ['a negative lookahead', 'exclude the text with a separate pattern before this one, or name the characters that can follow: [^…]'],
  '(?<=': ['a lookbehind', 'let the pattern also match the text before, and put the wanted part into a group: before(wanted)'],
  '(?<!': ['a negative lookbehind', 'name the characters that can come before, and put the wanted part into a group: (?:^|[^…])(wanted)'],
  '\\': ['a back reference', 'write out the repeated text, or compare the two values afterwards'],
}

/**
 * Translates a pattern from the syntax of JavaScript to the syntax of the linear-time matcher: `\u00e9` becomes `\x{00e9}`, and `[^]`
 * becomes any character. The flags `i`, `m` and `s` are kept; other flags have no effect.
 */
export function fromJavaScript(pattern: string, flags = ''): string {
  const allowed = flags.replaceAll(/[^ims]/g, '')
  const body = pattern.replaceAll(UNIT, (unit) =>
    unit.startsWith('[') ? withCodes(unit === '[^]' ? '[\\x{0}-\\x{10ffff}]' : unit) : withCodes(unit),
  )
  return allowed === '' ? body : `(?${allowed})${body}`
}

function withCodes(unit: string): string {
  return unit.replaceAll(/\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|[^])/g, (escape, long?: string, short?: string) => {
    const code = long ?? short
    return code === undefined ? escape : `\\x{${code}}`
  })
}

/**
 * Returns the reason why a pattern in the syntax of JavaScript cannot be matched in time linear in the text: the construct, its place, and
 * a replacement. Returns undefined if it can be matched.
 */
export function javaScriptPatternProblem(pattern: string, flags = ''): string | undefined {
  for (const { 0: unit, index } of pattern.matchAll(UNIT)) {
    const [name, instead] = REPLACEMENTS[/^\\(?:[1-9]|k<)/.test(unit) ? '\\' : unit] ?? []
    if (name !== undefined)
      return `the pattern has ${name}, ${unit} at character ${index + 1}, which no search in linear time can match; ${instead ?? ''}`
  }
  const read = fromJavaScript(pattern, flags)
  if (patternCost(read) > MAX_COST) return 'the pattern is too large; write smaller repeat counts, or several patterns'
  const made = linearPattern(read)
  return 'problem' in made ? `the pattern is not a regular expression: ${made.problem}` : undefined
}
