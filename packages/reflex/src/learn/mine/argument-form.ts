import { isList, isObject, type Json } from '../../kernel/index.ts'
import type { CommandWord } from '../shapes/command-words.ts'
import { flagName, houseTools, type ToolShapes, wordsOf } from '../shapes/operation-shape.ts'

/** The key under which the words of a command line stand in place of the line. No argument has this name: it is not a word. */
export const WORDS = '$words'
/** The key of an operator of a shell among the words. */
export const OPERATOR = '$operator'

/**
 * Returns arguments in the form in which occurrences are compared: a command line is replaced by the list of its words, with a mark if it was a
 * text, and one if only a shell can perform it.
 */
export function argumentForm(tool: string, args: Json, tools: ToolShapes): Json {
  const field = (tools(tool) ?? houseTools(tool))?.commandLine
  if (field === undefined || !isObject(args) || !Object.hasOwn(args, field)) return args
  const line = args[field]
  const words = wordsOf(line)
  if (words === undefined) return args
  const needsShell = words.some(({ isOperator, isExpanded }) => isOperator === true || isExpanded === true)
  const form = { [WORDS]: words.map(wordForm), ...(typeof line === 'string' ? { text: true } : {}), ...(needsShell ? { shell: true } : {}) }
  return { ...args, [field]: form }
}

function wordForm({ text, isOperator }: CommandWord): Json {
  return isOperator === true ? { [OPERATOR]: text } : text
}

/** Returns the words of a form; undefined for another value. */
export function formWords(form: Json): readonly Json[] | undefined {
  if (!isObject(form)) return undefined
  const words = form[WORDS]
  return isList(words) ? words : undefined
}

/** Returns the layout of the command lines in arguments: the number of words, and which of them are flags. Occurrences of one layout can be aligned. */
export function layoutOf(args: Json): string {
  if (!isObject(args)) return ''
  return Object.values(args)
    .flatMap((value) => {
      const words = formWords(value)
      return words === undefined ? [] : [words.map((word) => (typeof word === 'string' ? (flagName(word)[0] ?? '.') : 'op')).join(' ')]
    })
    .join('\n')
}
