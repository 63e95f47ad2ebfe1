import type { Json } from '../../../kernel/index.ts'
import { quote, type TextSpan } from '../../../text/index.ts'
import { type ArgumentList, compileArguments } from './argument-list.ts'
import { splitWords, type Word } from './command-words.ts'
import { parseTemplate } from './parse.ts'
import { checkParts, type Piece, secretProblems } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'
import type { TemplateScope } from './scope.ts'
import { compileScript } from './shell-script.ts'

/** A compiled command line. `render` gives the arguments of the process, the program first. */
export interface CompiledCommand {
  readonly list: ArgumentList
  /** The pieces of each argument; of a script, those of the whole text. */
  readonly arguments: readonly (readonly Piece[])[]
  readonly isScript: boolean
}

/** A problem of a text of the command: `at` is its index in a list of arguments. */
export interface CommandProblem extends TemplateProblem {
  readonly at?: number | undefined
}

export interface CompiledCommandResult {
  readonly command?: CompiledCommand
  readonly problems: readonly CommandProblem[]
}

/**
 * Compiles a command: a text, which is split into arguments once, or a list of arguments. With `shell`, a text is a script. Values never
 * make, split or end an argument (reference skill 1.6). Never throws.
 */
export function compileCommand(command: Json, scope: TemplateScope, { shell }: { readonly shell: boolean }): CompiledCommandResult {
  if (typeof command === 'string') return compileLine(command, scope, shell)
  if (Array.isArray(command) && command.every((part) => typeof part === 'string')) return compileList(command, scope)
  const message = 'a command is a text or a list of texts'
  return { problems: [{ rule: 'E_COMMAND', message, fix: 'write the command as one text', offset: 0, length: 1 }] }
}

function compileLine(text: string, scope: TemplateScope, shell: boolean): CompiledCommandResult {
  const { pieces, problems } = checkParts(parseTemplate(text), scope)
  if (problems.length > 0) return { problems }
  if (shell) {
    const compiled = compileScript(pieces)
    const all = [...secretProblems(pieces, false), ...compiled.problems, ...untyped([pieces])]
    return { command: { list: compiled.list, arguments: [pieces], isScript: true }, problems: all }
  }
  const split = splitWords(pieces)
  return compileWords(split.words, split.problems)
}

function compileList(parts: readonly string[], scope: TemplateScope): CompiledCommandResult {
  const words: Word[] = []
  const problems: TemplateProblem[] = []
  // The arguments are placed behind each other, so that a span belongs to one of them.
  const begins: number[] = []
  let begin = 0
  for (const part of parts) {
    const shift = <T extends TextSpan>(at: T): T => ({ ...at, offset: at.offset + begin })
    const checked = checkParts(parseTemplate(part), scope)
    problems.push(...checked.problems.map(shift))
    words.push({ pieces: checked.pieces.map(shift), isQuoted: true, offset: begin })
    begins.push(begin)
    begin += part.length + 1
  }
  const compiled: CompiledCommandResult = problems.length > 0 ? { problems } : compileWords(words, [])
  return { ...compiled, problems: compiled.problems.map((problem) => inArgument(problem, begins)) }
}

function inArgument(problem: TemplateProblem, begins: readonly number[]): CommandProblem {
  const at = Math.max(
    0,
    begins.findLastIndex((begin) => begin <= problem.offset),
  )
  return { ...problem, at, offset: problem.offset - (begins[at] ?? 0) }
}

function compileWords(words: readonly Word[], before: readonly TemplateProblem[]): CompiledCommandResult {
  const { list, problems } = compileArguments(words)
  const elements = words.map(({ pieces }) => pieces)
  const secrets = elements.flatMap((pieces) => secretProblems(pieces, true))
  return { command: { list, arguments: elements, isScript: false }, problems: [...before, ...problems, ...secrets, ...untyped(elements)] }
}

/** Returns a warning for each slot in a command that takes any text. */
function untyped(elements: readonly (readonly Piece[])[]): TemplateProblem[] {
  const seen = new Set<string>()
  return elements.flat().flatMap((piece): TemplateProblem[] => {
    const slot = piece.kind === 'value' ? piece.reference.slot : undefined
    if (slot === undefined || slot.type !== 'string' || slot.pattern !== undefined || slot.enum !== undefined || seen.has(slot.name))
      return []
    seen.add(slot.name)
    const { offset, length } = piece
    return [
      {
        rule: 'W_UNTYPED_SLOT',
        message: `the slot ${quote(slot.name)} takes any text`,
        fix: 'give it a type, a pattern or an enum',
        offset,
        length,
      },
    ]
  })
}
