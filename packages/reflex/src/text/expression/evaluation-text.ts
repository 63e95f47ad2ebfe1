import { shortJson } from '../brief.ts'
import type { Expression } from './expression.ts'
import type { ExpressionRead } from './reads.ts'
import type { Variables } from './code.ts'
import { printable } from '../printable.ts'
import { valueAt } from '../path.ts'

const MAX_SHOWN = 4
const MAX_LENGTH = 100

/**
 * Returns an expression with the values that it read, for people: `order.total >= 100 is false (84)`, or with several variables `total >=
 * 100 && vip is false (total 84, vip true)`. `answer` is the result of the expression. Reads only variables that the expression reads, and
 * shortens long values.
 */
export function evaluationText(expression: Expression, variables: Variables, answer: string): string {
  const values = readValuesText(expression, variables)
  const text = printable(expression.text.trim().replace(/\s+/g, ' '))
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
  return `${shown} is ${answer}${values === '' ? '' : ` (${values})`}`
}

/** Returns the variables that an expression reads, with their values in short form. A single value is shown without its name. */
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

/** Returns a value in short form. A board that throws when it is read must not hide the reason why the expression failed. */
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

/**
 * Returns the name of a read in a message. A presence test is named by its key, because the text of the test reads badly before `there`.
 */
function nameOf({ text }: Expression, { key = '', what, offset, length }: ExpressionRead): string {
  return printable(what === 'presence' ? key : text.slice(offset, offset + length).replace(/\s+/g, ' '))
}
