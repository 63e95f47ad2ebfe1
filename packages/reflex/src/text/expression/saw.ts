import { brief } from '../brief.ts'
import type { Expression } from './expression.ts'
import type { ExpressionRead } from './reads.ts'
import type { Variables } from './code.ts'
import { harmless } from '../harmless.ts'
import { valueAt } from '../path.ts'

const MOST_SHOWN = 4
const LONGEST = 100

/**
 * What an expression saw, for people: `order.total >= 100 is false (84)`, or with several variables
 * `total >= 100 && vip is false (total 84, vip true)`. `answer` is what it came to. Reads nothing that the
 * expression does not read, and shows values in brief.
 */
export function sawText(expression: Expression, variables: Variables, answer: string): string {
  const seen = readText(expression, variables)
  const text = harmless(expression.text.trim().replace(/\s+/g, ' '))
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
  return `${shown} is ${answer}${seen === '' ? '' : ` (${seen})`}`
}

/** The variables that an expression looks at, with their values in brief; a value alone needs no name. */
export function readText(expression: Expression, variables: Variables): string {
  const shown = new Map<string, string>()
  for (const read of expression.reads) {
    const isTold = read.what === 'presence' && expression.reads.some(({ key, what }) => what === 'value' && key === read.key)
    if (read.key === undefined || isTold) continue
    const name = nameOf(expression, read)
    if (!shown.has(name)) shown.set(name, seenOf(read, read.key, variables))
  }
  const parts = [...shown]
  const [only] = parts
  if (only !== undefined && parts.length === 1 && ![NOT_THERE, THERE].includes(only[1])) return only[1]
  const named = parts.slice(0, MOST_SHOWN).map(([name, value]) => `${name} ${value}`)
  return [...named, ...(parts.length > MOST_SHOWN ? [`${parts.length - MOST_SHOWN} more`] : [])].join(', ')
}

const THERE = 'there'
const NOT_THERE = 'not there'

/** A board that throws when it is read must not hide why the expression failed. */
function seenOf({ path, what }: ExpressionRead, key: string, variables: Variables): string {
  try {
    if (!variables.has(key)) return NOT_THERE
    if (what === 'presence') return THERE
    const value = valueAt(variables.get(key), path)
    return value === undefined ? NOT_THERE : brief(value)
  } catch {
    return 'not readable'
  }
}

/** A presence test is told by its key, since what it is written as would read oddly before `there`. */
function nameOf({ text }: Expression, { key = '', what, offset, length }: ExpressionRead): string {
  return harmless(what === 'presence' ? key : text.slice(offset, offset + length).replace(/\s+/g, ' '))
}
