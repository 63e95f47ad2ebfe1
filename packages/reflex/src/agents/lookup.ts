import { isList, isObject, type Json } from '../kernel/index.ts'
import { didYouMean, quote, suggest } from '../text/index.ts'
import type { BlackboardReader, BlackboardWrite } from '../kinds/workflow/types.ts'
import { faults } from './faults.ts'

/** Values by path: a board key, then keys and positions inside its value, parted by points. */
export interface ValueView {
  find(path: string): Json | undefined
  /** Names with which a path may begin, for guesses. */
  names(): readonly string[]
}

/** The board as a decision sees it, with what it is about to write. */
export class Draft implements ValueView {
  readonly #board: BlackboardReader
  readonly #writes = new Map<string, Json>()
  readonly #reads = new Set<string>()

  constructor(board: BlackboardReader) {
    this.#board = board
  }

  /** A whole key wins over a shorter one, so that a key with points in it can be read. */
  find(path: string): Json | undefined {
    const steps = path.split('.')
    for (let length = steps.length; length > 0; length--) {
      const value = this.#get(steps.slice(0, length).join('.'))
      if (value !== undefined) return valueInside(value, steps.slice(length))
    }
    return undefined
  }

  names(): readonly string[] {
    return [...this.#board.keys(), ...this.#writes.keys()]
  }

  write(key: string, value: Json): void {
    this.#writes.set(key, value)
  }

  get writes(): BlackboardWrite[] {
    return Array.from(this.#writes, ([key, value]) => ({ key, value }))
  }

  /** Keys of the board whose values were looked up so far. */
  get reads(): readonly string[] {
    return [...this.#reads]
  }

  #get(key: string): Json | undefined {
    const written = this.#writes.get(key)
    if (written !== undefined) return written
    const value = this.#board.get(key) as Json | undefined
    if (value !== undefined) this.#reads.add(key)
    return value
  }
}

/** A view in which names are looked up in a value first: the item of a list. */
export function itemView(item: Json, outer: ValueView): ValueView {
  return {
    find(path) {
      if (path === '.') return item
      const itemValue = valueInside(item, path.split('.'))
      return itemValue === undefined ? outer.find(path) : itemValue
    },
    names: () => [...(isObject(item) ? Object.keys(item) : []), ...outer.names()],
  }
}

/** The value at some steps inside another, by own keys alone; `length` of a list is how many items it has. */
export function valueInside(value: Json, steps: readonly string[]): Json | undefined {
  let at: Json | undefined = value
  for (const step of steps) {
    if (isList(at)) at = step === 'length' ? at.length : /^(0|[1-9]\d*)$/.test(step) ? at[Number(step)] : undefined
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
    if (at === undefined) return undefined
  }
  return at
}

/** The value at a path, or the fault `R2110` with a guess. */
export function requiredValue(view: ValueView, path: string, where: string): Json {
  const value = view.find(path)
  if (value !== undefined) return value
  const [first = ''] = path.split('.')
  const names = [...new Set(view.names())]
  const known = names.includes(first)
  const guess = known ? undefined : didYouMean(suggest(first, names))
  const why = known ? `${quote(first)} has nothing there` : (guess ?? 'no such key')
  throw faults.make('R2110', `${where} reads ${quote(path)}, and the board has no value there: ${why}`, {
    path: where,
    ...(known || guess !== undefined || names.length === 0 ? {} : { fix: `keys: ${names.slice(0, 12).join(', ')}` }),
  })
}
