import type { Block, Item } from './format-read.ts'
import type { FormatToken } from './format-tokens.ts'

/** The maximum length of a line in characters. A part that cannot be broken can be longer. */
const WIDTH = 100
const INDENT = '  '
/** The maximum number of indented levels. Indenting deeper levels would make the text quadratic in its size. */
const DEEPEST = 40

/** Returns the lines of a pipeline as text; each line ends with `end`. */
export function printItems(items: readonly Item[], end: string): string {
  const printer = new Printer(end)
  for (const item of items) printer.item(item)
  return printer.text
}

type Statement = Extract<Item, { readonly kind: 'statement' }>

class Printer {
  readonly #end: string
  readonly #lines: string[] = []
  #depth = 0
  /** True if nothing is in this body yet, so that no blank line begins it. */
  #isBlockStart = true
  /** True if the line above ends with an opening brace. */
  #isBareOpening = false

  constructor(end: string) {
    this.#end = end
  }

  get text(): string {
    return this.#lines.length === 0 ? '' : `${this.#lines.join(this.#end)}${this.#end}`
  }

  item(item: Item): void {
    if (item.kind === 'close') this.#close(item)
    else if (item.kind === 'comment') this.#line(item.token, comment(item.token, this.#pad, this.#end))
    else this.#statement(item)
  }

  #close({ after }: Extract<Item, { readonly kind: 'close' }>): void {
    this.#depth = Math.max(0, this.#depth - 1)
    const opening = this.#isBlockStart && this.#isBareOpening ? this.#lines.pop() : undefined
    this.#lines.push(`${opening ?? this.#pad}}${this.#trailing(after, this.#pad)}`)
    this.#isBlockStart = false
  }

  #statement(statement: Statement): void {
    const { head, blocks, after, opensBlock } = statement
    const [first] = head
    if (first === undefined) return
    const pad = this.#pad
    const flat = flatText(statement)
    const long = pad.length + flat.length > WIDTH || /[\r\n]/.test(flat)
    const chain = joinTokens(head, pad + INDENT, this.#end, pad.length + headText(head).length > WIDTH)
    const inner = chain.includes('\n') || chain.includes('\r') ? pad + INDENT : pad
    const written = blocks.map((block) => (long || mustBreak(block) ? this.#brokenBlock(block, inner) : flatBlock(block)))
    this.#line(first, `${[chain, ...written].join(' ')}${this.#trailing(after, pad)}`)
    if (!opensBlock) return
    this.#depth++
    this.#isBlockStart = true
    this.#isBareOpening = after.length === 0
  }

  /** Returns a block with each attribute on its own line. */
  #brokenBlock({ opening, entries, closing }: Block, pad: string): string {
    if (entries.length === 0 && opening.length === 0 && closing.length === 0) return '[]'
    const inner = pad + INDENT
    const lines = [`[${this.#trailing(opening, inner)}`]
    const add = (token: FormatToken, text: string): void => {
      if (token.breaks > 1 && lines.length > 1) lines.push('')
      lines.push(inner + text)
    }
    for (const [index, { before, tokens, after }] of entries.entries()) {
      for (const token of before) add(token, comment(token, inner, this.#end))
      const comma = index < entries.length - 1 ? ',' : ''
      const [first] = tokens
      if (first !== undefined) add(first, `${joinTokens(tokens, inner + INDENT, this.#end)}${comma}${this.#trailing(after, inner)}`)
    }
    for (const token of closing) add(token, comment(token, inner, this.#end))
    return [...lines, `${pad}]`].join(this.#end)
  }

  /**
   * Returns the comments behind an element on its line. After a comment that needs its own line, all later comments get their own lines.
   */
  #trailing(comments: readonly FormatToken[], pad: string): string {
    let isBelow = false
    return comments
      .map((token, index) => {
        isBelow ||= beginsLine(token, comments[index - 1])
        return `${isBelow ? this.#end + pad : ' '}${comment(token, pad, this.#end)}`
      })
      .join('')
  }

  #line({ breaks }: FormatToken, text: string): void {
    if (breaks > 1 && !this.#isBlockStart) this.#lines.push('')
    this.#lines.push(this.#pad + text)
    this.#isBlockStart = false
  }

  get #pad(): string {
    return INDENT.repeat(Math.min(this.#depth, DEEPEST))
  }
}

/** Returns a comment unchanged; only a column of stars is aligned below the first star. */
function comment({ text }: FormatToken, pad: string, end: string): string {
  const [first = '', ...rest] = text.split(/\r\n?|\n/)
  // A list with stars can be part of a commented text. It stays unchanged.
  if (!first.startsWith('/*') || rest.length === 0 || rest.some((line) => !line.trimStart().startsWith('*'))) return text
  return [first.trimEnd(), ...rest.map((line) => `${pad} ${line.trim()}`)].join(end)
}

/** Joins tokens. With `chain`, each arrow begins a new line. */
function joinTokens(tokens: readonly FormatToken[], pad: string, end: string, chain = false): string {
  let text = ''
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    const gap = before === undefined || isMark(before, '=') || isMark(token, '=') ? '' : ' '
    const broken = beginsLine(token, before) || (chain && isMark(token, '->'))
    text += `${broken ? end + pad : gap}${comment(token, pad, end)}`
  }
  return text
}

function flatText({ head, blocks }: Statement): string {
  return [headText(head), ...blocks.map(flatBlock)].join(' ')
}

function headText(head: readonly FormatToken[]): string {
  return joinTokens(
    head.filter(({ kind }) => kind !== 'comment'),
    '',
    '\n',
  )
}

function flatBlock({ entries }: Block): string {
  return `[${entries.map(({ tokens }) => joinTokens(tokens, '', '\n')).join(', ')}]`
}

/** True for a block that must be broken over lines, although it is short. */
function mustBreak({ isBroken, opening, entries, closing }: Block): boolean {
  if (opening.length > 0 || closing.length > 0) return true
  return entries.some(({ before, after }) => isBroken || before.length > 0 || after.length > 0)
}

/** True if a token must be the first on its line: after a line comment, or as a comment that needs a whole line. */
function beginsLine(token: FormatToken, before: FormatToken | undefined): boolean {
  const isLineComment = before?.kind === 'comment' && !before.text.startsWith('/*')
  return isLineComment || (token.kind === 'comment' && token.text.startsWith('#'))
}

function isMark(token: FormatToken, mark: string): boolean {
  return token.kind === 'mark' && token.text === mark
}
