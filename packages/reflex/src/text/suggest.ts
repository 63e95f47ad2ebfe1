import { quote } from './printable.ts'

const MAX_CANDIDATES = 50_000
const MAX_WORD_LENGTH = 64
/** The limit on filled cells of the distance table for one suggester: about a tenth of a second. */
const MAX_WORK = 20_000_000

interface Candidate {
  readonly name: string
  readonly folded: string
}

/** Returns the name that a misspelt word probably means; undefined if there is none. */
export type Suggester = (word: string) => string | undefined

/**
 * Prepares names for guesses. The returned function can be called for many misspelt words.
 *
 * Upper and lower case and the separators `-`, `_`, `.` and space do not count. A name is offered if it has few edits for its length (an
 * edit is an added, missing or wrong letter, or two swapped letters), or if it begins with the word. The work is bounded: candidates after
 * the first 50,000 and words over 64 characters are only compared for equality, and so are all words after the suggester has used its share
 * of work.
 */
export function suggester(names: Iterable<string>): Suggester {
  const { equal, candidates } = prepare(names)
  let work = MAX_WORK
  return (word) => {
    const folded = fold(word)
    const same = equal.get(folded)
    if (same !== undefined || folded.length < 2 || folded.length > MAX_WORD_LENGTH || work <= 0) return same
    const limit = editsAllowed(folded.length)
    let best: { name: string; slips: number } | undefined
    let completion: string | undefined
    for (const { name, folded: other } of candidates) {
      work--
      if (other.startsWith(folded) && (completion === undefined || name.length < completion.length)) completion = name
      if (Math.abs(other.length - folded.length) > limit || best?.slips === 1) continue
      work -= folded.length * other.length
      const slips = distance(folded, other, best === undefined ? limit : best.slips - 1)
      if (slips !== undefined) best = { name, slips }
      if (work <= 0) break
    }
    return best?.slips === 1 ? best.name : (completion ?? best?.name)
  }
}

/** Returns the name among `names` that `word` probably means; undefined if there is none. It is for one word; use `suggester` for many. */
export function suggest(word: string, names: Iterable<string>): string | undefined {
  return suggester(names)(word)
}

/** Returns `did you mean "decline"?`; undefined if there is no guess. */
export function didYouMean(guess: string | undefined): string | undefined {
  return guess === undefined ? undefined : `did you mean ${quote(guess)}?`
}

function prepare(names: Iterable<string>): { equal: Map<string, string>; candidates: Candidate[] } {
  const equal = new Map<string, string>()
  const candidates: Candidate[] = []
  for (const name of names) {
    const folded = fold(name)
    if (!equal.has(folded)) equal.set(folded, name)
    if (folded.length <= MAX_WORD_LENGTH && candidates.length < MAX_CANDIDATES) candidates.push({ name, folded })
  }
  return { equal, candidates }
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, '')
}

function editsAllowed(length: number): number {
  if (length < 3) return 0
  return length < 5 ? 1 : length < 9 ? 2 : 3
}

/**
 * Returns the number of edits between two words; undefined if it is more than `limit`. Uses the Damerau distance in the form that never
 * edits a swapped pair again.
 */
function distance(a: string, b: string, limit: number): number | undefined {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const cost = editsAt(a, b, i, j, { row, last, beforeLast })
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > limit) return undefined
    beforeLast = last
    last = row
  }
  const edits = last[b.length] ?? 0
  return edits <= limit ? edits : undefined
}

interface Rows {
  readonly row: readonly number[]
  readonly last: readonly number[]
  readonly beforeLast: readonly number[]
}

function editsAt(a: string, b: string, i: number, j: number, { row, last, beforeLast }: Rows): number {
  const same = a[i - 1] === b[j - 1]
  const best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
  return swapped ? Math.min(best, (beforeLast[j - 2] ?? 0) + 1) : best
}
