/** Consecutive ids: a prefix, the digits of the first one, and how many there are. `["e", "098", 2]` is e098 and e099. */
export type IdRun = readonly [prefix: string, first: string, count: number]

/** An id that ends with a number. */
export interface NumberedId {
  /** The part before the digits. */
  readonly prefix: string
  readonly digits: string
  readonly number: number
}

/** The most digits of a number that is exact. */
const MOST_DIGITS = 15
const [ZERO, NINE] = [48, 57]

/** Returns the parts of an id that ends with a number; undefined for another. */
export function numbered(id: string): NumberedId | undefined {
  let at = id.length
  while (at > 0 && id.length - at < MOST_DIGITS && isDigit(id.charCodeAt(at - 1))) at--
  if (at === id.length) return undefined
  const digits = id.slice(at)
  return { prefix: id.slice(0, at), digits, number: Number(digits) }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/** True if an id comes right after a run. The ids of a run have equally many digits as long as they have leading zeros: 100 does not follow 099. */
export function follows([prefix, first, count]: IdRun, id: NumberedId): boolean {
  return id.prefix === prefix && id.number === Number(first) + count && zerosOf(id.digits) === zerosOf(first)
}

/** A run with the place of its first id: a line, or a negative number that counts down with each event. */
export interface PlacedRun {
  readonly ids: IdRun
  readonly place: number
}

/** Returns the place so many ids behind another one. */
export function placeOfStep(place: number, step: number): number {
  return place > 0 ? place + step : place - step
}

/** Returns the place of an id in a run; undefined if the run has it not. */
export function placeIn({ ids: [prefix, first, count], place }: PlacedRun, id: NumberedId): number | undefined {
  const step = id.number - Number(first)
  const isIn = step >= 0 && step < count && id.prefix === prefix && zerosOf(id.digits) === zerosOf(first)
  return isIn ? placeOfStep(place, step) : undefined
}

/** Returns the number of digits of a number with leading zeros; 0 for one without. */
function zerosOf(digits: string): number {
  return digits.length > 1 && digits.charCodeAt(0) === ZERO ? digits.length : 0
}

/** Returns the ids of a run, in their order. */
export function idsOf([prefix, first, count]: IdRun): string[] {
  return Array.from({ length: count }, (_, i) => prefix + String(Number(first) + i).padStart(first.length, '0'))
}

/** Runs of ids that have no id in common. To find an id takes the logarithm of their number. */
export class IdRuns {
  /** By their prefixes and zeros, in the order of their first numbers. */
  readonly #runs = new Map<string, PlacedRun[]>()

  add(run: PlacedRun): void {
    const [prefix, first] = run.ids
    const group = groupOf(prefix, first)
    const runs = this.#runs.get(group)
    if (runs === undefined) this.#runs.set(group, [run])
    else runs.splice(rankOf(runs, Number(first)), 0, run)
  }

  delete([prefix, first]: IdRun): void {
    const group = groupOf(prefix, first)
    const runs = this.#runs.get(group) ?? []
    runs.splice(rankOf(runs, Number(first)) - 1, 1)
    if (runs.length === 0) this.#runs.delete(group)
  }

  /** Returns the place of an id; undefined if no run has it. */
  placeOf(id: NumberedId): number | undefined {
    const runs = this.#runs.get(groupOf(id.prefix, id.digits))
    const run = runs?.[rankOf(runs, id.number) - 1]
    return run === undefined ? undefined : placeIn(run, id)
  }
}

function groupOf(prefix: string, digits: string): string {
  return `${zerosOf(digits)} ${prefix}`
}

/** Returns the number of runs whose first number is at most `number`. */
function rankOf(runs: readonly PlacedRun[], number: number): number {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (Number(runs[middle]?.ids[1]) <= number) low = middle + 1
    else high = middle
  }
  return low
}
