import type { CollapsedLog } from './collapse.ts'
import { PairTable } from './pair-table.ts'

/**
 * The words of one length that enough runs have, after Karp, Miller and Rosenberg: two words of a length are equal if their names are, and the
 * name of a word is that of the pair of its two parts that are one shorter.
 */
export interface WordLevel {
  readonly length: number
  /** The places at which such a word begins, ascending, and its name. */
  readonly places: Int32Array
  readonly names: Int32Array
  /** By name: the number of runs, the first place, and the names of the word without its last and without its first symbol. */
  readonly support: Int32Array
  readonly first: Int32Array
  readonly prefix: Int32Array
  readonly suffix: Int32Array
  /** The number of different words that were looked at and that too few runs have, and a way to visit them. */
  readonly rare: RareWords
}

/** The words of a level that too few runs have: by number, the support and the first place. */
export interface RareWords {
  readonly count: number
  readonly support: Int32Array
  readonly first: Int32Array
}

/**
 * Names the words of a log level by level, up to one more than a length: with it, it is known which words of that length are closed. A word is looked at only if both of its parts are frequent, so the time is that of
 * the places that are left, and at most the length times the size of the log. Ends early when no word is left.
 */
export function* wordLevels(log: CollapsedLog, minSupport: number, maxLength: number): Generator<WordLevel> {
  const size = log.symbol.length
  /** The name of the word of the previous length at each place; -1 for a rare one. */
  const nameAt = Int32Array.from(log.symbol)
  let level = singles(log, nameAt, minSupport)
  for (let length = 2; ; length++) {
    yield level
    if (length > maxLength + 1 || level.places.length === 0) return
    level = longer(log, nameAt, level, minSupport, size)
  }
}

/** Names the words of one symbol. */
function singles(log: CollapsedLog, nameAt: Int32Array, minSupport: number): WordLevel {
  const places = new Int32Array(log.symbol.length)
  const names = new Int32Array(log.symbol.length)
  let length = 0
  for (let place = 0; place < log.symbol.length; place++) {
    const symbol = log.symbol[place] ?? -1
    if (symbol < 0) continue
    places[length] = place
    names[length++] = symbol
  }
  const count = 2 * log.plain
  const words = { length: 1, places: places.subarray(0, length), names: names.subarray(0, length), count }
  return keepFrequent(log, nameAt, { ...words, prefix: new Int32Array(count), suffix: new Int32Array(count) }, minSupport)
}

interface NamedWords {
  readonly length: number
  readonly places: Int32Array
  readonly names: Int32Array
  readonly count: number
  readonly prefix: Int32Array
  readonly suffix: Int32Array
}

function longer(log: CollapsedLog, nameAt: Int32Array, before: WordLevel, minSupport: number, size: number): WordLevel {
  const { places: old } = before
  const places = new Int32Array(old.length)
  const names = new Int32Array(old.length)
  const table = new PairTable(before.support.length, old.length)
  let length = 0
  for (let i = 0; i < old.length; i++) {
    const place = old[i] ?? 0
    const second = place + 1 < size ? (nameAt[place + 1] ?? -1) : -1
    const first = nameAt[place] ?? -1
    // Places come in ascending order: nothing reads the name at this place again.
    nameAt[place] = -1
    if (second < 0) continue
    const name = table.number(first, second)
    places[length] = place
    names[length++] = name
  }
  const words = {
    length: before.length + 1,
    places: places.subarray(0, length),
    names: names.subarray(0, length),
    count: table.count,
    prefix: table.first,
    suffix: table.second,
  }
  return keepFrequent(log, nameAt, words, minSupport)
}

/** Counts the runs of each word, drops the rare words, and numbers the others again. Overwrites `places` and `names`. */
function keepFrequent({ run }: CollapsedLog, nameAt: Int32Array, words: NamedWords, minSupport: number): WordLevel {
  const { places, names, count } = words
  const support = new Int32Array(count)
  const first = new Int32Array(count)
  const lastRun = new Int32Array(count).fill(-1)
  for (let i = 0; i < places.length; i++) {
    const [name, place] = [names[i] ?? 0, places[i] ?? 0]
    const at = run[place] ?? 0
    if (lastRun[name] === at) continue
    if (lastRun[name] === -1) first[name] = place
    lastRun[name] = at
    support[name] = (support[name] ?? 0) + 1
  }
  const kept = new Int32Array(count).fill(-1)
  let [frequent, rare] = [0, 0]
  const rareNames = new Int32Array(count)
  for (let name = 0; name < count; name++) {
    if ((support[name] ?? 0) >= minSupport) kept[name] = frequent++
    else if ((support[name] ?? 0) > 0) rareNames[rare++] = name
  }
  let length = 0
  for (let i = 0; i < places.length; i++) {
    const [place, name] = [places[i] ?? 0, kept[names[i] ?? 0] ?? -1]
    nameAt[place] = name
    if (name < 0) continue
    places[length] = place
    names[length++] = name
  }
  const keptNames = new Int32Array(frequent)
  for (let name = 0; name < count; name++) if ((kept[name] ?? -1) >= 0) keptNames[kept[name] ?? 0] = name
  const pick = (column: Int32Array): Int32Array => columnOf(column, keptNames, frequent)
  return {
    length: words.length,
    places: places.subarray(0, length),
    names: names.subarray(0, length),
    support: pick(support),
    first: pick(first),
    prefix: pick(words.prefix),
    suffix: pick(words.suffix),
    rare: { count: rare, support: columnOf(support, rareNames, rare), first: columnOf(first, rareNames, rare) },
  }
}

/** Returns the items of a column at the first so many names of a list. */
function columnOf(column: Int32Array, names: Int32Array, count: number): Int32Array {
  const items = new Int32Array(count)
  for (let i = 0; i < count; i++) items[i] = column[names[i] ?? 0] ?? 0
  return items
}
