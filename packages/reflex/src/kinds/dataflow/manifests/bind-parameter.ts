import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { didYouMean, quote, quoteAll, suggest } from '../../../text/index.ts'
import type { ParameterDeclaration, ParameterValue } from '../model/manifest.ts'
import { faults } from './faults.ts'

/** The largest size of an Int: up to it, each integer is a number exactly (rule X.11). */
export const MAX_INT = 2 ** 53

/** A value that a declaration refuses: `I.4` for the wrong type, `X.11` for an Int that no number holds exactly. */
export interface BindingProblem {
  readonly rule: 'I.4' | 'X.11'
  /** Completes a sentence whose subject is the parameter: `is an Int and cannot be 1.5`. */
  readonly reason: string
  readonly fix: string
}

export type Bound = { readonly value: ParameterValue } | { readonly problem: BindingProblem }

/**
 * Returns the value of a parameter for what a document or a caller states: JSON, or a BigInt for an Int.
 *
 * `text` is the number as it is written, for a value that comes from a text: `JSON.parse` has already rounded 9007199254740993 to 2^53, and
 * only the text shows it. Without it the rounded value counts. −0 becomes 0.
 */
export function bindParameter(declaration: Pick<ParameterDeclaration, 'type' | 'values'>, stated: unknown, text?: string): Bound {
  switch (declaration.type) {
    case 'Int':
      return bindInt(stated, text)
    case 'Number':
      return bindNumber(stated, text)
    case 'Bool':
      return typeof stated === 'boolean' ? { value: stated } : wrongType('Bool', stated, 'write true or false')
    case 'String':
      return bindString('String', stated)
    default:
      return bindEnum(stated, declaration.values ?? [])
  }
}

/**
 * Returns the problem of a parameter that takes the value of a parameter of the cluster around it; undefined if every value of `from` fits.
 * Types are equal, or an Int becomes a Number; the values of an Enum are among those of the other.
 */
export function exposedProblem(
  declaration: Pick<ParameterDeclaration, 'type' | 'values'>,
  from: Pick<ParameterDeclaration, 'name' | 'type' | 'values'>,
): BindingProblem | undefined {
  if (declaration.type !== from.type && !(declaration.type === 'Number' && from.type === 'Int'))
    return {
      rule: 'I.4',
      reason: `is ${typeText(declaration.type)} and cannot take ${quote(from.name)}, which is ${typeText(from.type)}`,
      fix: `declare ${quote(from.name)} as ${declaration.type}`,
    }
  const allowed = declaration.values ?? []
  const other = declaration.type === 'Enum' ? (from.values ?? []).find((value) => !allowed.includes(value)) : undefined
  if (other === undefined) return undefined
  return {
    rule: 'I.4',
    reason: `cannot take ${quote(from.name)}, which can be ${quote(other)}; it takes ${quoteAll(allowed)}`,
    fix: `remove ${quote(other)} from the values of ${quote(from.name)}`,
  }
}

/** Returns the fault of a refused value. `subject` names the parameter: `parameter "size" of node "w"`. */
export function bindingFault(problem: BindingProblem, subject: string, details: FaultDetails = {}): Fault {
  return faults.finding('R1348', `${subject} ${problem.reason}`, { rule: problem.rule, fix: problem.fix, ...details })
}

/** True for the text of an integer beyond 2^53, such as `9007199254740993`: no parameter takes it. `1e16` is a Number. */
export function isUnsafeInteger(text: string): boolean {
  const integer = /^-?\d+$/.test(text) ? integerOf(text) : undefined
  return integer === 'large' || (integer !== undefined && (integer > MAX_BIG || integer < -MAX_BIG))
}

const MAX_BIG = BigInt(MAX_INT)

function bindInt(stated: unknown, text: string | undefined): Bound {
  if (typeof stated !== 'number' && typeof stated !== 'bigint') return wrongType('Int', stated, 'write a whole number')
  const integer = typeof stated === 'bigint' ? stated : text === undefined ? integerOfNumber(stated) : integerOf(text)
  if (integer === 'large') return outOfRange(text ?? String(stated))
  if (integer === undefined) return wrongType('Int', stated, 'write a whole number')
  return integer > MAX_BIG || integer < -MAX_BIG ? outOfRange(text ?? String(stated)) : { value: Number(integer) }
}

function bindNumber(stated: unknown, text: string | undefined): Bound {
  if (typeof stated === 'bigint') return bindInt(stated, text)
  if (typeof stated !== 'number') return wrongType('Number', stated, 'write a number')
  if (text !== undefined && isUnsafeInteger(text)) return outOfRange(text)
  if (!Number.isFinite(stated)) return wrongType('Number', text ?? stated, 'write a finite number')
  return { value: stated + 0 }
}

function bindString(type: 'String' | 'Enum', stated: unknown): Bound {
  if (typeof stated !== 'string') return wrongType(type, stated, 'write a text in double quotes')
  if (stated.isWellFormed()) return { value: stated }
  return problem('I.4', `cannot be ${quote(stated)}, which has half a surrogate pair`, 'write the whole character')
}

function bindEnum(stated: unknown, values: readonly string[]): Bound {
  const bound = bindString('Enum', stated)
  if ('problem' in bound || values.includes(String(bound.value))) return bound
  const guess = suggest(String(bound.value), values)
  const hint = didYouMean(guess)
  return problem(
    'I.4',
    `takes ${quoteAll(values)} and cannot be ${quote(String(bound.value))}${hint === undefined ? '' : `; ${hint}`}`,
    `write ${guess === undefined ? 'one of them' : JSON.stringify(guess)}`,
  )
}

/** Returns a finite number as an integer; undefined for a fraction or what is not finite. */
function integerOfNumber(value: number): bigint | undefined {
  return Number.isInteger(value) ? BigInt(value) : undefined
}

/** Returns the exact value of the text of a JSON number if it is an integer; `large` for one of more than 400 digits. */
function integerOf(text: string): bigint | 'large' | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = withoutEndingZeros(digits)
  if (significant === '') return 0n
  const zeros = Number(power) - fraction.length + digits.length - significant.length
  if (zeros < 0) return undefined
  if (significant.length + zeros > 400) return 'large'
  return BigInt(`${sign}${significant}${'0'.repeat(zeros)}`)
}

function withoutEndingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

function outOfRange(text: string): Bound {
  return problem('X.11', `cannot be ${text}: beyond 2^53 not every integer is a number`, `write a number from -${MAX_INT} to ${MAX_INT}`)
}

function wrongType(type: ParameterDeclaration['type'], stated: unknown, fix: string): Bound {
  return problem('I.4', `is ${typeText(type)} and cannot be ${valueText(stated)}`, fix)
}

function problem(rule: BindingProblem['rule'], reason: string, fix: string): Bound {
  return { problem: { rule, reason, fix } }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return String(value)
}

function typeText(type: string): string {
  return /^[AEIOU]/.test(type) ? `an ${type}` : `a ${type}`
}
