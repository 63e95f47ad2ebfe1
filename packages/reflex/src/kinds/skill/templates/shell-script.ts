import { argumentFailure } from './argument-list.ts'
import { type CompiledText, compileText, renderPiece } from './compiled-text.ts'
import type { Piece, TextPiece, ValuePiece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'
import { rendered, type Result, tooLarge } from './rendered.ts'
import type { ArgumentList } from './argument-list.ts'
import type { TemplateValues } from './scope.ts'
import { ShellFrame } from './shell-frame.ts'

/** A value of a script: the positional parameter by which the script reads it. */
interface ScriptValue {
  readonly piece: ValuePiece
  readonly canBeOption: boolean
}

/**
 * Compiles a command for a shell: `/bin/sh -c SCRIPT reflex VALUE…` (reference skill 1.6). The script is constant; each value is a
 * positional parameter, quoted as its place needs it, so that no value is ever read as script.
 */
export function compileScript(pieces: readonly Piece[]): { readonly list: ArgumentList; readonly problems: readonly TemplateProblem[] } {
  const { text, problems } = compileText(pieces)
  const writer = new ScriptWriter()
  for (const piece of pieces) {
    if (piece.kind === 'value') writer.addValue(piece)
    else writer.read(piece)
  }
  writer.end()
  const { script, values } = writer
  return { list: { render: (given) => renderScript(script, values, text, given) }, problems: [...problems, ...writer.problems] }
}

function renderScript(
  script: string,
  places: readonly ScriptValue[],
  whole: CompiledText,
  values: TemplateValues,
): Result<readonly string[]> {
  // URLs and paths are checked in the whole text, where values are beside the text around them.
  const text = whole.render(values)
  if (!text.ok) return text
  const list = ['/bin/sh', '-c', script, 'reflex']
  for (const { piece, canBeOption } of places) {
    const value = renderPiece(piece, whole.urls, values)
    if (!value.ok) return value
    const failure = argumentFailure(value.value, canBeOption, piece.reference.text)
    if (failure !== undefined) return failure
    list.push(value.value)
  }
  return tooLarge(list.join(' ')) ?? rendered(list)
}

/** A part of a script that is being read: commands, a text in quotes, a comment, or a place in which no value can be. */
type Context = ShellFrame | 'single' | 'double' | 'comment' | Computed

/** A substitution that a shell evaluates again, with the text that ends it. */
interface Computed {
  readonly end: string
}

class ScriptWriter {
  script = ''
  readonly values: ScriptValue[] = []
  readonly problems: TemplateProblem[] = []
  readonly #contexts: Context[] = [new ShellFrame(false, this.problems)]

  addValue(piece: ValuePiece): void {
    const context = this.#contexts.at(-1)
    const { offset, length } = piece
    if (context === 'comment') return
    if (typeof context === 'object' && 'end' in context) {
      const fix = 'assign the value to a variable first: x={{value}}; then use $x'
      this.problems.push({ rule: 'E_NESTED_SHELL', message: 'the shell would compute the value here', fix, offset, length })
      return
    }
    const canBeOption = this.#frame().addValue(piece)
    this.values.push({ piece, canBeOption })
    const parameter = `\${${this.values.length}}`
    this.script += context === 'double' ? parameter : context === 'single' ? `'"${parameter}"'` : `"${parameter}"`
  }

  read({ text, offset }: TextPiece): void {
    for (let at = 0; at < text.length; ) {
      const length = this.#readAt(text, at, offset + at)
      this.script += text.slice(at, at + length)
      at += length
    }
  }

  end(): void {
    const open = this.#contexts.at(-1)
    if (this.#contexts.length > 1 && open !== 'comment')
      this.problems.push({ rule: 'E_COMMAND', message: 'a quote or a parenthesis is not closed', fix: 'close it', offset: 0, length: 1 })
    for (const context of this.#contexts) if (context instanceof ShellFrame) context.endCommand()
  }

  /** The commands that the current place belongs to. */
  #frame(): ShellFrame {
    for (let i = this.#contexts.length - 1; i >= 0; i--) {
      const context = this.#contexts[i]
      if (context instanceof ShellFrame) return context
    }
    throw new TypeError('a script without commands')
  }

  /** Reads what begins at a place. Returns its length. */
  #readAt(text: string, at: number, place: number): number {
    const context = this.#contexts.at(-1)
    const character = text[at] ?? ''
    if (context === 'comment') {
      if (character === '\n') this.#contexts.pop()
      return 1
    }
    if (context === 'single') {
      if (character === "'") this.#contexts.pop()
      else this.#frame().addText(character, place)
      return 1
    }
    if (character === '\\') return this.#escaped(text, at, place)
    if (typeof context === 'object' && 'end' in context) return this.#computed(context, text, at)
    return this.#substitution(text, at, place) ?? (context === 'double' ? this.#double(character, place) : this.#plain(text, at, place))
  }

  #escaped(text: string, at: number, place: number): number {
    const next = text[at + 1]
    if (next === undefined)
      this.problems.push({
        rule: 'E_COMMAND',
        message: 'a backslash has no character after it',
        fix: 'remove it',
        offset: place,
        length: 1,
      })
    else if (next !== '\n') this.#frame().addText(next, place)
    return 2
  }

  #computed({ end }: Computed, text: string, at: number): number {
    if (text.startsWith(end, at)) {
      this.#contexts.pop()
      return end.length
    }
    for (const [begin, inner] of [
      ['$((', '))'],
      ['${', '}'],
      ['(', ')'],
    ] as const) {
      if (!text.startsWith(begin, at)) continue
      this.#contexts.push({ end: inner })
      return begin.length
    }
    return 1
  }

  #substitution(text: string, at: number, place: number): number | undefined {
    for (const [begin, context] of [
      ['$((', { end: '))' }],
      ['${', { end: '}' }],
      ['`', { end: '`' }],
      ['$(', new ShellFrame(true, this.problems)],
    ] as const) {
      if (!text.startsWith(begin, at)) continue
      this.#frame().addText('$', place)
      this.#contexts.push(context)
      return begin.length
    }
    return undefined
  }

  #double(character: string, place: number): number {
    if (character === '"') this.#contexts.pop()
    else this.#frame().addText(character, place)
    return 1
  }

  #plain(text: string, at: number, place: number): number {
    const character = text[at] ?? ''
    const frame = this.#frame()
    if (character === "'" || character === '"') {
      frame.addText('', place)
      this.#contexts.push(character === "'" ? 'single' : 'double')
    } else if (character === ' ' || character === '\t') frame.endWord()
    else if (character === '#' && !frame.isInWord) this.#contexts.push('comment')
    else if (text.startsWith('<<', at)) {
      const fix = 'write the text to a file, or pass it with printf and a pipe'
      this.problems.push({ rule: 'E_SHELL_OPERATORS', message: 'a here-document cannot be checked', fix, offset: place, length: 2 })
      return 2
    } else if (character === '<' || character === '>') frame.endWord()
    else if (';|&\n\r'.includes(character)) frame.endCommand()
    else if (character === '(') {
      frame.endCommand()
      this.#contexts.push(new ShellFrame(true, this.problems))
    } else if (character === ')') {
      frame.endCommand()
      if (frame.isNested) this.#contexts.pop()
    } else frame.addText(character, place)
    return 1
  }
}
