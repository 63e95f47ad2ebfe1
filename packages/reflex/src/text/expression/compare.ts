import { Duration, Timestamp } from './time.ts'
import { Refusal, isNumber, type ListValue, type MapValue, type Meter, type Value } from './values.ts'

/** Compares two values for equality: numbers by value, lists and objects by content. Values of different types are never equal. */
export function equalValues(left: Value, right: Value, meter: Meter): boolean | Refusal {
  if (typeof left !== 'object' || left === null) {
    if (typeof left === 'string' && typeof right === 'string' && left.length === right.length)
      return meter.spend(left.length / 1000) ?? left === right
    if (isNumber(left) && isNumber(right)) return sameNumber(left, right)
    return left === right
  }
  if (typeof right !== 'object' || right === null || left.kind !== right.kind) return false
  switch (left.kind) {
    case 'list':
      return right.kind === 'list' && equalLists(left, right, meter)
    case 'map':
      return right.kind === 'map' && equalMaps(left, right, meter)
    default:
      return (right.kind === 'timestamp' || right.kind === 'duration') && left.nanos === right.nanos
  }
}

function equalLists(left: ListValue, right: ListValue, meter: Meter): boolean | Refusal {
  if (left.size !== right.size) return false
  for (let i = 0; i < left.size; i++) {
    const equal = meter.spend(1) ?? equalItems(left.at(i), right.at(i), meter)
    if (equal !== true) return equal
  }
  return true
}

function equalMaps(left: MapValue, right: MapValue, meter: Meter): boolean | Refusal {
  const size = left.size
  const others = right.size
  const spent = meter.spend(size + others)
  if (spent !== undefined) return spent
  if (size !== others) return false
  for (const key of left.keys()) {
    const item = left.get(key)
    const other = right.get(key)
    if (item === undefined || other === undefined) return false
    const equal = equalItems(item, other, meter)
    if (equal !== true) return equal
  }
  return true
}

function equalItems(left: Value | Refusal, right: Value | Refusal, meter: Meter): boolean | Refusal {
  if (left instanceof Refusal) return left
  return right instanceof Refusal ? right : equalValues(left, right, meter)
}

/** Compares two numbers exactly by value, also a bigint with a double. NaN equals nothing. */
function sameNumber(left: bigint | number, right: bigint | number): boolean {
  return left == right // oxlint-disable-line eqeqeq -- a bigint and a number are never identical
}

/** Compares two values. Returns a number below 0, 0 or above 0; NaN if one value is NaN; undefined if the types cannot be compared. */
export function compareValues(left: Value, right: Value, meter: Meter): number | Refusal | undefined {
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : sameNumber(left, right) ? 0 : Number.NaN
  if (typeof left === 'string' && typeof right === 'string')
    return meter.spend(Math.min(left.length, right.length) / 100) ?? compareText(left, right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  const isTime = (left instanceof Timestamp && right instanceof Timestamp) || (left instanceof Duration && right instanceof Duration)
  if (!isTime) return undefined
  return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0
}

/** Compares texts by code points, as CEL does. UTF-16 units would order an emoji before a full-width letter. */
function compareText(left: string, right: string): number {
  if (left === right) return 0
  let at = 0
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at++
  return (left.codePointAt(at) ?? -1) - (right.codePointAt(at) ?? -1)
}
