import type { Json } from '../../kernel/index.ts'
import type { SlotType } from '../../kinds/skill/model/slot.ts'
import { scalarText, valueKey } from './values.ts'

/** What the values of a slot have in common. */
export interface SlotFacts {
  readonly type: SlotType
  /** A linear pattern for texts without a narrower type. */
  readonly pattern?: string
  /** At most 8 values over at least 20 occurrences: suggested as an enum, not enforced. */
  readonly suggested?: readonly string[]
}

/** The types of texts from the narrowest on, each with what all its values match. Patterns are anchored and have no nested repetition. */
const TEXT_TYPES: readonly (readonly [SlotType, (text: string) => boolean])[] = [
  ['uuid', (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)],
  ['semver', (text) => /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/.test(text)],
  ['datetime', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)],
  ['email', (text) => /^[^\s@]{1,64}@[A-Za-z0-9.-]{1,255}$/.test(text) && isHostname(text.slice(text.indexOf('@') + 1))],
  ['url', (text) => /^https?:\/\//.test(text) && URL.canParse(text)],
  ['image_ref', (text) => /^[a-z0-9.-]+(?::\d+)?\/[a-z0-9._/-]+:[\w.-]+$/.test(text)],
  ['hostname', (text) => text.includes('.') && isHostname(text) && /[a-z]$/i.test(text)],
  ['path', (text) => text.includes('/') && /^[\w.-]+(?:\/[\w.-]+)+$/.test(text) && !text.split('/').includes('..')],
]

function isHostname(text: string): boolean {
  const labels = text.split('.')
  return text.length <= 253 && labels.length > 1 && labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label))
}

/** The classes of characters of a pattern, in the order in which they are written. */
const CLASSES: readonly (readonly [text: string, characters: RegExp])[] = [
  ['a-z', /[a-z]/],
  ['A-Z', /[A-Z]/],
  ['0-9', /[0-9]/],
  ['\\p{L}', /\p{L}/u],
  ['\\p{N}', /\p{N}/u],
]
const CONTROL = /\p{C}/u
const MOST_PATTERN = 200
const MOST_SUGGESTED = 8
const FEWEST_SEEN = 20

/** Collects the values of one slot, without keeping them. */
export class SlotFactsCollector {
  readonly #types = new Set(TEXT_TYPES.map(([type]) => type))
  readonly #classes = new Set<string>()
  readonly #marks = new Set<string>()
  readonly #distinct = new Map<string, string>()
  readonly #kinds = new Set<string>()
  #count = 0
  #shortest = Number.POSITIVE_INFINITY
  #longest = 0
  #hasOther = false

  add(value: Json): void {
    this.#count++
    const kind = typeof value === 'number' ? (Number.isSafeInteger(value) ? 'integer' : 'number') : typeof value
    this.#kinds.add(kind)
    if (this.#distinct.size <= MOST_SUGGESTED) this.#distinct.set(valueKey(value), scalarText(value) ?? '')
    if (typeof value === 'string') this.#addText(value)
  }

  #addText(text: string): void {
    this.#shortest = Math.min(this.#shortest, text.length)
    this.#longest = Math.max(this.#longest, text.length)
    for (const [type, test] of TEXT_TYPES) if (this.#types.has(type) && !test(text)) this.#types.delete(type)
    for (const character of text) {
      const known = CLASSES.find(([, characters]) => characters.test(character))?.[0]
      if (known !== undefined) this.#classes.add(known)
      else if (CONTROL.test(character)) this.#hasOther = true
      else this.#marks.add(character)
    }
  }

  /** Returns the facts. `isWord`: the slot is a part of a command line, where a number is a text. */
  facts(isWord: boolean): SlotFacts {
    const isText = this.#kinds.size === 1 && this.#kinds.has('string')
    if (!isText) return this.#withSuggested({ type: this.#otherType() })
    if (isWord && this.#marks.size === 0 && [...this.#classes].join('') === '0-9' && this.#longest <= 15) return { type: 'integer' }
    const [narrow] = TEXT_TYPES.filter(([type]) => this.#types.has(type))
    return this.#withSuggested(narrow === undefined ? { type: 'string', pattern: this.#pattern() } : { type: narrow[0] })
  }

  #otherType(): SlotType {
    const kinds = [...this.#kinds].sort().join()
    if (kinds === 'integer' || kinds === 'boolean') return kinds
    return kinds === 'number' || kinds === 'integer,number' ? 'number' : 'json'
  }

  #withSuggested(facts: SlotFacts): SlotFacts {
    if (facts.type === 'json' || this.#count < FEWEST_SEEN || this.#distinct.size > MOST_SUGGESTED || this.#distinct.size < 2) return facts
    return { ...facts, suggested: [...this.#distinct.values()].sort() }
  }

  /** Returns a class of the seen characters, with lengths up to twice the longest. */
  #pattern(): string {
    const lengths = `{${Math.ceil(this.#shortest / 2)},${Math.max(1, this.#longest * 2)}}`
    const marks = [...this.#marks].sort().map((mark) => (mark === '-' ? '' : /[\\\]^[]/.test(mark) ? `\\${mark}` : mark))
    const characters =
      CLASSES.flatMap(([text]) => (this.#classes.has(text) ? [text] : [])).join('') + marks.join('') + (this.#marks.has('-') ? '-' : '')
    const isClosed = !this.#hasOther && characters !== '' && characters.length <= MOST_PATTERN / 2
    // RE2 repeats at most a thousand times.
    const bounds = this.#longest * 2 > 1000 ? (this.#shortest === 0 ? '*' : '+') : lengths
    return isClosed ? `[${characters}]${bounds}` : `[^\\x00-\\x08]${bounds}`
  }
}
