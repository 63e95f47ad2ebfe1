import { quote } from '../../../text/index.ts'
import type { Piece, TextPiece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'

/** A word of a command: its pieces, without the quotes. */
export interface Word {
  readonly pieces: readonly Piece[]
  /** True if a part of it is in quotes, which makes `--` or `A=b` plain text. */
  readonly isQuoted: boolean
  readonly offset: number
}

/** Characters that a shell gives a meaning to unless they are quoted. */
const OPERATORS = new Set('|&;<>()$`*?[~{\n\r')
const SPACES = new Set(' \t')

/**
 * Splits the text of a command into words as a POSIX shell does, with quotes and backslashes, and with nothing else: no variable, no pattern and no
 * operator (reference skill 1.6). A placeholder belongs to the word in which it stands, whatever its value will be. Never throws.
 */
export function splitWords(pieces: readonly Piece[]): { readonly words: readonly Word[]; readonly problems: readonly TemplateProblem[] } {
  const splitter = new Splitter()
  for (const piece of pieces) {
    if (piece.kind === 'value' || piece.isEscaped) splitter.add(piece)
    else splitter.read(piece)
  }
  splitter.end()
  return splitter
}

class Splitter {
  readonly words: Word[] = []
  readonly problems: TemplateProblem[] = []
  #word: Piece[] | undefined
  #isQuoted = false
  #begin = 0
  #text = ''
  #textAt = 0
  #quote: { readonly sign: string; readonly offset: number } | undefined

  /** Adds a piece that is part of a word as it is. */
  add(piece: Piece): void {
    this.#open(piece.offset)
    this.#flush()
    this.#word?.push(piece)
  }

  read({ text, offset }: TextPiece): void {
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? ''
      const place = offset + at
      if (this.#quote?.sign === "'") this.#single(character, place)
      else if (character === '\\') {
        at++
        this.#escaped(text[at], place)
      } else if (this.#quote !== undefined) this.#double(character, place)
      else this.#plain(character, place)
    }
  }

  end(): void {
    if (this.#quote !== undefined)
      this.problems.push({
        rule: 'E_COMMAND',
        message: 'a quote is not closed',
        fix: `write ${this.#quote.sign} at the end of the argument`,
        offset: this.#quote.offset,
        length: 1,
      })
    this.#close()
  }

  #single(character: string, place: number): void {
    if (character === "'") this.#quote = undefined
    else this.#append(character, place)
  }

  #double(character: string, place: number): void {
    if (character === '"') this.#quote = undefined
    else if (character === '$' || character === '`') this.#operator(character, place)
    else this.#append(character, place)
  }

  #escaped(character: string | undefined, place: number): void {
    if (character === undefined) {
      this.problems.push({
        rule: 'E_COMMAND',
        message: 'a backslash has no character after it',
        fix: 'remove it, or put the argument in quotes',
        offset: place,
        length: 1,
      })
    } else if (character === '\n') return
    // Between double quotes, a backslash stays in front of an ordinary character.
    else if (this.#quote !== undefined && !'\\"$`'.includes(character)) this.#append(`\\${character}`, place)
    else {
      this.#isQuoted = true
      this.#append(character, place)
    }
  }

  #plain(character: string, place: number): void {
    if (SPACES.has(character)) this.#close()
    else if (character === "'" || character === '"') {
      this.#open(place)
      this.#isQuoted = true
      this.#quote = { sign: character, offset: place }
    } else if (OPERATORS.has(character) || (character === '#' && this.#word === undefined)) this.#operator(character, place)
    else this.#append(character, place)
  }

  #operator(character: string, place: number): void {
    const name = character === '\n' || character === '\r' ? 'a line end' : quote(character)
    const fix = 'put it in single quotes, split the command into steps, or allow a shell in the step and in the policy'
    this.problems.push({
      rule: 'E_SHELL_OPERATORS',
      message: `${name} has a meaning only in a shell, and no shell runs this command`,
      fix,
      offset: place,
      length: 1,
    })
    if (character === '\n' || character === '\r') this.#close()
  }

  #append(text: string, place: number): void {
    this.#open(place)
    if (this.#text === '') this.#textAt = place
    this.#text += text
  }

  #open(place: number): void {
    if (this.#word !== undefined) return
    this.#word = []
    this.#begin = place
    this.#isQuoted = false
  }

  #flush(): void {
    if (this.#text !== '')
      this.#word?.push({ kind: 'text', text: this.#text, isEscaped: true, offset: this.#textAt, length: this.#text.length })
    this.#text = ''
  }

  #close(): void {
    this.#flush()
    if (this.#word !== undefined) this.words.push({ pieces: this.#word, isQuoted: this.#isQuoted, offset: this.#begin })
    this.#word = undefined
  }
}
