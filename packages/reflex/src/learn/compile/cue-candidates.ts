import { stem, wordsOf } from '../../kinds/skill/gate/words.ts'

/** A label or a keyword that may be chosen. The distinctive words and the ideas in it are bits of integers. */
export interface CueCandidate {
  readonly text: string
  readonly words: number
  readonly ideas: number
}

/** Runs whose users wrote the same distinctive words and phrases, which are bits of integers. */
export interface CueRow {
  readonly words: number
  readonly phrases: number
  /** The number of these runs with the calls of the skill. */
  readonly inside: number
  readonly outside: number
}

const LABEL = /^[a-z0-9_-]{1,40}$/
/** The most words of one idea in a label. More would only recognize the same sentence again. */
const MOST_WORDS = 3
/** It occurs in every text: for words that no label can have, such as those of another script. */
const NO_LABEL: CueCandidate = { text: '', words: 0, ideas: 0 }

/**
 * Returns the ideas of so many distinctive words: words that nearly always occur together are one, such as `lab` and `report`. Nine of ten
 * runs that have one of them have both. Each idea is the bits of its words.
 */
export function ideasOf(words: number, rows: readonly CueRow[]): readonly number[] {
  const ideas: number[] = []
  for (let word = 0; word < words; word++) {
    const bit = 1 << word
    const same = ideas.findIndex((idea) => areOne(bit, idea & -idea, rows))
    if (same === -1) ideas.push(bit)
    else ideas[same] = (ideas[same] ?? 0) | bit
  }
  return ideas
}

function areOne(one: number, other: number, rows: readonly CueRow[]): boolean {
  let [both, either] = [0, 0]
  for (const { words, inside, outside } of rows) {
    if ((words & (one | other)) === 0) continue
    either += inside + outside
    if ((words & one) !== 0 && (words & other) !== 0) both += inside + outside
  }
  return both * 10 >= either * 9
}

/**
 * Returns the labels that may be chosen: each idea, then each pair of ideas. All words of a label must occur in a text, in any order. `words` are
 * the distinctive ones by their bits.
 */
export function labelCandidates(words: readonly string[], ideas: readonly number[]): readonly CueCandidate[] {
  const single = ideas.map(firstBits)
  const pairs = single.flatMap((one, i) => single.slice(i + 1).map((two) => one | two))
  const labels = [...single, ...pairs].map((bits) => {
    const text = words.filter((_, i) => (bits & (1 << i)) !== 0).join('-')
    return { text, words: bits, ideas: ideasIn(bits, ideas) }
  })
  const valid = labels.filter(({ text }) => LABEL.test(text))
  return valid.length > 0 ? valid : [NO_LABEL]
}

/** Returns the phrases with the distinctive words that they have. `stems` are those of the words by their bits. */
export function keywordCandidates(phrases: readonly string[], stems: readonly string[], ideas: readonly number[]): readonly CueCandidate[] {
  return phrases.map((text) => {
    const words = bitsOf(stems, new Set(wordsOf(text).map(stem)))
    return { text, words, ideas: ideasIn(words, ideas) }
  })
}

/** Returns the bits of the terms that are present. */
export function bitsOf(terms: readonly string[], present: Pick<ReadonlySet<string>, 'has'>): number {
  return terms.reduce((bits, term, i) => (present.has(term) ? bits | (1 << i) : bits), 0)
}

function ideasIn(words: number, ideas: readonly number[]): number {
  return ideas.reduce((bits, idea, i) => ((idea & words) === 0 ? bits : bits | (1 << i)), 0)
}

/** Returns the bits of the first words of an idea: the most distinctive ones. */
function firstBits(idea: number): number {
  let [bits, rest] = [0, idea]
  for (let count = 0; count < MOST_WORDS && rest !== 0; count++) {
    bits |= rest & -rest
    rest &= rest - 1
  }
  return bits
}
