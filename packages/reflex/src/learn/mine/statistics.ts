import type { CallLog } from './call-log.ts'
import type { ClosedLevel } from './closed-words.ts'
import type { CollapsedLog } from './collapse.ts'
import type { BulletinCost } from './params.ts'

/** The unit of costs: US dollars if all replies have a price, else tokens if all are counted, else replies. */
export type CostUnit = 'usd' | 'tokens' | 'calls'

/** Returns the unit in which the replies of a log can be compared. Replies that cost nothing have no price. */
export function costUnit({ reply, replyUsd, replyTokens }: CallLog): CostUnit {
  let [usd, tokens, sum] = [true, true, 0]
  for (const at of reply) {
    if (at < 0) continue
    const price = replyUsd[at] ?? Number.NaN
    if (Number.isNaN(price)) usd = false
    else sum += price
    if (Number.isNaN(replyTokens[at] ?? Number.NaN)) tokens = false
  }
  return usd && sum > 0 ? 'usd' : tokens ? 'tokens' : 'calls'
}

/** The figures of the occurrences of a word. */
export interface WordStatistics {
  readonly occurrences: number
  /** Occurrences whose outcome is known, and those of them in which every call succeeded. */
  readonly known: number
  readonly succeeded: number
  /** Means for one occurrence, in the unit of the log. */
  readonly baseline: number
  readonly candidate: number
  /** `candidate / baseline`; infinite if nothing could be saved. */
  readonly ratio: number
  /** The number of different neighbours, as far as it was counted. The start and the end of a sequence count as one. */
  readonly left: number
  readonly right: number
}

/** What the figures of words depend on, besides the log. */
export interface StatisticsOptions {
  readonly unit: CostUnit
  readonly bulletin: BulletinCost
  /** Different neighbours are counted up to this number. */
  readonly variety: number
}

/** Counts the figures of all words of a level in one pass over the log: memory is read in order, and the sums are few. */
export class LevelStatistics {
  readonly #log: CollapsedLog
  readonly #words: number
  readonly #options: StatisticsOptions
  readonly #replyCost: Float64Array | undefined
  readonly #count: Int32Array
  readonly #known: Int32Array
  readonly #succeeded: Int32Array
  readonly #replies: Int32Array
  /** Costs of the replies that issued the calls, and of the tools. */
  readonly #replySum: Float64Array
  readonly #toolSum: Float64Array
  readonly #left: Neighbours
  readonly #right: Neighbours

  constructor(log: CollapsedLog, level: ClosedLevel, options: StatisticsOptions) {
    const words = level.words.length
    const { replyUsd, replyTokens } = log.log
    this.#log = log
    this.#words = words
    this.#options = options
    this.#replyCost = options.unit === 'usd' ? replyUsd : options.unit === 'tokens' ? replyTokens : undefined
    this.#count = new Int32Array(words)
    this.#known = new Int32Array(words)
    this.#succeeded = new Int32Array(words)
    this.#replies = new Int32Array(words)
    this.#replySum = new Float64Array(words)
    this.#toolSum = new Float64Array(words)
    this.#left = new Neighbours(words, options.variety)
    this.#right = new Neighbours(words, options.variety)
    level.visit((word, place) => this.#add(word, place, place + level.length))
  }

  #add(word: number, place: number, next: number): void {
    const { log, from, symbol } = this.#log
    const { cost, reply, ok } = log
    const replyCost = this.#replyCost
    const end = from[next] ?? 0
    let last = -1
    let worst = 1
    let [tools, replies, replyCount] = [0, 0, 0]
    for (let p = from[place] ?? 0; p < end; p++) {
      tools += cost[p] ?? 0
      const outcome = ok[p] ?? 2
      if (outcome !== 1 && worst !== 0) worst = outcome
      const issuer = reply[p] ?? -1
      if (issuer < 0 || issuer === last) continue
      last = issuer
      replies += replyCost === undefined ? 1 : (replyCost[issuer] ?? 0)
      replyCount++
    }
    this.#addOutcome(word, worst)
    this.#toolSum[word] = (this.#toolSum[word] ?? 0) + tools
    this.#replySum[word] = (this.#replySum[word] ?? 0) + replies
    this.#replies[word] = (this.#replies[word] ?? 0) + replyCount
    this.#left.add(word, place === 0 ? -1 : (symbol[place - 1] ?? -1))
    this.#right.add(word, symbol[next] ?? -1)
  }

  /** `worst`: the outcome of the occurrence. */
  #addOutcome(word: number, worst: number): void {
    this.#count[word] = (this.#count[word] ?? 0) + 1
    if (worst !== 2) this.#known[word] = (this.#known[word] ?? 0) + 1
    if (worst === 1) this.#succeeded[word] = (this.#succeeded[word] ?? 0) + 1
  }

  /** Returns the figures of the words in their order. */
  all(): readonly WordStatistics[] {
    return Array.from({ length: this.#words }, (_, word) => this.#of(word))
  }

  #of(word: number): WordStatistics {
    const { unit, bulletin } = this.#options
    const [count = 0, replies = 0, sum = 0] = [this.#count[word], this.#replies[word], this.#replySum[word]]
    const tools = unit === 'usd' ? (this.#toolSum[word] ?? 0) / count : 0
    const baseline = sum / count + tools
    const candidate = (replies === 0 ? 0 : sum / replies) + (unit === 'calls' ? 0 : bulletin[unit]) + tools
    return {
      occurrences: count,
      known: this.#known[word] ?? 0,
      succeeded: this.#succeeded[word] ?? 0,
      baseline,
      candidate,
      ratio: replies === 0 || baseline === 0 ? Number.POSITIVE_INFINITY : candidate / baseline,
      left: this.#left.count(word),
      right: this.#right.count(word),
    }
  }
}

/** The first few different neighbours of each word. */
class Neighbours {
  readonly #most: number
  readonly #symbols: Int32Array
  readonly #counts: Int32Array

  constructor(words: number, most: number) {
    this.#most = most
    this.#symbols = new Int32Array(words * most)
    this.#counts = new Int32Array(words)
  }

  add(word: number, symbol: number): void {
    const count = this.#counts[word] ?? 0
    if (count >= this.#most) return
    const from = word * this.#most
    for (let i = 0; i < count; i++) if (this.#symbols[from + i] === symbol) return
    this.#symbols[from + count] = symbol
    this.#counts[word] = count + 1
  }

  count(word: number): number {
    return this.#counts[word] ?? 0
  }
}
