import { actions } from '../actions.ts'
import type { Verb } from '../verb.ts'

/** A word that can follow, and its description. */
export type Candidate = readonly [word: string, about: string]

/** The words that a command line cannot know itself. Each source returns nothing if reading would take long. */
export interface Sources {
  /**
   * Returns the runs of the store. With `open`, only runs that have not ended; with `questions`, also their open
   * questions.
   */
  runs(which: { readonly open: boolean; readonly questions: boolean }): Promise<readonly Candidate[]>
  /** Returns the versions of skills in the store. */
  skills(): Promise<readonly Candidate[]>
  /** Returns the answers that the open questions of a run offer. */
  answers(run: string): Promise<readonly Candidate[]>
  /** Returns the values of an option or a word that come from a fixed list: `--trust`, `code`. */
  values(name: string): Promise<readonly Candidate[]>
}

const OTHER_WORDS: readonly Candidate[] = [
  ['help', 'list the commands, or explain one'],
  ['version', 'show the version'],
]

/**
 * Returns the words that can stand in the place of the last of `words`, which follow the name of the command. Returns
 * none where the shell completes file names. Some shells split words at `=` and pass it as a separate word.
 */
export async function candidatesFor(words: readonly string[], sources: Sources): Promise<readonly Candidate[]> {
  const { before, last, lead } = currentWord(words)
  const [name, ...rest] = before
  const found = name === undefined || name === 'help' ? verbs(name === undefined) : await candidatesAfter(name, rest, last, sources)
  return found.filter(([word]) => word.startsWith(last)).map(([word, about]) => [`${lead}${word}`, about])
}

/** Returns the word that is being typed, the words before it, and the part of the word that the shell already has. */
function currentWord(words: readonly string[]): { readonly before: readonly string[]; readonly last: string; readonly lead: string } {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (last === '=') return { before, last: '', lead: '' }
  if (before.at(-1) === '=') return { before: before.slice(0, -1), last, lead: '' }
  const [, option, value] = /^(--[^=]+)=(.*)$/s.exec(last) ?? []
  if (option === undefined || value === undefined) return { before, last, lead: '' }
  return { before: [...before, option], last: value, lead: `${option}=` }
}

function verbs(withOthers: boolean): readonly Candidate[] {
  return [...actions.map(({ name, about }) => [name, about] as const), ...(withOthers ? OTHER_WORDS : [])]
}

async function candidatesAfter(name: string, words: readonly string[], last: string, sources: Sources): Promise<readonly Candidate[]> {
  const verb = actions.find((one) => one.name === name)
  if (verb === undefined) return []
  const { operands, pending } = operandsOf(verb, words)
  if (pending === '--run') return sources.runs({ open: false, questions: false })
  if (pending !== undefined) return sources.values(pending)
  if (last.startsWith('-')) return optionsOf(verb)
  const [syntax = ''] = verb.words[Math.min(operands.length, verb.words.length - 1)] ?? []
  if (operands.length >= verb.words.length && !syntax.includes('...')) return []
  return wordsFor(verb, syntax.replace(/[^a-z]/g, ''), operands, sources)
}

/** Returns the words of a verb without its options, and the option that still needs its value. */
function operandsOf(verb: Verb, words: readonly string[]): { readonly operands: readonly string[]; readonly pending: string | undefined } {
  const operands: string[] = []
  let pending: string | undefined
  for (const word of words) {
    if (word === '=') continue
    const option = verb.options.find(({ long, short }) => word.startsWith('-') && (word === long || word === short))
    if (pending !== undefined) pending = undefined
    else if (option !== undefined) pending = option.required ? (option.long ?? undefined) : undefined
    else if (!word.startsWith('-')) operands.push(word)
  }
  return { operands, pending }
}

function optionsOf(verb: Verb): readonly Candidate[] {
  return [
    ...verb.options.flatMap(({ long, description }) => (long ? [[long, description] as const] : [])),
    ['--help', 'explain this command'],
  ]
}

/** The verbs that take runs which have not ended. */
const OPEN_RUN_VERBS: readonly string[] = ['resume', 'answer', 'signal', 'cancel']

function wordsFor(verb: Verb, word: string, [run = '']: readonly string[], sources: Sources): Promise<readonly Candidate[]> {
  switch (word) {
    case 'run':
    case 'other':
      return sources.runs({ open: OPEN_RUN_VERBS.includes(verb.name), questions: verb.name === 'answer' })
    case 'skill':
      return sources.skills()
    case 'answer':
      return sources.answers(run)
    default:
      return sources.values(word)
  }
}
