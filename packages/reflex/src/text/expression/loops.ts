import type { Code } from './code.ts'
import { measure, type Loop } from './terms.ts'
import { MadeList, Refusal, phraseOf, type ListValue, type Meter, type Value } from './values.ts'

/** The parts of a loop, ready to be evaluated. */
interface LoopParts {
  readonly range: Code
  readonly test: Code
  readonly value: Code | undefined
}

/** The code of a loop. Each element costs as many steps as its condition and value have parts. */
export function loopCode(term: Loop, { range, test, value }: LoopParts): Code {
  const cost = 1 + [term.test, term.value].reduce((sum, part) => sum + (part === undefined ? 0 : measure(part).terms), 0)
  return (scope) => {
    const over = range(scope)
    if (over instanceof Refusal) return over
    const items = itemsOf(over, scope.meter)
    if (items instanceof Refusal) return items
    const result = new LoopResult(term.loop)
    const outer = scope.slots[term.slot]
    for (let i = 0; i < items.size && !result.decided; i++) {
      const item = scope.meter.spend(cost) ?? items.at(i)
      if (item instanceof Refusal) return item
      scope.slots[term.slot] = item
      const holds = test(scope)
      result.take(holds === true && value !== undefined ? value(scope) : item, holds)
    }
    scope.slots[term.slot] = outer
    return result.value()
  }
}

function itemsOf(over: Value, meter: Meter): ListValue | Refusal {
  if (typeof over === 'object' && over !== null) {
    if (over.kind === 'list') return over
    if (over.kind === 'map') {
      const keys = over.keys()
      return meter.spend(keys.length) ?? new MadeList(keys)
    }
  }
  return new Refusal('type', `only lists and objects have elements to go over, not ${phraseOf(over)}`)
}

/** What a loop has come to. `all` and `exists` outlive a failing element when another decides; the others do not. */
class LoopResult {
  readonly #loop: Loop['loop']
  readonly #taken: Value[] = []
  #count = 0
  #failed: Refusal | undefined
  #answer: boolean | undefined

  constructor(loop: Loop['loop']) {
    this.#loop = loop
  }

  /** Whether the elements that are left cannot change the result. */
  get decided(): boolean {
    return this.#answer !== undefined || (this.#failed !== undefined && (this.#isStrict() || this.#failed.reason === 'steps'))
  }

  take(item: Value | Refusal, holds: Value | Refusal): void {
    if (holds instanceof Refusal) this.#failed ??= holds
    else if (this.#loop === 'all' && holds === false) this.#answer = false
    else if (this.#loop === 'exists' && holds === true) this.#answer = true
    else if (holds === true) {
      this.#count++
      if (item instanceof Refusal) this.#failed ??= item
      else if (this.#isStrict()) this.#taken.push(item)
    }
  }

  value(): Value | Refusal {
    if (this.#answer !== undefined) return this.#answer
    if (this.#failed !== undefined) return this.#failed
    if (this.#loop === 'exists_one') return this.#count === 1
    return this.#isStrict() ? new MadeList(this.#taken) : this.#loop === 'all'
  }

  #isStrict(): boolean {
    return this.#loop === 'map' || this.#loop === 'filter' || this.#loop === 'exists_one'
  }
}
