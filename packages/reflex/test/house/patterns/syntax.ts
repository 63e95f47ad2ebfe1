/** A regular expression as a tree, as far as the sources of this repository use its syntax. */
export type Term =
  | { readonly type: 'one'; readonly fits: (char: string) => boolean }
  | { readonly type: 'either'; readonly ways: readonly Term[] }
  | { readonly type: 'row'; readonly items: readonly Term[] }
  | { readonly type: 'times'; readonly item: Term; readonly least: number; readonly most: number; readonly greedy: boolean }
  | { readonly type: 'group'; readonly item: Term; readonly number: number }
  | { readonly type: 'look'; readonly item: Term; readonly ahead: boolean; readonly wanted: boolean }
  | { readonly type: 'place'; readonly at: '^' | '$' | 'b' | 'B' }
  | { readonly type: 'same'; readonly number: number }

/** A parsed pattern and the flags that say how it is matched. */
export interface Pattern {
  readonly term: Term
  readonly flags: string
}

/** Parses a pattern of JavaScript. Throws on syntax that it does not know. */
export function parsePattern(source: string, flags: string): Pattern {
  return { term: new Parser(source, flags).whole(), flags }
}

const CLASS_ESCAPE = /^(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])/

class Parser {
  readonly #source: string
  readonly #flags: string
  readonly #names = new Map<string, number>()
  #at = 0
  #groups = 0

  constructor(source: string, flags: string) {
    this.#source = source
    this.#flags = flags.replace(/[gyd]/g, '')
  }

  whole(): Term {
    const term = this.#either()
    if (this.#at < this.#source.length) throw new Error(`unread: ${this.#source.slice(this.#at)}`)
    return term
  }

  #either(): Term {
    const ways = [this.#row()]
    while (this.#eat('|')) ways.push(this.#row())
    const [only] = ways
    return only !== undefined && ways.length === 1 ? only : { type: 'either', ways }
  }

  #row(): Term {
    const items: Term[] = []
    while (this.#at < this.#source.length && !/[|)]/.test(this.#peek)) items.push(this.#times(this.#atom()))
    return { type: 'row', items }
  }

  #times(item: Term): Term {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/.exec(this.#rest)
    if (found === null) return item
    this.#at += found[0].length
    const [, sign = '', from = '', comma = '', to = '', lazy = ''] = found
    const least = sign === '' ? Number(from) : sign === '+' ? 1 : 0
    const most =
      sign === '' ? (comma === '' ? least : to === '' ? Number.POSITIVE_INFINITY : Number(to)) : sign === '?' ? 1 : Number.POSITIVE_INFINITY
    return { type: 'times', item, least, most, greedy: lazy === '' }
  }

  #atom(): Term {
    if (this.#eat('^')) return { type: 'place', at: '^' }
    if (this.#eat('$')) return { type: 'place', at: '$' }
    if (this.#eat('(')) return this.#group()
    if (this.#peek === '[') return this.#class()
    if (this.#eat('\\')) return this.#escape()
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
    this.#at += char.length
    return this.#one(char)
  }

  #group(): Term {
    for (const [opening, ahead, wanted] of LOOKS) {
      if (!this.#eat(opening)) continue
      return { type: 'look', item: this.#closed(), ahead, wanted }
    }
    if (this.#eat('?:')) return this.#closed()
    const number = ++this.#groups
    const name = /^\?<(\w+)>/.exec(this.#rest)
    if (name !== null) {
      this.#at += name[0].length
      this.#names.set(name[1] ?? '', number)
    }
    return { type: 'group', item: this.#closed(), number }
  }

  #closed(): Term {
    const item = this.#either()
    if (!this.#eat(')')) throw new Error('a group is not closed')
    return item
  }

  #class(): Term {
    let end = this.#at + 1
    while (this.#source[end] !== ']') end += this.#source[end] === '\\' ? 2 : 1
    const source = this.#source.slice(this.#at, end + 1)
    this.#at = end + 1
    return this.#one(source)
  }

  #escape(): Term {
    if (this.#eat('b')) return { type: 'place', at: 'b' }
    if (this.#eat('B')) return { type: 'place', at: 'B' }
    const back = /^(?:k<(\w+)>|([1-9]\d*))/.exec(this.#rest)
    if (back !== null) {
      this.#at += back[0].length
      return { type: 'same', number: back[2] === undefined ? (this.#names.get(back[1] ?? '') ?? 0) : Number(back[2]) }
    }
    const [source = ''] = CLASS_ESCAPE.exec(this.#rest) ?? []
    this.#at += source.length
    return this.#one(`\\${source}`)
  }

  /** One character, judged by the language itself. */
  #one(source: string): Term {
    const expression = new RegExp(`^(?:${source})$`, this.#flags.replace('m', ''))
    const known = new Map<string, boolean>()
    const fits = (char: string): boolean => {
      let found = known.get(char)
      if (found === undefined) known.set(char, (found = expression.test(char)))
      return found
    }
    return { type: 'one', fits }
  }

  get #peek(): string {
    return this.#source[this.#at] ?? ''
  }

  get #rest(): string {
    return this.#source.slice(this.#at)
  }

  #eat(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }
}

const LOOKS = [
  ['?=', true, true],
  ['?!', true, false],
  ['?<=', false, true],
  ['?<!', false, false],
] as const
