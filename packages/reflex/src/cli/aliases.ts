/** Words of other texts about this command, and the words of the house that they stand for. The rest of a command line stays. */
const ALIASES: readonly (readonly [words: readonly string[], meant: readonly string[]])[] = [
  [['skill', 'validate'], ['validate']],
  [
    ['skill', 'activate'],
    ['skill', 'approve'],
  ],
  [
    ['skill', 'deprecate'],
    ['skill', 'evict', '--deprecate'],
  ],
  [['trace', 'list'], ['runs']],
  [['trace', 'show'], ['trace']],
  [['trace', 'verify'], ['replay']],
  [['log', 'compact'], ['gc']],
]

/** Aliases that take a run: without one, their second word is the name of a run. */
const WITH_RUN: readonly string[] = ['show', 'verify']

/** Returns a command line with the words of the house: an alias does, prints and exits as they do. */
export function withoutAliases(argv: readonly string[]): readonly string[] {
  const [verb, action, ...rest] = argv
  if (verb === 'skill' && action === 'export') return exported(rest)
  const found = ALIASES.find(([words]) => words[0] === verb && words[1] === action)
  if (found === undefined) return argv
  const named = rest.some((word) => !word.startsWith('-'))
  if (verb === 'trace' && named !== WITH_RUN.includes(action ?? '')) return argv
  return [...found[1], ...rest]
}

/** `skill export ID` is `export skill:ID --format skill-md`. */
function exported(rest: readonly string[]): readonly string[] {
  const at = rest.findIndex((word, i) => !word.startsWith('-') && !TAKES_VALUE.includes(rest[i - 1] ?? ''))
  const words = rest.map((word, i) => (i === at && !word.startsWith('skill:') ? `skill:${word}` : word))
  return ['export', ...words, ...(rest.includes('--format') ? [] : ['--format', 'skill-md'])]
}

const TAKES_VALUE: readonly string[] = ['-o', '--output', '--format', '--store']
