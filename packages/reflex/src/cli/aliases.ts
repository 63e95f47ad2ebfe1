import { skillAlias } from './learning/aliases.ts'
import { LEARNING } from './learning/verbs.ts'

/** Words of other texts about runs, and the verbs of the house that they stand for. */
const TRACE_ALIASES: Readonly<Record<string, string>> = { list: 'runs', show: 'trace', verify: 'replay' }

/** Returns a command line with the words of the house: an alias does, prints and exits as they do. The rest of the line stays. */
export function withoutAliases(argv: readonly string[]): readonly string[] {
  const [verb = '', action = '', ...rest] = argv
  if (verb === LEARNING[0]) return skillAlias(action, rest) ?? argv
  if (verb === 'log' && action === 'compact') return ['gc', ...rest]
  const meant = verb === 'trace' && Object.hasOwn(TRACE_ALIASES, action) ? TRACE_ALIASES[action] : undefined
  // Without a run, the second word is the name of one, but `list` takes none.
  const hasRun = rest.some((word) => !word.startsWith('-'))
  return meant === undefined || hasRun === (action === 'list') ? argv : [meant, ...rest]
}
