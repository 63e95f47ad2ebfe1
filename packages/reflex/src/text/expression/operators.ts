import { timeRangeRefusal, int64, isIn } from './functions.ts'
import { Duration, Timestamp, durationOf, timestampAt } from './time.ts'
import { compareValues, equalValues } from './compare.ts'
import { ComputedList, Refusal, isNumber, phraseOf, type ListValue, type Meter, type TypeName, type Value } from './values.ts'

/** An operator that evaluates all its operands. */
export interface Operator {
  readonly returns?: TypeName
  call(args: readonly Value[], meter: Meter): Value | Refusal
}

/**
 * The operators, under their names in CEL. Each operator accepts a whole number beside another number, because JSON does not mark which
 * numbers are whole. The result of two whole numbers is a whole number of 64 bits; `/` between them drops the remainder.
 */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  '_==_': { returns: 'boolean', call: ([left = null, right = null], meter) => equalValues(left, right, meter) },
  '_!=_': { returns: 'boolean', call: ([left = null, right = null], meter) => not(equalValues(left, right, meter)) },
  '_<_': comparison((sign) => sign < 0),
  '_<=_': comparison((sign) => sign <= 0),
  '_>_': comparison((sign) => sign > 0),
  '_>=_': comparison((sign) => sign >= 0),
  '@in': { returns: 'boolean', call: ([value = null, range = null], meter) => isIn(value, range, meter) },
  '!_': { returns: 'boolean', call: ([value = null]) => not(value) },
  '-_': { call: ([value = null]) => negate(value) },
  '_+_': { call: ([left = null, right = null], meter) => plus(left, right, meter) },
  '_-_': { call: ([left = null, right = null]) => minus(left, right) },
  '_*_': arithmeticOperator(
    'multiply',
    (left, right) => left * right,
    (left, right) => left * right,
  ),
  '_/_': arithmeticOperator('divide', divide, (left, right) => left / right),
  '_%_': arithmeticOperator('divide', remainder),
}

function not(value: Value | Refusal): Value | Refusal {
  if (value instanceof Refusal) return value
  return typeof value === 'boolean' ? !value : new Refusal('type', `! needs true or false, not ${phraseOf(value)}`)
}

function comparison(test: (sign: number) => boolean): Operator {
  return {
    returns: 'boolean',
    call([left = null, right = null], meter) {
      const sign = compareValues(left, right, meter)
      if (sign instanceof Refusal) return sign
      return sign === undefined ? new Refusal('type', `cannot compare ${phraseOf(left)} with ${phraseOf(right)}`) : test(sign)
    },
  }
}

type IntegerOperation = (left: bigint, right: bigint) => bigint | Refusal
type FloatOperation = (left: number, right: number) => number

function arithmeticOperator(verb: string, whole: IntegerOperation, real?: FloatOperation): Operator {
  return {
    returns: 'number',
    call([left = null, right = null]) {
      return arithmetic(left, right, whole, real) ?? new Refusal('type', `cannot ${verb} ${phraseOf(left)} by ${phraseOf(right)}`)
    },
  }
}

/** Returns undefined if the two values are not both numbers. */
function arithmetic(left: Value, right: Value, whole: IntegerOperation, real?: FloatOperation): Value | Refusal | undefined {
  if (!isNumber(left) || !isNumber(right)) return undefined
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    const result = whole(left, right)
    return result instanceof Refusal ? result : int64(result)
  }
  return real === undefined ? new Refusal('type', '% needs whole numbers') : real(Number(left), Number(right))
}

function divide(left: bigint, right: bigint): bigint | Refusal {
  return right === 0n ? new Refusal('range', 'a whole number was divided by zero') : left / right
}

function remainder(left: bigint, right: bigint): bigint | Refusal {
  return right === 0n ? new Refusal('range', 'a whole number was divided by zero') : left % right
}

function negate(value: Value): Value | Refusal {
  if (typeof value === 'bigint') return int64(-value)
  return typeof value === 'number' ? -value : new Refusal('type', `- needs a number, not ${phraseOf(value)}`)
}

function plus(left: Value, right: Value, meter: Meter): Value | Refusal {
  const sum = arithmetic(
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
  )
  if (sum !== undefined) return sum
  if (typeof left === 'string' && typeof right === 'string') return meter.spend((left.length + right.length) / 100) ?? left + right
  if (isList(left) && isList(right)) return concatLists(left, right, meter)
  if (left instanceof Timestamp && right instanceof Duration) return timestampAt(left.nanos + right.nanos) ?? timeRangeRefusal()
  if (left instanceof Duration && right instanceof Timestamp) return timestampAt(left.nanos + right.nanos) ?? timeRangeRefusal()
  if (left instanceof Duration && right instanceof Duration) return durationOf(left.nanos + right.nanos) ?? timeRangeRefusal()
  return new Refusal('type', `cannot add ${phraseOf(right)} to ${phraseOf(left)}`)
}

function minus(left: Value, right: Value): Value | Refusal {
  const difference = arithmetic(
    left,
    right,
    (a, b) => a - b,
    (a, b) => a - b,
  )
  if (difference !== undefined) return difference
  if (left instanceof Timestamp && right instanceof Duration) return timestampAt(left.nanos - right.nanos) ?? timeRangeRefusal()
  const isTime = (left instanceof Timestamp && right instanceof Timestamp) || (left instanceof Duration && right instanceof Duration)
  if (isTime) return durationOf(left.nanos - right.nanos) ?? timeRangeRefusal()
  return new Refusal('type', `cannot take ${phraseOf(right)} from ${phraseOf(left)}`)
}

function isList(value: Value): value is ListValue {
  return typeof value === 'object' && value !== null && value.kind === 'list'
}

function concatLists(left: ListValue, right: ListValue, meter: Meter): Value | Refusal {
  const spent = meter.spend(left.size + right.size)
  if (spent !== undefined) return spent
  const items: Value[] = []
  for (const list of [left, right]) {
    for (let i = 0; i < list.size; i++) {
      const item = list.at(i)
      if (item instanceof Refusal) return item
      items.push(item)
    }
  }
  return new ComputedList(items)
}
