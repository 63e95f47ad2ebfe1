import type { Pattern, Term } from './syntax.ts'

/** A text that may be long, of so many repetitions as a length asks for. */
export type Input = (length: number) => string

const CANDIDATES = Array.from('a1 A-_./:"\'\\{}[]()<>|=,;#*+?!$%&@~^`\n\r\t\0\u001b\u00e9\u202e\ufeff\ud800‹…zZ09bsxX')
const REST = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code))
/** Characters of a pattern that texts are made of at most. */
const LETTERS = 8
const FAILING = ['', '\u0007', ' ', 'a', '\n']

/** Texts that are hard for a pattern: what each of its repetitions takes, behind what leads to it, and its own characters. */
export function worstInputs({ term }: Pattern): Input[] {
  const letters = lettersOf(term).slice(0, LETTERS)
  const pumped = [...pumps(term, '')]
  const pairs = letters.flatMap((a) => letters.map((b) => ['', a === b ? a : a + b] as const))
  const words = [...new Map([...pumped, ...pairs].map((one) => [one.join('\u0000'), one])).values()]
  const repeated = words.flatMap(([prefix, word]) =>
    FAILING.map(
      (end): Input =>
        (length) =>
          prefix + word.repeat(Math.ceil(length / Math.max(1, word.length))) + end,
    ),
  )
  const halves = letters.slice(0, 8).flatMap((a) =>
    letters.slice(0, 8).map(
      (b): Input =>
        (n) =>
          a.repeat(n / 2) + b.repeat(n / 2),
    ),
  )
  return [...repeated, ...halves]
}

/** The characters that each repetition matches, after a shortest text that leads to it; and everything before it, repeated. */
function* pumps(term: Term, before: string): Generator<readonly [prefix: string, word: string]> {
  switch (term.type) {
    case 'either':
      for (const way of term.ways) yield* pumps(way, before)
      return
    case 'row': {
      let led = before
      for (const item of term.items) {
        yield* pumps(item, led)
        led += shortest(item)
        if (led !== '') yield ['', led]
      }
      return
    }
    case 'times': {
      for (const word of samples(term.item)) {
        if (word === '') continue
        yield [before, word]
        yield ['', before + word.repeat(Math.max(1, term.least))]
      }
      yield* pumps(term.item, before)
      return
    }
    case 'group':
    case 'look':
      yield* pumps(term.item, before)
      return
    default:
  }
}

/** Texts that a term matches, one for each of its first alternatives. */
function samples(term: Term): readonly string[] {
  if (term.type === 'either') return term.ways.flatMap(samples).slice(0, 12)
  if (term.type === 'group') return samples(term.item)
  if (term.type === 'one') return CANDIDATES.filter(term.fits).slice(0, 3)
  return [shortest(term)]
}

const SHORTEST = new WeakMap<Term, string>()

/** A shortest text that a term matches, found once for each term. */
function shortest(term: Term): string {
  const known = SHORTEST.get(term)
  if (known !== undefined) return known
  const found = findShortest(term)
  SHORTEST.set(term, found)
  return found
}

function findShortest(term: Term): string {
  switch (term.type) {
    case 'one':
      return CANDIDATES.find(term.fits) ?? REST.find(term.fits) ?? ''
    case 'either':
      return shortest(term.ways[0] ?? { type: 'row', items: [] })
    case 'row':
      return term.items.map(shortest).join('')
    case 'times':
      return shortest(term.item).repeat(term.least)
    case 'group':
      return shortest(term.item)
    default:
      return ''
  }
}

function lettersOf(term: Term): string[] {
  const found = new Set<string>()
  const look = (at: Term): void => {
    if (at.type === 'one') for (const char of [shortest(at), ...CANDIDATES.filter(at.fits).slice(0, 2)]) found.add(char)
    else if (at.type === 'either') at.ways.forEach(look)
    else if (at.type === 'row') at.items.forEach(look)
    else if ('item' in at) look(at.item)
  }
  look(term)
  found.delete('')
  return [...found]
}
