import type { Word } from './command-words.ts'
import { nestedScript, wrappedProgram } from './nested-script.ts'
import type { Piece, ValuePiece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'

/** Words after which a script expects a command. */
const RESERVED: ReadonlySet<string> = new Set([
  'if',
  'then',
  'elif',
  'else',
  'while',
  'until',
  'do',
  '!',
  '{',
  'time',
  'command',
  'exec',
  'builtin',
])

/** The commands of a script, or of one pair of its parentheses: the words of the command that is being read. */
export class ShellFrame {
  /** True if ")" ends it. */
  readonly isNested: boolean
  readonly #problems: TemplateProblem[]
  #words: Word[] = []
  #pieces: Piece[] | undefined
  #text = ''
  #begin = 0
  #expectsProgram = true
  #isAfterOptions = false

  constructor(isNested: boolean, problems: TemplateProblem[]) {
    this.isNested = isNested
    this.#problems = problems
  }

  get isInWord(): boolean {
    return this.#pieces !== undefined
  }

  addText(text: string, offset: number): void {
    this.#open(offset)
    this.#text += text
  }

  /** Adds a value to the current word. Returns true if it can begin with "-". */
  addValue(value: ValuePiece): boolean {
    this.#open(value.offset)
    const before = this.#wordText()
    const isFirst = before === ''
    if (isFirst && this.#expectsProgram)
      this.#report('E_DYNAMIC_COMMAND', value, 'a value decides which program runs', 'write the name of the program as plain text')
    if (!this.#isAfterOptions && (before === '-' || (before.startsWith('--') && !before.includes('='))))
      this.#report(
        'E_DYNAMIC_OPTION',
        value,
        'a value decides which option the command gets',
        'write the option as plain text: --name={{value}}',
      )
    this.#flush()
    this.#pieces?.push(value)
    return !isFirst || this.#isAfterOptions
  }

  endWord(): void {
    if (this.#pieces === undefined) return
    const text = this.#wordText()
    this.#flush()
    const hasValue = this.#pieces.some(({ kind }) => kind === 'value')
    this.#words.push({ pieces: this.#pieces, isQuoted: false, offset: this.#begin })
    if (this.#expectsProgram && (hasValue || !(RESERVED.has(text) || /^[A-Za-z_]\w*=/.test(text)))) this.#expectsProgram = false
    if (text === '--' && !hasValue) this.#isAfterOptions = true
    this.#pieces = undefined
  }

  endCommand(): void {
    this.endWord()
    this.#problems.push(...wrappedProgram(this.#words), ...nestedScript(this.#words))
    this.#words = []
    this.#expectsProgram = true
    this.#isAfterOptions = false
  }

  #open(offset: number): void {
    if (this.#pieces !== undefined) return
    this.#pieces = []
    this.#begin = offset
  }

  #flush(): void {
    if (this.#text !== '')
      this.#pieces?.push({ kind: 'text', text: this.#text, isEscaped: true, offset: this.#begin, length: this.#text.length })
    this.#text = ''
  }

  /** Returns the text of the current word; a value counts as one character. */
  #wordText(): string {
    return `${(this.#pieces ?? []).map((piece) => (piece.kind === 'text' ? piece.text : '\0')).join('')}${this.#text}`
  }

  #report(rule: TemplateProblem['rule'], { offset, length }: Piece, message: string, fix: string): void {
    this.#problems.push({ rule, message, fix, offset, length })
  }
}
