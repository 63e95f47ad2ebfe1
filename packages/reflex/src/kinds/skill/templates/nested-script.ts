import { quote } from '../../../text/index.ts'
import type { Word } from './command-words.ts'
import type { Piece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'

/** Programs that take a script as an argument, with the options before it. */
const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'busybox', 'fish', 'su'].map((name) => [name, /^(?:-[A-Za-z]*c|--command)/]),
  ),
  ...Object.fromEntries(['python', 'python2', 'python3'].map((name) => [name, /^-[A-Za-z]*c/])),
  ...Object.fromEntries(['perl', 'ruby', 'lua', 'osascript'].map((name) => [name, /^-[A-Za-z0-9]*[eE]/])),
  node: /^(?:-[A-Za-z]*[ep]|--eval|--print)/,
  deno: /^eval$/,
  php: /^-[A-Za-z]*r/,
  pwsh: /^-/,
  powershell: /^-/,
  cmd: /^\//,
}
/** Programs that give all of their arguments to a shell. */
const SHELLS_OF_ARGUMENTS: ReadonlySet<string> = new Set(['eval', 'ssh', 'watch'])

/** Programs that run the program that their arguments name. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'sudo',
  'doas',
  'env',
  'nohup',
  'nice',
  'time',
  'timeout',
  'setsid',
  'stdbuf',
  'xargs',
  'exec',
  'command',
])

/** Finds values that are the program of another program: `sudo {{x}}` (`E_DYNAMIC_COMMAND`). An option can have a value: `sudo -u {{x}} id`. */
export function wrappedProgram(words: readonly Word[]): TemplateProblem[] {
  let isOption = false
  for (const [index, { pieces }] of words.entries()) {
    const [first] = pieces
    const text = first?.kind === 'text' ? first.text : ''
    if (
      index === 0
        ? !WRAPPERS.has(nameOf(text))
        : first?.kind === 'text' && !/^-|^\d|^[A-Za-z_]\w*=/.test(text) && !WRAPPERS.has(nameOf(text))
    )
      return []
    if (index > 0 && first?.kind === 'value' && !isOption) {
      const { offset, length } = first
      return [
        {
          rule: 'E_DYNAMIC_COMMAND',
          message: 'a value decides which program runs',
          fix: 'write the name of the program as plain text',
          offset,
          length,
        },
      ]
    }
    isOption = text.startsWith('-') && text !== '--'
  }
  return []
}

/** Finds values in scripts of nested interpreters: the argument stays one argument, but the interpreter reads it as code (`E_NESTED_SHELL`). */
export function nestedScript(words: readonly Word[]): TemplateProblem[] {
  const problems: TemplateProblem[] = []
  let options: RegExp | undefined
  let program = ''
  let isScript = false
  for (const { pieces } of words) {
    const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
    const value = pieces.find((piece) => piece.kind === 'value')
    if (isScript && value !== undefined) problems.push(inScript(value, program))
    const name = nameOf(text)
    if (value === undefined && SHELLS_OF_ARGUMENTS.has(name)) [program, isScript] = [name, true]
    else if (value === undefined && Object.hasOwn(INTERPRETERS, name)) [program, options, isScript] = [name, INTERPRETERS[name], false]
    else if (options?.test(text) === true) {
      isScript = true
      // The script follows the option, or is a part of it: -e{{code}}.
      if (value !== undefined) problems.push(inScript(value, program))
    } else if (isScript && !SHELLS_OF_ARGUMENTS.has(program)) [options, isScript] = [undefined, false]
  }
  return problems
}

function nameOf(text: string): string {
  return text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1).replace(/\.exe$/, '')
}

function inScript({ offset, length }: Piece, program: string): TemplateProblem {
  const fix = 'pass the value behind the script, as an argument that the script reads: "$1"'
  return { rule: 'E_NESTED_SHELL', message: `${quote(program)} would read the value as code`, fix, offset, length }
}
