import { shortJson } from '../brief.ts'
import type { Expression } from './expression.ts'
import type { ExpressionRead } from './reads.ts'
import type { Variables } from './code.ts'
import { printable } from '../printable.ts'
import { valueAt } from '../path.ts'

const MAX_SHOWN = 4
const MAX_LENGTH = 100

/**
 * What an expression saw, for people: `order.total >= 100 is false (84)`, or with several variables
 * `total >= 100 && vip is false (total 84, vip true)`. `answer` is what it came to. Reads nothing that the
 * expression does not read, and shows values in brief.
 */
export function evaluationText(expression: Expression, variables: Variables, answer: string): string {
  const values = readValuesText(expression, variables)
  const text = printable(expression.text.trim().replace(/\s+/g, ' '))
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
  return `${shown} is ${answer}${values === '' ? '' : ` (${values})`}`
}

/** The variables that an expression looks at, with their values in brief; a value alone needs no name. */
export function readValuesText(expression: Expression, variables: Variables): string {
  const shown = new Map<string, string>()
  for (const read of expression.reads) {
    const isCovered = read.what === 'presence' && expression.reads.some(({ key, what }) => what === 'value' && key === read.key)
    if (read.key === undefined || isCovered) continue
    const name = nameOf(expression, read)
    if (!shown.has(name)) shown.set(name, valueText(read, read.key, variables))
  }
  const parts = [...shown]
  const [single] = parts
  if (single !== undefined && parts.length === 1 && ![NOT_THERE, THERE].includes(single[1])) return single[1]
  const named = parts.slice(0, MAX_SHOWN).map(([name, value]) => `${name} ${value}`)
  return [...named, ...(parts.length > MAX_SHOWN ? [`${parts.length - MAX_SHOWN} more`] : [])].join(', ')
}

const THERE = 'there'
const NOT_THERE = 'not there'

/** A board that throws when it is read must not hide why the expression failed. */
function valueText({ path, what }: ExpressionRead, key: string, variables: Variables): string {
  try {
    if (!variables.has(key)) return NOT_THERE
    if (what === 'presence') return THERE
    const value = valueAt(variables.get(key), path)
    return value === undefined ? NOT_THERE : shortJson(value)
  } catch {
    return 'not readable'
  }
}

/** A presence test is told by its key, since what it is written as would read oddly before `there`. */
function nameOf({ text }: Expression, { key = '', what, offset, length }: ExpressionRead): string {
  return printable(what === 'presence' ? key : text.slice(offset, offset + length).replace(/\s+/g, ' '))
}
