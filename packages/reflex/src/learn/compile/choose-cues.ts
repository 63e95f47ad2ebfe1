import type { CueCandidate, CueRow } from './cue-candidates.ts'

/** The cues of a skill. */
export interface ChosenCues {
  readonly labels: readonly CueCandidate[]
  readonly keywords: readonly CueCandidate[]
}

/** What a choice must keep to. */
interface ChoiceRule {
  /** A label and a keyword have so many ideas together. */
  readonly leastIdeas: number
  /** So many right runs are given up for one wrong run less. */
  readonly price: number
}

const MOST_LABELS = 5
const MOST_KEYWORDS = 8
/** A cue that recognizes fewer runs is an accident. */
const FEWEST = 3
/** Nine right runs for a wrong one are the precision that is asked of the gate (reference skill 1.26). */
const HIGH_PRICE = 9
/** For skills whose runs hardly anything tells from others: a cue is more often right than wrong. */
const LOW_PRICE = 1

/**
 * Chooses labels and keywords that together recognize the runs of a skill: with the weights of mined skills the gate needs one of each, so a
 * text is recognized if a label and a keyword occur in it. Each cue is the one that adds the most right runs, less the wrong ones at their
 * price; of equal ones the first. A wish has a deed and an object, and either occurs in other wishes: so a label and a keyword have two ideas,
 * unless that loses more than one run of 20. The lower price is for skills half of whose runs the higher one does not recognize. All
 * arithmetic is in integers.
 */
export function chooseCues(labels: readonly CueCandidate[], keywords: readonly CueCandidate[], rows: readonly CueRow[]): ChosenCues {
  const choose = (rule: ChoiceRule): CueChoice => new CueChoice(labels, keywords, rows, rule)
  const runs = rows.reduce((sum, { inside }) => sum + inside, 0)
  const bestAt = (price: number): CueChoice => {
    const one = choose({ leastIdeas: 1, price })
    const two = choose({ leastIdeas: 2, price })
    return two.recognized * 20 >= one.recognized * 19 ? two : one
  }
  const precise = bestAt(HIGH_PRICE)
  if (precise.recognized * 2 >= runs) return precise
  const loose = bestAt(LOW_PRICE)
  return loose.recognized > precise.recognized ? loose : precise
}

/** The runs that a cue recognizes and no chosen one does. */
interface Gain {
  readonly inside: number
  readonly total: number
}

/** Cues that were chosen one after another. */
class CueChoice implements ChosenCues {
  readonly labels: CueCandidate[] = []
  readonly keywords: CueCandidate[] = []
  /** The runs of the skill that the cues recognize. */
  recognized = 0
  #rest: readonly CueRow[]
  readonly #bits: ReadonlyMap<CueCandidate, number>
  readonly #rule: ChoiceRule

  /** Chooses the best label and keyword, then cue after cue while one is worth it. */
  constructor(labels: readonly CueCandidate[], keywords: readonly CueCandidate[], rows: readonly CueRow[], rule: ChoiceRule) {
    this.#rest = rows
    this.#rule = rule
    this.#bits = new Map(keywords.map((keyword, i) => [keyword, 1 << i]))
    let next = this.#best(labels.flatMap((label) => keywords.map((keyword) => ({ labels: [label], keywords: [keyword] }))))
    while (next !== undefined) {
      this.#take(next)
      next = this.#best([
        ...(this.labels.length < MOST_LABELS ? labels.map((label) => ({ labels: [label], keywords: [] })) : []),
        ...(this.keywords.length < MOST_KEYWORDS ? keywords.map((keyword) => ({ labels: [], keywords: [keyword] })) : []),
      ])
    }
  }

  /** Returns the cues that add the most to those that are chosen; undefined if none is worth it. */
  #best(all: readonly ChosenCues[]): ChosenCues | undefined {
    let best: { readonly gain: Gain; readonly cues: ChosenCues } | undefined
    for (const cues of all) {
      const gain = this.#gainOf(
        cues.labels.length > 0 ? cues.labels : this.labels,
        cues.keywords.length > 0 ? cues.keywords : this.keywords,
      )
      if (gain !== undefined && (best === undefined || isBetter(gain, best.gain))) best = { gain, cues }
    }
    return best?.cues
  }

  /** Returns the rest of the runs that labels and keywords recognize; undefined if they are not worth it, or have too few ideas. */
  #gainOf(labels: readonly CueCandidate[], keywords: readonly CueCandidate[]): Gain | undefined {
    const { leastIdeas, price } = this.#rule
    if (labels.some((label) => keywords.some((keyword) => bitCount(label.ideas | keyword.ideas) < leastIdeas))) return undefined
    const phrases = this.#phrasesOf(keywords)
    let [inside, outside] = [0, 0]
    for (const row of this.#rest)
      if (isRecognized(row, labels, phrases)) {
        inside += row.inside
        outside += row.outside
      }
    const total = inside - outside * price
    return inside >= FEWEST && total > 0 ? { inside, total } : undefined
  }

  #take({ labels, keywords }: ChosenCues): void {
    this.labels.push(...labels)
    this.keywords.push(...keywords)
    const phrases = this.#phrasesOf(this.keywords)
    this.#rest = this.#rest.filter((row) => {
      if (!isRecognized(row, this.labels, phrases)) return true
      this.recognized += row.inside
      return false
    })
  }

  #phrasesOf(keywords: readonly CueCandidate[]): number {
    return keywords.reduce((bits, keyword) => bits | (this.#bits.get(keyword) ?? 0), 0)
  }
}

function isRecognized(row: CueRow, labels: readonly CueCandidate[], phrases: number): boolean {
  return (row.phrases & phrases) !== 0 && labels.some(({ words }) => (row.words & words) === words)
}

function isBetter(one: Gain, other: Gain): boolean {
  return one.total > other.total || (one.total === other.total && one.inside > other.inside)
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}
