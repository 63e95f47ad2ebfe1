import { type Comparison, type Expression, isNode, partsOf } from '../lua/expression/forms.ts'
import {
  ALL_TEXTS,
  BOOLEANS,
  canBeFalse,
  canBeTrue,
  type Domain,
  EVERYTHING,
  except,
  isNothing,
  isOne,
  join,
  meet,
  meetNumbers,
  NIL,
  NOTHING,
  ofJson,
  REALS,
  typesOf,
} from './domain.ts'
import { boundOf, canHold, isComparable, isOrder, NEGATED, numberOf, type Order, sumOf, TURNED } from './order.ts'

/** How a key is used: `strict` fails for nil, `soft` takes nil for false or unequal, `test` asks for nil itself. */
export type Use = 'strict' | 'soft' | 'test'

/** The values of keys at a place of a tree. */
export interface Values {
  valueOf(key: string): Domain
  /** Restricts a key, until `undo`. */
  restrict(key: string, domain: Domain): void
  /** Notes that a key has a value, which may be null, until `undo`. */
  present(key: string): void
  mark(): number
  undo(mark: number): void
}

/** What an evaluation notices. */
export interface Notices {
  read(key: string, use: Use): void
  mismatch(operator: Comparison, left: readonly string[], right: readonly string[]): void
}

/** What `ctx` has besides texts. */
const CONTEXT: Readonly<Record<string, Domain>> = { event: EVERYTHING, tick_count: { ...NOTHING, numbers: REALS } }

/** Evaluates expressions over the values that keys can have. */
export class Truth {
  readonly #values: Values
  readonly #notices: Notices
  #isQuiet = false
  /** True if the evaluation can raise an error of Lua. */
  canFail = false

  constructor(values: Values, notices: Notices) {
    this.#values = values
    this.#notices = notices
  }

  /** Returns the values that an expression can have. */
  value(of: Expression, use: Use = 'soft'): Domain {
    if (!isNode(of)) return of === null ? NIL : ofJson(of)
    switch (of[0]) {
      case 'int':
      case 'float':
        return { ...NOTHING, numbers: numberOf(of[1]) }
      case 'bytes':
        return { ...NOTHING, texts: ALL_TEXTS }
      case 'bb':
      case 'get':
        return this.#read(of[1], use)
      case 'has':
        return this.#has(of[1])
      case 'ctx':
        return CONTEXT[of[1]] ?? { ...NOTHING, texts: ALL_TEXTS }
      case 'not': {
        const inner = this.value(of[1])
        return { ...NOTHING, yes: canBeFalse(inner), no: canBeTrue(inner) }
      }
      case 'and':
      case 'or':
        return this.#logic(of[0], of[1], of[2])
      case '==':
      case '~=':
        return this.#equality(of[0], of[1], of[2])
      case '+':
      case '-':
        return this.#sum(of[0], of[1], of[2])
      default: {
        const [operator, left, right] = of as readonly [unknown, Expression, Expression]
        return isOrder(operator) ? this.#order(operator, left, right) : this.#other(of)
      }
    }
  }

  #read(key: string, use: Use): Domain {
    if (!this.#isQuiet) this.#notices.read(key, use)
    const domain = this.#values.valueOf(key)
    if (use === 'strict' && domain.nil) this.canFail = true
    return domain
  }

  #has(key: string): Domain {
    if (!this.#isQuiet) this.#notices.read(key, 'test')
    const domain = this.#values.valueOf(key)
    // A key that holds null has a value, and is nil in an expression.
    return { ...NOTHING, yes: true, no: domain.nil }
  }

  /** Everything else works on values of certain types, and fails for others. */
  #other(of: Expression): Domain {
    for (const part of partsOf(of)) this.value(part, 'strict')
    this.canFail = true
    if (!isNode(of)) return EVERYTHING
    if (of[0] === 'len' || of[0] === '*' || of[0] === '/' || of[0] === '//' || of[0] === '%' || of[0] === '^' || of[0] === 'neg')
      return { ...NOTHING, numbers: REALS }
    return of[0] === '..' ? { ...NOTHING, texts: ALL_TEXTS } : EVERYTHING
  }

  #logic(operator: 'and' | 'or', first: Expression, second: Expression): Domain {
    const left = this.value(first)
    const isAnd = operator === 'and'
    if (!(isAnd ? canBeTrue(left) : canBeFalse(left))) return left
    const mark = this.#values.mark()
    const right = this.assume(first, isAnd) ? this.value(second) : NOTHING
    this.#values.undo(mark)
    const kept = isAnd ? { ...NOTHING, nil: left.nil, no: left.no } : { ...left, nil: false, no: false }
    return join(kept, right)
  }

  #equality(operator: '==' | '~=', first: Expression, second: Expression): Domain {
    const use = first === null || second === null ? 'test' : 'soft'
    const [left, right] = [this.value(first, use), this.value(second, use)]
    const common = meet(left, right)
    const canEqual = !isNothing(common)
    const canDiffer = !(isOne(left) && isOne(right) && canEqual)
    const [leftTypes, rightTypes] = [typesOf(left), typesOf(right)]
    if (leftTypes.length > 0 && rightTypes.length > 0 && !leftTypes.some((type) => rightTypes.includes(type)))
      this.#mismatch(operator, leftTypes, rightTypes)
    return { ...NOTHING, yes: operator === '==' ? canEqual : canDiffer, no: operator === '==' ? canDiffer : canEqual }
  }

  #mismatch(operator: Comparison, left: readonly string[], right: readonly string[]): void {
    if (!this.#isQuiet) this.#notices.mismatch(operator, left, right)
  }

  #order(operator: Order, first: Expression, second: Expression): Domain {
    const [left, right] = [this.value(first, 'strict'), this.value(second, 'strict')]
    const areTexts = left.texts !== undefined && right.texts !== undefined
    const areNumbers = left.numbers !== undefined && right.numbers !== undefined
    if (!isComparable(left, right)) this.canFail = true
    if (!areTexts && !areNumbers) {
      const types = [typesOf(left), typesOf(right)] as const
      if (types.every((each) => each.length > 0)) this.#mismatch(operator, ...types)
      return NOTHING
    }
    if (areTexts) return BOOLEANS
    return { ...NOTHING, yes: canHold(operator, left.numbers, right.numbers), no: canHold(NEGATED[operator], left.numbers, right.numbers) }
  }

  #sum(operator: '+' | '-', first: Expression, second: Expression): Domain {
    const [left, right] = [this.value(first, 'strict'), this.value(second, 'strict')]
    if (typesOf(left).join() !== 'a number' || typesOf(right).join() !== 'a number') this.canFail = true
    const { numbers: a } = left
    const { numbers: b } = right
    return { ...NOTHING, numbers: a === undefined || b === undefined ? REALS : sumOf(operator, a, b) }
  }

  /** Restricts the keys of a condition to the values with which it is true or false. Returns false if there are none. Notices nothing. */
  assume(condition: Expression, truth: boolean): boolean {
    const [wasQuiet, couldFail] = [this.#isQuiet, this.canFail]
    this.#isQuiet = true
    const isPossible = this.#assume(condition, truth)
    this.#isQuiet = wasQuiet
    this.canFail = couldFail
    return isPossible
  }

  #assume(of: Expression, truth: boolean): boolean {
    const value = this.value(of)
    if (!isNode(of)) return truth ? canBeTrue(value) : canBeFalse(value)
    switch (of[0]) {
      case 'bb':
      case 'get':
        return this.#restrict(of[1], truth ? { ...value, nil: false, no: false } : { ...NOTHING, nil: value.nil, no: value.no })
      case 'has':
        if (!truth) return this.#restrict(of[1], NIL)
        this.#values.present(of[1])
        return true
      case 'not':
        return this.#assume(of[1], !truth)
      case 'and':
      case 'or':
        if ((of[0] === 'and') === truth) return this.#assume(of[1], truth) && this.#assume(of[2], truth)
        break
      case '==':
      case '~=':
        return this.#assumeEqual(of[1], of[2], (of[0] === '==') === truth)
      default:
        if (isOrder(of[0])) {
          const [operator, left, right] = of as readonly [Order, Expression, Expression]
          return this.#assumeOrder(operator, left, right, truth)
        }
    }
    return truth ? canBeTrue(value) : canBeFalse(value) || this.canFail
  }

  #restrict(key: string, domain: Domain): boolean {
    if (isNothing(domain)) return false
    this.#values.restrict(key, domain)
    return true
  }

  #assumeEqual(first: Expression, second: Expression, isEqual: boolean): boolean {
    const [left, right] = [this.value(first, 'test'), this.value(second, 'test')]
    const [a, b] = isEqual ? [meet(left, right), meet(left, right)] : [except(left, right), except(right, left)]
    if (isNothing(a) || isNothing(b)) return false
    for (const [side, domain] of [[first, a] as const, [second, b] as const]) {
      if (isNode(side) && (side[0] === 'bb' || side[0] === 'get')) this.#values.restrict(side[1], domain)
    }
    return true
  }

  #assumeOrder(operator: Order, first: Expression, second: Expression, truth: boolean): boolean {
    const actual = truth ? operator : NEGATED[operator]
    const [left, right] = [this.value(first), this.value(second)]
    return this.#bound(first, left, actual, right, truth) && this.#bound(second, right, TURNED[actual], left, truth)
  }

  /** A comparison that is false may have failed: then the values are of other types. */
  #bound(side: Expression, domain: Domain, operator: Order, { numbers, texts }: Domain, truth: boolean): boolean {
    if (numbers === undefined) return true
    const bounded = meetNumbers(domain.numbers, boundOf(operator, numbers))
    const kept = truth ? { ...NOTHING, numbers: bounded, texts: texts && domain.texts } : { ...domain, numbers: bounded }
    if (isNothing(kept)) return false
    if (isNode(side) && (side[0] === 'bb' || side[0] === 'get')) this.#values.restrict(side[1], kept)
    return true
  }
}
