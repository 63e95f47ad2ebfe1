import { SaxesParser } from 'saxes'
import type { Fault, FaultDetails } from '../../../../kernel/index.ts'
import { Source } from '../../../../text/index.ts'
import { faults } from '../../model/faults.ts'

/** An attribute with the span of its value, in UTF-16 units. */
export interface XmlAttribute {
  readonly name: string
  readonly value: string
  readonly offset: number
  readonly length: number
}

export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, XmlAttribute>
  readonly children: readonly XmlElement[]
  /** The text inside, without that of its children. */
  readonly text: string
  /** The span of the name in the start tag. */
  readonly offset: number
  readonly length: number
}

/** A document with its text, which gives the places of faults. */
export interface XmlDocument {
  readonly source: Source
  readonly root?: XmlElement
  readonly findings: readonly Fault[]
}

/** The deepest nesting of elements. */
const MOST_DEPTH = 400

/**
 * Parses XML. A document type and entities of one are refused, so that a text never becomes larger than it is; the five entities of XML and
 * numbers of characters are read. Reports the first mistake (R1205), because what follows it means nothing. Never throws.
 */
export function parseXml(text: string, file?: string): XmlDocument {
  // The parser joins half of a pair with the character that follows it.
  const source = new Source(text.toWellFormed(), file)
  const builder = new ElementBuilder(source)
  const fault = builder.parse()
  return fault === undefined && builder.root !== undefined
    ? { source, root: builder.root, findings: [] }
    : { source, findings: listed(fault) }
}

function listed(fault: Fault | undefined): Fault[] {
  return fault === undefined ? [] : [fault]
}

/** The end of parsing at the first mistake. */
class XmlMistake extends Error {
  readonly offset: number
  readonly fix: string

  constructor(message: string, offset: number, fix: string) {
    super(message)
    this.offset = offset
    this.fix = fix
  }
}

interface OpenElement {
  readonly name: string
  readonly attributes: Map<string, XmlAttribute>
  readonly children: XmlElement[]
  text: string
  readonly offset: number
  readonly length: number
}

class ElementBuilder {
  root: XmlElement | undefined
  readonly #source: Source
  readonly #parser = new SaxesParser({ xmlns: false, position: true })
  readonly #open: OpenElement[] = []

  constructor(source: Source) {
    this.#source = source
  }

  parse(): Fault | undefined {
    const parser = this.#parser
    parser.on('opentagstart', ({ name }) => this.#begin(name))
    parser.on('attribute', ({ name, value }) => this.#attribute(name, value))
    parser.on('closetag', () => this.#end())
    parser.on('text', (text) => this.#text(text))
    parser.on('cdata', (text) => this.#text(text))
    parser.on('doctype', () => {
      throw new XmlMistake('a document type (DOCTYPE) is not read', this.#at, 'remove it')
    })
    parser.on('error', (error) => {
      throw mistakeOf(error, this.#at)
    })
    try {
      parser.write(this.#source.text).close()
      return undefined
    } catch (thrown) {
      if (thrown instanceof XmlMistake) return this.#fault(thrown)
      throw thrown
    }
  }

  get #at(): number {
    return Math.max(0, this.#parser.position - 1)
  }

  #begin(name: string): void {
    // The parser stands behind the character that follows the name.
    const offset = this.#source.text.lastIndexOf(`<${name}`, this.#parser.position) + 1
    if (this.#open.length >= MOST_DEPTH) {
      throw new XmlMistake(`elements are nested more than ${MOST_DEPTH} levels deep`, offset, 'move a part into a BehaviorTree of its own')
    }
    this.#open.push({ name, attributes: new Map(), children: [], text: '', offset, length: name.length })
  }

  #attribute(name: string, value: string): void {
    const end = this.#parser.position - 1
    const mark = this.#source.text[end] ?? '"'
    const offset = this.#source.text.lastIndexOf(mark, end - 1) + 1
    this.#open.at(-1)?.attributes.set(name, { name, value, offset, length: end - offset })
  }

  #end(): void {
    const element = this.#open.pop()
    const parent = this.#open.at(-1)
    if (element === undefined) return
    if (parent === undefined) this.root = element
    else parent.children.push(element)
  }

  #text(text: string): void {
    const open = this.#open.at(-1)
    if (open !== undefined) open.text += text
  }

  #fault({ message, offset, fix }: XmlMistake): Fault {
    return faults.finding('R1205', message, { ...this.#source.details(Math.min(offset, this.#source.text.length), 1), fix })
  }
}

/** Returns a mistake of the parser in our words. Its messages begin with the line and the column. */
function mistakeOf(error: Error, at: number): XmlMistake {
  const words = error.message.replace(/^(?:[^:]*:)?\d+:\d+: /, '')
  if (words.startsWith('undefined entity')) {
    return new XmlMistake('this entity is not declared, and declarations are not read', at, 'write the character itself, or &amp; for &')
  }
  if (words.startsWith('duplicate attribute')) return new XmlMistake('the attribute occurs twice', at, 'remove one of the two')
  if (words.startsWith('unclosed tag'))
    return new XmlMistake(`an element is never closed: ${words.slice('unclosed tag: '.length)}`, at, 'close it')
  return new XmlMistake(`the text is not XML: ${words.replace(/\.$/, '')}`, at, 'correct the marked place')
}

/** Returns the details of a fault at an element, or at the value of one of its attributes. */
export function placeOf(source: Source, element: XmlElement, attribute?: string, note?: string): FaultDetails {
  const { offset, length } = (attribute === undefined ? undefined : element.attributes.get(attribute)) ?? element
  return source.details(offset, length, note)
}
