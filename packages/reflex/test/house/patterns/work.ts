import type { Pattern, Term } from './syntax.ts'

/** More was to be done than the caller allows. */
export class TooMuch extends Error {}

type Next = (at: number) => boolean

/**
 * Counts the steps in which a backtracking engine, such as that of JavaScript, searches a text: one for each character,
 * place and repetition that it tries, from every start. Throws `TooMuch` above `most`.
 */
export function searchSteps({ term, flags }: Pattern, text: string, most: number, every = flags.includes('g')): number {
  const search = new Search(Array.from(text), flags, most)
  let from = 0
  while (from <= text.length) {
    const end = search.first(term, from)
    if (end === undefined || !every) break
    from = Math.max(end, from + 1)
  }
  return search.steps
}

class Search {
  steps = 0
  readonly #chars: readonly string[]
  readonly #flags: string
  readonly #most: number
  readonly #groups = new Map<number, readonly [number, number]>()

  constructor(chars: readonly string[], flags: string, most: number) {
    this.#chars = chars
    this.#flags = flags
    this.#most = most
  }

  /** The end of the first match that begins at or behind a place. */
  first(term: Term, from: number): number | undefined {
    const last = this.#flags.includes('y') ? from : this.#chars.length
    let end: number | undefined
    const ends: Next = (reached) => {
      end = reached
      return true
    }
    for (let at = from; at <= last; at++) {
      if (this.#groups.size > 0) this.#groups.clear()
      if (this.#match(term, at, true, ends)) return end
    }
    return undefined
  }

  #step(): void {
    if (++this.steps > this.#most) throw new TooMuch()
  }

  #match(term: Term, at: number, ahead: boolean, next: Next): boolean {
    this.#step()
    switch (term.type) {
      case 'one':
        return this.#fits(term, at, ahead) && next(ahead ? at + 1 : at - 1)
      case 'either':
        return term.ways.some((way) => this.#match(way, at, ahead, next))
      case 'row':
        return this.#row(ahead ? term.items : term.items.toReversed(), 0, at, ahead, next)
      case 'times':
        return term.item.type === 'one' ? this.#run(term, term.item, at, ahead, next) : this.#times(term, 0, at, ahead, next)
      case 'group':
        return this.#match(term.item, at, ahead, (end) => {
          this.#groups.set(term.number, [Math.min(at, end), Math.max(at, end)])
          return next(end)
        })
      case 'look':
        return this.#match(term.item, at, term.ahead, () => true) === term.wanted && next(at)
      case 'place':
        return this.#isPlace(term.at, at) && next(at)
      default:
        return this.#same(term.number, at, next)
    }
  }

  #fits(term: Extract<Term, { type: 'one' }>, at: number, ahead: boolean): boolean {
    const char = this.#chars[ahead ? at : at - 1]
    return char !== undefined && term.fits(char)
  }

  #row(items: readonly Term[], i: number, at: number, ahead: boolean, next: Next): boolean {
    const item = items[i]
    return item === undefined ? next(at) : this.#match(item, at, ahead, (end) => this.#row(items, i + 1, end, ahead, next))
  }

  /** A repeated character: without a frame of the stack for each. */
  #run(
    { least, most, greedy }: Extract<Term, { type: 'times' }>,
    item: Extract<Term, { type: 'one' }>,
    at: number,
    ahead: boolean,
    next: Next,
  ): boolean {
    const step = ahead ? 1 : -1
    let count = 0
    if (greedy) {
      while (count < most && this.#fits(item, at + count * step, ahead)) {
        this.#step()
        count++
      }
      for (; count >= least; count--) {
        this.#step()
        if (next(at + count * step)) return true
      }
      return false
    }
    for (; ; count++) {
      this.#step()
      if (count >= least && next(at + count * step)) return true
      if (count >= most || !this.#fits(item, at + count * step, ahead)) return false
    }
  }

  #times(term: Extract<Term, { type: 'times' }>, count: number, at: number, ahead: boolean, next: Next): boolean {
    const { item, least, most, greedy } = term
    const more = (): boolean =>
      count < most && this.#match(item, at, ahead, (end) => (end !== at || count < least) && this.#times(term, count + 1, end, ahead, next))
    if (count < least) return more()
    return greedy ? more() || next(at) : next(at) || more()
  }

  #isPlace(place: '^' | '$' | 'b' | 'B', at: number): boolean {
    const [before, behind] = [this.#chars[at - 1], this.#chars[at]]
    const lines = this.#flags.includes('m')
    if (place === '^') return before === undefined || (lines && /[\n\r\u2028\u2029]/.test(before))
    if (place === '$') return behind === undefined || (lines && /[\n\r\u2028\u2029]/.test(behind))
    const isBorder = /\w/.test(before ?? '') !== /\w/.test(behind ?? '')
    return isBorder === (place === 'b')
  }

  #same(number: number, at: number, next: Next): boolean {
    const [from, to] = this.#groups.get(number) ?? [0, 0]
    for (let i = from; i < to; i++) {
      this.#step()
      if (this.#chars[at + i - from] !== this.#chars[i]) return false
    }
    return next(at + to - from)
  }
}
