import type { Json } from '../../../kernel/index.ts'
import { quote, type TextSpan } from '../../../text/index.ts'
import { type Filter, filterNamed, filterGuess } from './filters.ts'
import type { TemplateProblem } from './problem.ts'

/** A reference as it is written: `work.image.tags[0]`. A slot has one segment. */
export interface ReferenceText extends TextSpan {
  readonly text: string
  readonly segments: readonly (string | number)[]
}

/** A placeholder between braces. */
export interface Placeholder extends TextSpan {
  readonly kind: 'placeholder'
  readonly reference: ReferenceText
  readonly filters: readonly Filter[]
}

/** Plain text. `isEscaped`: it is the braces that `\{{` stands for. */
export interface Literal extends TextSpan {
  readonly kind: 'literal'
  readonly text: string
  readonly isEscaped: boolean
}

export type TemplatePart = Literal | Placeholder

/** A template as read. Its problems make it unusable. */
export interface ParsedTemplate {
  readonly parts: readonly TemplatePart[]
  readonly problems: readonly TemplateProblem[]
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const SEGMENT = /\.([A-Za-z0-9_]+)|\[(\d{1,9})\]/y
const SPACE = /[ \t\r\n]*/y
const LITERAL = /"(?:[^"\\]|\\.)*"|'[^']*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Reads a template in one pass (reference skill 1.5). Text that is inserted later is never read as a template. Never throws. */
export function parseTemplate(text: string): ParsedTemplate {
  return new TemplateParser(text).parse()
}

/** A mistake inside a placeholder. */
class Mistake {
  readonly problem: TemplateProblem

  constructor(problem: TemplateProblem) {
    this.problem = problem
  }
}

class TemplateParser {
  readonly #text: string
  readonly #parts: TemplatePart[] = []
  readonly #problems: TemplateProblem[] = []
  /** The plain braces that are open: `}}` closes two of them in a text such as `{"a": {"b": 1}}`. */
  #braces = 0
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): ParsedTemplate {
    const text = this.#text
    let start = 0
    const plain = (): void => {
      if (this.#at > start)
        this.#parts.push({ kind: 'literal', text: text.slice(start, this.#at), offset: start, length: this.#at - start, isEscaped: false })
    }
    while (this.#at < text.length) {
      if (text.startsWith('\\{{', this.#at)) {
        plain()
        this.#parts.push({ kind: 'literal', text: '{{', offset: this.#at, length: 3, isEscaped: true })
        this.#braces += 2
        start = this.#at += 3
      } else if (text.startsWith('{{', this.#at)) {
        plain()
        this.#placeholder()
        start = this.#at
      } else this.#at += this.#plainCharacter()
    }
    plain()
    return { parts: this.#parts, problems: this.#problems }
  }

  /** Counts the braces of plain text. Returns the number of units read. */
  #plainCharacter(): number {
    const character = this.#text[this.#at]
    if (character === '{') this.#braces++
    if (character !== '}') return 1
    if (this.#braces < 2 && this.#text[this.#at + 1] === '}') {
      this.#braces = 0
      this.#problems.push(syntax('"}}" closes no placeholder', this.#at, 2, 'write "{{" before the name, or remove the braces'))
      return 2
    }
    this.#braces = Math.max(0, this.#braces - 1)
    return 1
  }

  #placeholder(): void {
    const offset = this.#at
    this.#at += 2
    const read = this.#inside()
    if (read instanceof Mistake) {
      this.#problems.push(read.problem)
      const end = this.#text.indexOf('}}', this.#at)
      this.#at = end < 0 ? this.#text.length : end + 2
    } else this.#parts.push({ kind: 'placeholder', ...read, offset, length: this.#at - offset })
  }

  #inside(): Pick<Placeholder, 'reference' | 'filters'> | Mistake {
    const open = this.#at - 2
    this.#take(SPACE)
    const reference = this.#reference()
    if (reference instanceof Mistake) return reference
    const filters: Filter[] = []
    this.#take(SPACE)
    while (this.#text[this.#at] === '|') {
      this.#at++
      const filter = this.#filter()
      if (filter instanceof Mistake) return filter
      filters.push(filter)
      this.#take(SPACE)
    }
    if (!this.#text.startsWith('}}', this.#at)) return this.#unclosed(open)
    this.#at += 2
    return { reference, filters }
  }

  #reference(): ReferenceText | Mistake {
    const offset = this.#at
    const [name] = this.#take(NAME) ?? []
    if (name === undefined) {
      const found = this.#text.startsWith('}}', offset)
        ? 'the placeholder is empty'
        : 'a placeholder begins with the name of a slot or a root'
      return new Mistake(syntax(found, offset, 1, 'write {{slot}} or {{work.path}}; write \\{{ for two plain braces'))
    }
    const segments: (string | number)[] = [name]
    for (let next = this.#take(SEGMENT); next !== undefined; next = this.#take(SEGMENT)) segments.push(next[1] ?? Number(next[2]))
    return { text: this.#text.slice(offset, this.#at), segments, offset, length: this.#at - offset }
  }

  #filter(): Filter | Mistake {
    this.#take(SPACE)
    const offset = this.#at
    const [name] = this.#take(NAME) ?? []
    if (name === undefined) return new Mistake(syntax('a filter is missing after "|"', offset, 1, 'write a filter, or remove "|"'))
    let argument: Json | undefined
    if (this.#text[this.#at] === '(') {
      this.#at++
      this.#take(SPACE)
      const [literal] = this.#take(LITERAL) ?? []
      argument = literal === undefined ? undefined : literalValue(literal)
      this.#take(SPACE)
      const fix = 'write a text in quotes, a number, true, false or null in parentheses'
      if (argument === undefined || this.#text[this.#at] !== ')')
        return new Mistake(syntax(`the value of ${name}() cannot be read`, this.#at, 1, fix))
      this.#at++
    }
    const filter = filterNamed(name, argument)
    if ('problem' in filter)
      return new Mistake({
        rule: 'E_TEMPLATE_FILTER',
        message: filter.problem,
        fix: filter.fix,
        guess: filterGuess(name),
        offset,
        length: name.length,
      })
    return filter
  }

  #unclosed(open: number): Mistake {
    const isEnd = this.#text.indexOf('}}', this.#at) < 0
    if (isEnd) return new Mistake(syntax('"{{" is not closed', open, 2, 'write "}}" after the name, or \\{{ for two plain braces'))
    const rest = this.#text.slice(this.#at, this.#at + 12).split('}}', 1)[0] ?? ''
    return new Mistake(
      syntax(
        `${quote(rest)} cannot follow the name`,
        this.#at,
        Math.max(1, rest.length),
        'write a name, its path, and filters behind "|"; nothing else is computed',
      ),
    )
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at += match[0].length
    return match ?? undefined
  }
}

function literalValue(literal: string): Json | undefined {
  if (literal.startsWith("'")) return literal.slice(1, -1)
  try {
    return JSON.parse(literal) as Json
  } catch {
    return undefined
  }
}

function syntax(message: string, offset: number, length: number, fix: string): TemplateProblem {
  return { rule: 'E_TEMPLATE_SYNTAX', message, offset, length, fix }
}
