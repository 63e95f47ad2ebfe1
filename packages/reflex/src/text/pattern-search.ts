import type { LinearPattern, PatternProgram } from './linear-pattern.ts'

/** The remaining steps of a search, one for each instruction that is executed. The search stops below 0. */
export interface SearchSteps {
  left: number
}

/** A match: its start and end, and the start and end of its first group; -1 for a group that took no part. */
type Match = readonly [begin: number, end: number, first: number, firstEnd: number]

// The codes of the library's instructions.
const [ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP] = [1, 2, 3, 4, 5, 6, 7]
// The conditions between two characters, as bits.
const [BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_BOUNDARY, NO_WORD_BOUNDARY] = [1, 2, 4, 8, 16, 32]

/**
 * Returns the first group of each match in a text, or the whole match if the pattern has no group or the group took no part. Matches are
 * found from the left, the first alternative first, at most `limit`. Each search takes time linear in the text. Returns undefined if
 * `steps` were not enough.
 */
export function firstGroups({ program }: LinearPattern, text: string, limit: number, steps: SearchSteps): readonly string[] | undefined {
  const found: string[] = []
  const search = new Search(program, text, steps)
  for (let from = 0; from <= text.length && found.length < limit; ) {
    const match = search.matchFrom(from)
    if (steps.left < 0) return undefined
    if (match === undefined) break
    const [begin, end, first, firstEnd] = match
    found.push(first >= 0 && firstEnd >= 0 ? text.slice(first, firstEnd) : text.slice(begin, end))
    from = end > begin ? end : end + widthAt(text, end)
  }
  return found
}

/** The instructions that a search has reached, the preferred one first, each with the match that leads to it. */
interface Threads {
  readonly places: number[]
  readonly matches: Match[]
  /** For each instruction, the character after which it was last entered. */
  readonly entered: Int32Array
}

/** A search that follows all alternatives of a program at the same time, so that one search reads each character only once. */
class Search {
  readonly #program: PatternProgram
  readonly #text: string
  readonly #steps: SearchSteps
  #current: Threads
  #next: Threads

  constructor(program: PatternProgram, text: string, steps: SearchSteps) {
    this.#program = program
    this.#text = text
    this.#steps = steps
    this.#current = threads(program.numInst())
    this.#next = threads(program.numInst())
  }

  matchFrom(start: number): Match | undefined {
    let match: Match | undefined
    for (const list of [this.#current, this.#next]) {
      clear(list)
      list.entered.fill(0)
    }
    for (let at = start; this.#steps.left >= 0; ) {
      if (match === undefined) this.#enter(this.#current, this.#program.start, at, [at, -1, -1, -1])
      if (this.#current.places.length === 0 && match !== undefined) return match
      match = this.#step(at) ?? match
      if (at >= this.#text.length) return match
      at += widthAt(this.#text, at)
      ;[this.#current, this.#next] = [this.#next, this.#current]
      clear(this.#next)
    }
    return undefined
  }

  /** Reads one character in all threads. Returns the match of the most preferred complete thread; less preferred threads end. */
  #step(at: number): Match | undefined {
    const { places, matches } = this.#current
    const character = this.#text.codePointAt(at)
    const after = at + widthAt(this.#text, at)
    for (const [i, place] of places.entries()) {
      const instruction = this.#program.getInst(place)
      const [begin, , first, firstEnd] = matches[i] ?? [0, 0, -1, -1]
      this.#steps.left--
      if (instruction.op === MATCH) return [begin, at, first, firstEnd]
      if (character !== undefined && accepts(instruction, character))
        this.#enter(this.#next, instruction.out, after, [begin, -1, first, firstEnd])
    }
    return undefined
  }

  /** Adds an instruction and all instructions that follow it without reading a character. */
  #enter(list: Threads, start: number, at: number, from: Match): void {
    const open: (readonly [place: number, match: Match])[] = [[start, from]]
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      const [place, match] = top
      if (list.entered[place] === at + 1) continue
      list.entered[place] = at + 1
      this.#steps.left--
      const { op, out, arg } = this.#program.getInst(place)
      if (op === ALT || op === ALT_MATCH) open.push([arg, match], [out, match])
      else if (op === CAPTURE) open.push([out, withCapture(match, arg, at)])
      else if (op === EMPTY_WIDTH) {
        if ((arg & ~this.#conditionsAt(at)) === 0) open.push([out, match])
      } else if (op === NOP) open.push([out, match])
      else if (op !== FAIL) {
        list.places.push(place)
        list.matches.push(match)
      }
    }
  }

  #conditionsAt(at: number): number {
    const text = this.#text
    const [begins, ends] = [at === 0, at === text.length]
    const isBoundary = isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at))
    return (
      (begins ? BEGIN_TEXT | BEGIN_LINE : 0) |
      (ends ? END_TEXT | END_LINE : 0) |
      (text[at - 1] === '\n' ? BEGIN_LINE : 0) |
      (text[at] === '\n' ? END_LINE : 0) |
      (isBoundary ? WORD_BOUNDARY : NO_WORD_BOUNDARY)
    )
  }
}

function accepts(instruction: ReturnType<PatternProgram['getInst']>, character: number): boolean {
  const [, , anyCharacter, anyButLineEnd] = [8, 9, 10, 11]
  if (instruction.op === anyCharacter) return true
  return instruction.op === anyButLineEnd ? character !== 10 : instruction.matchRune(character)
}

function withCapture([begin, end, first, firstEnd]: Match, slot: number, at: number): Match {
  return slot === 2 ? [begin, end, at, -1] : slot === 3 ? [begin, end, first, at] : [begin, end, first, firstEnd]
}

function threads(size: number): Threads {
  return { places: [], matches: [], entered: new Int32Array(size) }
}

function clear({ places, matches }: Threads): void {
  places.length = 0
  matches.length = 0
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
}
