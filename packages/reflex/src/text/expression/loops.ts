import type { Code } from './code.ts'
import { measure, type Loop } from './terms.ts'
import { ComputedList, Refusal, phraseOf, type ListValue, type Meter, type Value } from './values.ts'

/** The compiled parts of a loop. */
interface LoopParts {
  readonly range: Code
  readonly test: Code
  readonly value: Code | undefined
}

/** Compiles a loop. Each element costs as many steps as the condition and the value have parts, plus one. */
export function loopCode(term: Loop, { range, test, value }: LoopParts): Code {
  const cost = 1 + [term.test, term.value].reduce((sum, part) => sum + (part === undefined ? 0 : measure(part).terms), 0)
  return (scope) => {
    const collection = range(scope)
    if (collection instanceof Refusal) return collection
    const items = itemsOf(collection, scope.meter)
    if (items instanceof Refusal) return items
    const result = new LoopResult(term.loop)
    const outer = scope.slots[term.slot]
    for (let i = 0; i < items.size && !result.decided; i++) {
      const item = scope.meter.spend(cost) ?? items.at(i)
      if (item instanceof Refusal) return item
      scope.slots[term.slot] = item
      const matches = test(scope)
      result.add(matches === true && value !== undefined ? value(scope) : item, matches)
    }
    scope.slots[term.slot] = outer
    return result.value()
  }
}

function itemsOf(collection: Value, meter: Meter): ListValue | Refusal {
  if (typeof collection === 'object' && collection !== null) {
    if (collection.kind === 'list') return collection
    if (collection.kind === 'map') {
      const keys = collection.keys()
      return meter.spend(keys.length) ?? new ComputedList(keys)
    }
  }
  return new Refusal('type', `a loop needs a list or an object, not ${phraseOf(collection)}`)
}

/** The result of a loop. `all` and `exists` ignore a failing element if another element decides the result; the other loops fail. */
class LoopResult {
  readonly #loop: Loop['loop']
  readonly #items: Value[] = []
  #count = 0
  #refusal: Refusal | undefined
  #answer: boolean | undefined

  constructor(loop: Loop['loop']) {
    this.#loop = loop
  }

  /** True if the remaining elements cannot change the result. */
  get decided(): boolean {
    return this.#answer !== undefined || (this.#refusal !== undefined && (this.#isStrict() || this.#refusal.reason === 'steps'))
  }

  add(item: Value | Refusal, matches: Value | Refusal): void {
    if (matches instanceof Refusal) this.#refusal ??= matches
    else if (this.#loop === 'all' && matches === false) this.#answer = false
    else if (this.#loop === 'exists' && matches === true) this.#answer = true
    else if (matches === true) {
      this.#count++
      if (item instanceof Refusal) this.#refusal ??= item
      else if (this.#isStrict()) this.#items.push(item)
    }
  }

  value(): Value | Refusal {
    if (this.#answer !== undefined) return this.#answer
    if (this.#refusal !== undefined) return this.#refusal
    if (this.#loop === 'exists_one') return this.#count === 1
    return this.#isStrict() ? new ComputedList(this.#items) : this.#loop === 'all'
  }

  #isStrict(): boolean {
    return this.#loop === 'map' || this.#loop === 'filter' || this.#loop === 'exists_one'
  }
}
