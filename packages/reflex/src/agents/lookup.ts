import { isList, isObject, type Json } from '../kernel/index.ts'
import { didYouMean, quote, suggest } from '../text/index.ts'
import type { BlackboardReader, BlackboardWrite } from '../kinds/workflow/index.ts'
import { faults } from './faults.ts'

/** A view of values by path: a board key, then keys and positions inside its value, separated by points. */
export interface ValueView {
  find(path: string): Json | undefined
  /** Returns the names with which a path may begin, for suggestions. */
  names(): readonly string[]
}

/** The board as a decision sees it, with the values that the decision is about to write. */
export class Draft implements ValueView {
  readonly #board: BlackboardReader
  readonly #writes = new Map<string, Json>()
  readonly #reads = new Set<string>()

  constructor(board: BlackboardReader) {
    this.#board = board
  }

  /** Returns the value at a path. The longest matching key wins, so that a key with points in it can be read. */
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

  /** The keys of the board that were read so far. */
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

/** Returns a view that looks names up in an item of a list first, then in the outer view. */
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

/** Returns the value at a path of steps inside a value, by own keys only; `length` of a list is its number of items. */
export function valueInside(value: Json, steps: readonly string[]): Json | undefined {
  let at: Json | undefined = value
  for (const step of steps) {
    if (isList(at)) at = step === 'length' ? at.length : /^(0|[1-9]\d*)$/.test(step) ? at[Number(step)] : undefined
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
    if (at === undefined) return undefined
  }
  return at
}

/** Returns the value at a path. Throws `R2110`, with a suggestion, if there is none. */
export function requiredValue(view: ValueView, path: string, where: string): Json {
  const value = view.find(path)
  if (value !== undefined) return value
  const [first = ''] = path.split('.')
  const names = [...new Set(view.names())]
  const known = names.includes(first)
  const guess = known ? undefined : didYouMean(suggest(first, names))
  const why = known ? `${quote(first)} has no such part` : (guess ?? 'no such key')
  throw faults.make('R2110', `${where} reads ${quote(path)}, but the board has no value there: ${why}`, {
    path: where,
    ...(known || guess !== undefined || names.length === 0 ? {} : { fix: `keys: ${names.slice(0, 12).join(', ')}` }),
  })
}
