/** The numbers of Lua as text, in both directions. An integer is a bigint of 64 bits, a float a number. */

const MAX_INT = 2n ** 63n - 1n
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const HEXADECIMAL = /^([+-]?)0[xX]([\da-fA-F]*)(\.[\da-fA-F]*)?(?:[pP]([+-]?\d+))?$/

/** Returns the integer with 64 bits that a larger one wraps to. */
export function wrap(integer: bigint): bigint {
  return BigInt.asIntN(64, integer)
}

/** Returns the integer that a float equals; undefined if there is none of 64 bits. */
export function toInteger(float: number): bigint | undefined {
  return Number.isInteger(float) && float >= -(2 ** 63) && float < 2 ** 63 ? BigInt(float) : undefined
}

/** Reads a number as Lua does, with blanks around it; undefined if the text is not a number. */
export function parseNumber(text: string): bigint | number | undefined {
  const trimmed = withoutBlanks(text)
  const hexadecimal = HEXADECIMAL.exec(trimmed)
  if (hexadecimal !== null) return parseHexadecimal(hexadecimal)
  if (!DECIMAL.test(trimmed)) return undefined
  return parseInteger(trimmed) ?? Number(trimmed)
}

/** Returns a text without the blanks around it, in time linear in its length. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANKS.includes(text.charAt(start))) start++
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

const BLANKS = ' \f\n\r\t\v'

function parseInteger(text: string): bigint | undefined {
  const digits = /^([+-]?)0*(\d{0,19})$/.exec(text)
  if (digits === null) return undefined
  const size = BigInt(digits[2] ?? '')
  if (digits[1] === '-') return size <= MAX_INT + 1n ? -size : undefined
  return size <= MAX_INT ? size : undefined
}

function parseHexadecimal([, sign, whole = '', fraction, exponent]: readonly (string | undefined)[]): bigint | number | undefined {
  const digits = whole + (fraction ?? '.').slice(1)
  if (digits === '') return undefined
  const size = BigInt(`0x${digits}`)
  if (fraction === undefined && exponent === undefined) return wrap(sign === '-' ? -size : size)
  const float = scaled(size, Number(exponent ?? 0) - 4 * (digits.length - whole.length))
  return sign === '-' ? -float : float
}

/** Returns `size * 2^exponent`, rounded once, half to even. */
function scaled(size: bigint, exponent: number): number {
  if (size === 0n) return 0
  const bits = size.toString(2).length
  const last = Math.max(bits + exponent - 53, -1074)
  const drop = last - exponent
  if (drop <= 0) return Number(size) * 2 ** exponent
  if (drop > bits + 1) return 0
  const kept = size >> BigInt(drop)
  const rest = size - (kept << BigInt(drop))
  const half = 1n << BigInt(drop - 1)
  const up = rest > half || (rest === half && kept % 2n === 1n)
  return Number(up ? kept + 1n : kept) * 2 ** last
}

/** Returns a number as text: an integer in decimal, a float as C's `%.14g`, with `.0` if it looks like an integer. NaN has no sign. */
export function numberText(value: bigint | number): string {
  if (typeof value === 'bigint') return String(value)
  if (Number.isNaN(value)) return 'nan'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (!Number.isFinite(value)) return `${sign}inf`
  const text = shortFloat(Math.abs(value))
  return sign + (/^\d+$/.test(text) ? `${text}.0` : text)
}

const DIGITS = 14
/** Enough digits to tell a tie from every other float. */
const EXACT_DIGITS = 60
/** The exact digits of a float that lies in the middle between two texts of 14 digits, the lower of which is even. */
const TIE_TO_LOWER = /^\d\.\d{12}[02468]50*e/

function shortFloat(float: number): string {
  if (float === 0) return '0'
  const exact = float.toExponential(EXACT_DIGITS)
  const [digits = '', power = ''] = (
    TIE_TO_LOWER.test(exact) ? exact.slice(0, DIGITS + 1) + exact.slice(exact.indexOf('e')) : float.toExponential(DIGITS - 1)
  ).split('e')
  const exponent = Number(power)
  const significant = withoutZerosAtEnd(digits.replace('.', ''))
  if (exponent < -4 || exponent >= DIGITS) {
    const fraction = significant.length > 1 ? `.${significant.slice(1)}` : ''
    return `${significant.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${significant}`
  const whole = significant.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = significant.slice(exponent + 1)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function withoutZerosAtEnd(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
