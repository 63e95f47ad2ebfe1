/** Words of other texts about skills, and the words of the house that they stand for. */
const SKILL_ALIASES: Readonly<Record<string, readonly string[]>> = {
  validate: ['validate'],
  activate: ['skill', 'approve'],
  deprecate: ['skill', 'evict', '--deprecate'],
}

/** Options of `export` with a value. */
const TAKES_VALUE: readonly string[] = ['-o', '--output', '--format', '--store']

/** Returns the command line that a verb about skills stands for; undefined if it is the house's own. `export ID` is `export skill:ID --format skill-md`. */
export function skillAlias(action: string, rest: readonly string[]): readonly string[] | undefined {
  if (action !== 'export') return Object.hasOwn(SKILL_ALIASES, action) ? [...(SKILL_ALIASES[action] ?? []), ...rest] : undefined
  const at = rest.findIndex((word, i) => !word.startsWith('-') && !TAKES_VALUE.includes(rest[i - 1] ?? ''))
  const words = rest.map((word, i) => (i === at && !word.startsWith('skill:') ? `skill:${word}` : word))
  return ['export', ...words, ...(rest.includes('--format') ? [] : ['--format', 'skill-md'])]
}
