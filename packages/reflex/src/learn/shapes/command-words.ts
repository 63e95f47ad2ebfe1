/** A word of a command line as a POSIX shell splits it. */
export interface CommandWord {
  readonly text: string
  /** An unquoted operator of a shell, such as `|` or `&&`. */
  readonly isOperator?: true
  /** It has an unquoted expansion, such as `$HOME` or `*`, which only a shell performs. */
  readonly isExpanded?: true
}

/** The most characters of a command line that are split. A longer one is one word. */
const LONGEST_LINE = 65_536
const OPERATORS = '|&;<>()\n'
const EXPANSIONS = '$`*?[~{'
const SPACES = ' \t\r'

/**
 * Splits a command line into words: single and double quotes, backslashes, operators. It expands nothing. Returns undefined for a line with
 * an open quote, an escaped end or more than 65,536 characters. One pass.
 */
export function commandWords(line: string): readonly CommandWord[] | undefined {
  return line.length > LONGEST_LINE ? undefined : new WordScanner(line).words()
}

class WordScanner {
  readonly #line: string
  readonly #words: CommandWord[] = []
  #text = ''
  #isOpen = false
  #isExpanded = false
  #at = 0

  constructor(line: string) {
    this.#line = line
  }

  words(): readonly CommandWord[] | undefined {
    while (this.#at < this.#line.length) {
      const char = this.#line[this.#at] ?? ''
      if (SPACES.includes(char)) this.#end()
      else if (OPERATORS.includes(char)) this.#operator()
      else if (!this.#part(char)) return undefined
      this.#at++
    }
    this.#end()
    return this.#words
  }

  /** Reads a quoted part, an escaped character or a plain one. False if the line ends inside it. */
  #part(char: string): boolean {
    this.#isOpen = true
    if (char === "'") return this.#single()
    if (char === '"') return this.#double()
    if (char === '\\') {
      if (++this.#at >= this.#line.length) return false
      this.#text += this.#line[this.#at]
      return true
    }
    if (EXPANSIONS.includes(char)) this.#isExpanded = true
    this.#text += char
    return true
  }

  #single(): boolean {
    const end = this.#line.indexOf("'", this.#at + 1)
    if (end < 0) return false
    this.#text += this.#line.slice(this.#at + 1, end)
    this.#at = end
    return true
  }

  #double(): boolean {
    for (let i = this.#at + 1; i < this.#line.length; i++) {
      const char = this.#line[i] ?? ''
      if (char === '"') {
        this.#at = i
        return true
      }
      if (char === '\\' && '"\\$`'.includes(this.#line[i + 1] ?? ' ')) this.#text += this.#line[++i]
      else {
        if (char === '$' || char === '`') this.#isExpanded = true
        this.#text += char
      }
    }
    return false
  }

  #operator(): void {
    this.#end()
    const from = this.#at
    while (OPERATORS.includes(this.#line[this.#at + 1] ?? ' ') && this.#line[this.#at + 1] === this.#line[from]) this.#at++
    this.#words.push({ text: this.#line.slice(from, this.#at + 1), isOperator: true })
  }

  #end(): void {
    if (this.#isOpen) this.#words.push({ text: this.#text, ...(this.#isExpanded ? { isExpanded: true as const } : {}) })
    this.#text = ''
    this.#isOpen = false
    this.#isExpanded = false
  }
}
