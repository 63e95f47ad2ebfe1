import { suggest } from '../../../text/index.ts'
import type { Span } from '../dot/graph.ts'
import { MOST_PROBLEMS, type Problem } from './problem.ts'

/** A simple selector of a rule. A selector list has several. */
export interface Selector {
  readonly kind: 'all' | 'shape' | 'class' | 'id'
  readonly name: string
}

/** A property and its value. */
export interface Declaration extends Span {
  readonly property: StyleProperty
  readonly value: string
}

export interface StyleRule {
  readonly selectors: readonly Selector[]
  readonly declarations: readonly Declaration[]
}

/** Rules in the order of the text, and problems. A rule with a mistake keeps its readable declarations. */
export interface Stylesheet {
  readonly rules: readonly StyleRule[]
  readonly problems: readonly Problem[]
}

/** The properties that a stylesheet can set (seed pipeline 11.3). */
export const STYLE_PROPERTIES = ['llm_model', 'llm_provider', 'reasoning_effort'] as const
export type StyleProperty = (typeof STYLE_PROPERTIES)[number]

const BLANK = /\s*/y
const SELECTOR = /\*|#[A-Za-z_]\w*|\.[\w-]+|[A-Za-z_]\w*/y
const PROPERTY = /[A-Za-z_][\w.-]*/y
const BARE = /[^;}]*/y
/** A line end followed by a declaration: the `;` between them is missing. */
const NEXT_PROPERTY = /\n[ \t\r]*[A-Za-z_][\w.-]*[ \t]*:/
/** Comments, and quoted texts, which contain no comments. Both extend to the end if they are not closed. */
const COMMENT = /"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|'(?:\\[\s\S]|[^'\\])*(?:'|\\?$)|\/\*[\s\S]*?(?:\*\/|$)/g
const KINDS: Readonly<Record<string, Selector['kind']>> = { '*': 'all', '#': 'id', '.': 'class' }

/** Parses a model stylesheet and never throws. After a mistake, continues with the next rule (reference pipeline 8.1). */
export function parseStylesheet(text: string): Stylesheet {
  const reader = new StylesheetReader(text)
  return { rules: reader.read(), problems: reader.problems }
}

class StylesheetReader {
  readonly problems: Problem[] = []
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = this.#withoutComments(text)
  }

  read(): StyleRule[] {
    const rules: StyleRule[] = []
    for (this.#match(BLANK); this.#at < this.#text.length; this.#match(BLANK)) {
      const selectors = this.#selectors()
      if (selectors === undefined) this.#skip('}')
      else rules.push({ selectors, declarations: this.#declarations() })
    }
    return rules
  }

  #selectors(): Selector[] | undefined {
    const selectors: Selector[] = []
    do {
      this.#match(BLANK)
      const written = this.#match(SELECTOR)
      if (written === undefined) return this.#reportHere('a selector must be *, #id, .class or a shape')
      const kind = KINDS[written.charAt(0)] ?? 'shape'
      selectors.push({ kind, name: kind === 'shape' ? written : written.slice(1) })
      this.#match(BLANK)
    } while (this.#take(','))
    if (this.#take('{')) return selectors
    return this.#reportHere(
      this.#at < this.#text.length ? 'a rule has one selector, or several separated by commas' : 'the selector has no rule',
      'write { here',
    )
  }

  #declarations(): Declaration[] {
    const open = this.#at - 1
    const declarations: Declaration[] = []
    for (;;) {
      this.#match(BLANK)
      if (this.#take('}')) return declarations
      if (this.#at >= this.#text.length) {
        this.#report('the rule is never closed', { from: open, to: open + 1 }, 'close it with }')
        return declarations
      }
      if (this.#take(';')) continue
      const declaration = this.#declaration()
      if (declaration !== undefined) declarations.push(declaration)
    }
  }

  #declaration(): Declaration | undefined {
    const from = this.#at
    const name = this.#match(PROPERTY)
    const to = this.#at
    this.#match(BLANK)
    if (name === undefined || !this.#take(':')) {
      this.#reportHere(
        name === undefined ? 'a property is missing here' : `: and a value are missing after ${name}`,
        'write property: value;',
      )
      return this.#skip(';')
    }
    this.#match(BLANK)
    const value = this.#value(name)
    const property = STYLE_PROPERTIES.find((known) => known === name)
    if (property !== undefined) return value === undefined ? undefined : { property, value, from, to: this.#at }
    this.#addProblem({
      rule: 'stylesheet_property',
      message: `a stylesheet cannot set ${name}`,
      from,
      to,
      guess: suggestedProperty(name),
    })
    return undefined
  }

  #value(property: string): string | undefined {
    const from = this.#at
    const quote = this.#text.charAt(from)
    const value = quote === '"' || quote === "'" ? this.#quotedValue(quote) : this.#bareValue()
    if (value === '') this.#report(`${property} has no value`, { from: from - 1, to: from }, 'write a value')
    return value === '' ? undefined : value
  }

  #bareValue(): string | undefined {
    const from = this.#at
    const text = this.#match(BARE) ?? ''
    const nextProperty = NEXT_PROPERTY.exec(text)
    if (nextProperty === null) return text.trim()
    const value = text.slice(0, nextProperty.index).trimEnd()
    this.#at = from + nextProperty.index
    this.#report('a ; belongs behind each value', { from, to: from + Math.max(1, value.length) }, 'write ; behind it')
    return undefined
  }

  #quotedValue(quote: string): string | undefined {
    const from = this.#at++
    let value = ''
    while (this.#at < this.#text.length && this.#text[this.#at] !== quote) {
      if (this.#text[this.#at] === '\\' && (this.#text[this.#at + 1] === quote || this.#text[this.#at + 1] === '\\')) this.#at++
      value += this.#text.charAt(this.#at++)
    }
    if (!this.#take(quote)) return this.#reportUnclosed(from, quote)
    this.#match(BLANK)
    if (this.#at >= this.#text.length || /[;}]/.test(this.#text.charAt(this.#at))) return value
    this.#reportHere('a ; belongs behind each value', 'write ; before it')
    return undefined
  }

  #reportUnclosed(from: number, quote: string): undefined {
    this.#report('the quote is never closed', { from, to: from + 1 }, `close it with ${quote}`)
    this.#at = from
    return this.#skip(';')
  }

  #reportHere(message: string, fix?: string): undefined {
    this.#report(message, { from: this.#at, to: this.#at + 1 }, fix)
  }

  /** Replaces comments by blanks, so that offsets stay the same. */
  #withoutComments(text: string): string {
    return text.replace(COMMENT, (part, offset: number) => {
      if (!part.startsWith('/*')) return part
      if (part.length < 4 || !part.endsWith('*/')) {
        this.#report('the comment is never closed', { from: offset, to: offset + 2 }, 'close it with */')
      }
      return part.replace(/[^\n]/g, ' ')
    })
  }

  #report(message: string, { from, to }: Span, fix?: string): void {
    this.#addProblem({ rule: 'stylesheet_syntax', message, from, to, fix })
  }

  #addProblem(problem: Problem): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(problem)
  }

  /** Skips to after the sign, to the end of the rule, or to the end of the text. */
  #skip(sign: ';' | '}'): undefined {
    while (this.#at < this.#text.length && this.#text[this.#at] !== '}' && this.#text[this.#at] !== sign) this.#at++
    if (sign === '}') this.#at++
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

function suggestedProperty(name: string): string | undefined {
  return STYLE_PROPERTIES.find((property) => property === `llm_${name}`) ?? suggest(name, STYLE_PROPERTIES)
}
