import type { Json } from '../../../kernel/index.ts'
import { type ExpressionFunction, linearPattern } from '../../../text/index.ts'
import { isInRange } from './semantic-version.ts'

/** The longest pattern of `glob`, and the longest text. */
const [LONGEST_GLOB, LONGEST_TEXT] = [200, 2000]

/**
 * The functions that every expression of a skill has (reference skill 1.7): `glob(text, pattern)`, `semver(version, range)`, `has_tool(name)` and
 * `has_role(name)`. The last two need a snapshot: the gate gives its own under the same names, and without one they fail.
 */
export const SKILL_FUNCTIONS: readonly ExpressionFunction[] = [
  { name: 'glob', params: ['string', 'string'], returns: 'boolean', call: matchesGlob },
  { name: 'semver', params: ['string', 'string'], returns: 'boolean', call: (version, range) => isInRange(textOf(version), textOf(range)) },
  { name: 'has_tool', params: ['string'], returns: 'boolean', call: needsSnapshot },
  { name: 'has_role', params: ['string'], returns: 'boolean', call: needsSnapshot },
]

/** Returns the functions of a host and those of every skill. A function of the host hides one of the same name. */
export function withSkillFunctions(functions: readonly ExpressionFunction[]): readonly ExpressionFunction[] {
  const own = new Set(functions.map(({ name }) => name))
  return [...functions, ...SKILL_FUNCTIONS.filter(({ name }) => !own.has(name))]
}

/** Returns an argument that is a text, as its declaration says. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function needsSnapshot(): never {
  throw new Error('it can be called only in a decision')
}

/** Matches a whole text: `*` is any text, `?` one character. */
function matchesGlob(given?: Json, glob?: Json): boolean {
  const [text, pattern] = [textOf(given), textOf(glob)]
  if (pattern.length > LONGEST_GLOB || text.length > LONGEST_TEXT) throw new Error('the text or the pattern is too long')
  const regex = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const made = linearPattern(`(?s)\\A${regex}\\z`)
  return !('problem' in made) && made.test(text)
}
