// proves: skill 153, skill 155, skill 156
import { describe, expect, it } from 'vitest'
import { below, randomOf } from '../../../../bench/mining/random.ts'
import { CallLogBuilder } from '../../src/learn/mine/call-log.ts'
import { closedWords } from '../../src/learn/mine/closed-words.ts'
import { collapse, type CollapsedLog } from '../../src/learn/mine/collapse.ts'
import { PairTable } from '../../src/learn/mine/pair-table.ts'
import { isRepetition } from '../../src/learn/mine/words.ts'
import { logged } from './logged.ts'

/** A word with what is known about it, as a text. */
interface Known {
  readonly support: number
  readonly isMaximal: boolean
  readonly occurrences: readonly number[]
}

const LONGEST = 6

function logOf(runs: readonly string[]): CollapsedLog {
  const builder = new CallLogBuilder()
  for (const [i, run] of runs.entries())
    builder.add(
      logged(
        `run${i}`,
        run.split('').map((tool) => ({ tool })),
      ).shape,
    )
  return collapse(builder.build())
}

function mined(log: CollapsedLog, least: number): ReadonlyMap<string, Known> {
  const found = new Map<string, Known>()
  for (const level of closedWords(log, least, LONGEST)) {
    const places = level.words.map((): number[] => [])
    level.visit((word, place) => places[word]?.push(place))
    for (const [i, { symbols, support, isMaximal }] of level.words.entries())
      found.set(Array.from(symbols, (symbol) => log.textOf(symbol)).join(' '), { support, isMaximal, occurrences: places[i] ?? [] })
  }
  return found
}

/** The same by trying every word: slow, and too simple to be wrong in the same way. */
function bruteForce(log: CollapsedLog, least: number): ReadonlyMap<string, Known> {
  const places = new Map<string, number[]>()
  for (let from = 0; from < log.symbol.length; from++)
    for (let length = 2; length <= LONGEST + 1; length++) {
      const symbols = Array.from(log.symbol.subarray(from, from + length))
      if (symbols.length < length || symbols.includes(-1)) break
      const word = symbols.map((symbol) => log.textOf(symbol)).join(' ')
      places.set(word, [...(places.get(word) ?? []), from])
    }
  const support = new Map([...places].map(([word, list]) => [word, new Set(list.map((place) => log.run[place])).size]))
  const found = new Map<string, Known>()
  for (const [word, list] of places) {
    const own = support.get(word) ?? 0
    const length = word.split(' ').length
    if (own < least || length > LONGEST) continue
    const longer = [...support].filter(([other]) => other.endsWith(` ${word}`) || other.startsWith(`${word} `))
    const oneLonger = longer.filter(([other]) => other.split(' ').length === length + 1)
    if (oneLonger.some(([, theirs]) => theirs === own)) continue
    const occurrences = list.reduce<number[]>((kept, place) => (place >= (kept.at(-1) ?? -length) + length ? [...kept, place] : kept), [])
    found.set(word, { support: own, isMaximal: oneLonger.every(([, theirs]) => theirs < least), occurrences })
  }
  return found
}

const sorted = (words: ReadonlyMap<string, Known>): unknown => [...words].sort(([a], [b]) => (a < b ? -1 : 1))

describe('words of calls', () => {
  it('are those that brute force finds in 1,000 random logs: support, closed, maximal, occurrences', () => {
    const random = randomOf(4)
    for (let round = 0; round < 1_000; round++) {
      const letters = 2 + below(random, 4)
      const word = (): string => Array.from({ length: below(random, 9) }, () => 'abcdef'[below(random, letters)]).join('')
      const log = logOf(Array.from({ length: 1 + below(random, 7) }, word))
      const least = 1 + below(random, 3)
      expect(sorted(mined(log, least)), `round ${round}`).toEqual(sorted(bruteForce(log, least)))
    }
  })

  it('have no gaps, and no call between two of theirs is skipped', () => {
    const words = mined(logOf(['abc', 'axbc', 'abxc', 'abc']), 2)
    expect(words.get('a:() b:() c:()')).toMatchObject({ support: 2 })
  })

  it('count a run once, occurrences without overlaps, and no word across the end of a run', () => {
    const words = mined(logOf(['ababab', 'ab', 'ba']), 1)
    expect(words.get('a:() b:()')).toMatchObject({ support: 2, occurrences: [0, 2, 4, 7] })
    expect(words.get('b:() b:()')).toBeUndefined()
  })

  it('are powers if a shorter word is repeated', () => {
    expect(['abab', 'aaa', 'abcabc', 'aba', 'ab'].map((word) => isRepetition(Array.from(word, (letter) => letter.charCodeAt(0))))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })
})

describe('a table of pairs', () => {
  it('numbers pairs exactly, whether or not it has a place for each', () => {
    const random = randomOf(9)
    for (const names of [10, 5_000_000]) {
      const table = new PairTable(names, 4_000)
      const known = new Map<string, number>()
      for (let i = 0; i < 4_000; i++) {
        const [first, second] = [below(random, Math.min(names, 90)) * 7, below(random, Math.min(names, 90))] as const
        if (first >= names) continue
        const key = `${first} ${second}`
        if (!known.has(key)) known.set(key, known.size)
        expect(table.number(first, second)).toBe(known.get(key))
      }
      expect(table.count).toBe(known.size)
    }
  })
})
