import { quote } from '../../../text/index.ts'
import { type CompiledText, compileText } from './compiled-text.ts'
import type { Word } from './command-words.ts'
import { nestedScript, wrappedProgram } from './nested-script.ts'
import type { Piece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'
import { refused, rendered, type Result, tooLarge } from './rendered.ts'
import type { TemplateValues } from './scope.ts'

/** The arguments of a command with their values: as many as the template has, whatever the values are. */
export interface ArgumentList {
  render(values: TemplateValues): Result<readonly string[]>
}

/**
 * Compiles the words of a command into a list of arguments. The program is plain text (`E_DYNAMIC_COMMAND`), a value is never the name of an
 * option (`E_DYNAMIC_OPTION`) and never a script (`E_NESTED_SHELL`).
 */
export function compileArguments(words: readonly Word[]): { readonly list: ArgumentList; readonly problems: readonly TemplateProblem[] } {
  const problems: TemplateProblem[] = [...programProblems(words), ...wrappedProgram(words), ...nestedScript(words)]
  const elements: { readonly text: CompiledText; readonly canBeOption: boolean }[] = []
  let isAfterOptions = false
  for (const { pieces } of words) {
    const { text, problems: inText } = compileText(pieces)
    problems.push(...inText, ...optionProblems(pieces, isAfterOptions))
    elements.push({ text, canBeOption: isAfterOptions || pieces[0]?.kind !== 'value' })
    isAfterOptions ||= plainText(pieces) === '--'
  }
  return { list: { render: (values) => renderList(elements, values) }, problems }
}

function renderList(
  elements: readonly { readonly text: CompiledText; readonly canBeOption: boolean }[],
  values: TemplateValues,
): Result<readonly string[]> {
  const list: string[] = []
  for (const { text, canBeOption } of elements) {
    const element = text.render(values)
    if (!element.ok) return element
    const [first] = text.pieces
    const name = first?.kind === 'value' ? first.reference.text : undefined
    const failure = argumentFailure(element.value, canBeOption, name)
    if (failure !== undefined) return failure
    list.push(element.value)
  }
  return tooLarge(list.join(' ')) ?? rendered(list)
}

/** Returns the failure of an argument that a process cannot get, or that would be read as an option. */
export function argumentFailure(text: string, canBeOption: boolean, name: string | undefined): ReturnType<typeof refused> | undefined {
  if (text.includes('\0') || !text.isWellFormed())
    return refused('arg_unencodable', 'an argument has a NUL character or half a character', name)
  if (canBeOption || !text.startsWith('-')) return undefined
  return refused('arg_option_injection', `the value of ${quote(name ?? '')} begins with "-" and would be read as an option`, name)
}

function programProblems([program]: readonly Word[]): TemplateProblem[] {
  if (program === undefined)
    return [{ rule: 'E_COMMAND', message: 'the command is empty', fix: 'write a program and its arguments', offset: 0, length: 1 }]
  const { pieces, offset, isQuoted } = program
  const text = plainText(pieces)
  const at = { offset, length: Math.max(1, text?.length ?? 1) }
  if (text === undefined || text === '')
    return [
      {
        rule: 'E_DYNAMIC_COMMAND',
        message: 'a value decides which program runs',
        fix: 'write the name of the program as plain text',
        ...at,
      },
    ]
  if (!isQuoted && /^[A-Za-z_]\w*=/.test(text))
    return [
      {
        rule: 'E_SHELL_OPERATORS',
        message: `${quote(text)} sets a variable, which only a shell does`,
        fix: `write env before it: env ${text}`,
        ...at,
      },
    ]
  if (/\.(?:cmd|bat)$/i.test(text))
    return [
      { rule: 'E_COMMAND', message: `${quote(text)} is a script of the Windows shell`, fix: 'call the program that it starts', ...at },
    ]
  return []
}

/** Finds placeholders in the name of an option: `-{{x}}`, `--{{x}}`, `--with-{{x}}`. In `--name={{x}}` the value is only a value. */
function optionProblems(pieces: readonly Piece[], isAfterOptions: boolean): TemplateProblem[] {
  const [first] = pieces
  const value = pieces.find((piece) => piece.kind === 'value')
  if (isAfterOptions || first?.kind !== 'text' || value === undefined) return []
  const before = pieces
    .slice(0, pieces.indexOf(value))
    .map((piece) => (piece.kind === 'text' ? piece.text : ''))
    .join('')
  if (before !== '-' && !(before.startsWith('--') && !before.includes('='))) return []
  const { offset, length } = value
  return [
    {
      rule: 'E_DYNAMIC_OPTION',
      message: 'a value decides which option the command gets',
      fix: 'write the option as plain text: --name={{value}}',
      offset,
      length,
    },
  ]
}

/** Returns the text of a word that has no value; undefined otherwise. */
export function plainText(pieces: readonly Piece[]): string | undefined {
  return pieces.every((piece) => piece.kind === 'text') ? pieces.map(({ text }) => text).join('') : undefined
}
