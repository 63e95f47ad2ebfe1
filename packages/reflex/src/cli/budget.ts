import { faults } from '../runs/faults.ts'
import type { RunLimits } from '../policy/index.ts'
import { suggest } from '../text/index.ts'
import { durationOf } from './grammar.ts'
import { money } from './model-usage.ts'
import { duration } from './units.ts'
import { count } from '../protocol/plain.ts'

const NAMES = ['usd', 'tokens', 'time', 'steps'] as const
type Name = (typeof NAMES)[number]

const WRITE = 'write --budget usd=2,tokens=100k,time=10m,steps=500, or some of these'

/** Reads `--budget usd=2,tokens=100k,time=10m,steps=500`. Throws `R2031`. */
export function readBudget(text: string): RunLimits {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length === 0) throw budgetFault(text, 'names no limit')
  const limits = new Map<Name, number>()
  for (const part of parts) {
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(0, equals)).trim()
    if (equals < 0) throw budgetFault(text, `has ${JSON.stringify(part)}, which is not NAME=AMOUNT`)
    if (!isName(name)) throw unknownName(text, name)
    if (limits.has(name)) throw budgetFault(text, `names ${name} twice`)
    limits.set(name, amountOf(name, part.slice(equals + 1).trim(), text))
  }
  const [cost, tokens, time, steps] = NAMES.map((name) => limits.get(name))
  return {
    ...(cost === undefined ? {} : { cost }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(time === undefined ? {} : { time }),
    ...(steps === undefined ? {} : { steps }),
  }
}

function isName(name: string): name is Name {
  return NAMES.some((known) => known === name)
}

/** Reads an amount above 0. Whole numbers may end in `k` or `M`; a time, in milliseconds, needs a unit. */
function amountOf(name: Name, word: string, text: string): number {
  if (name === 'time') {
    const ms = durationOf(word, '--budget time')
    if (ms > 0) return ms
    throw budgetFault(text, 'has a time of 0')
  }
  const [, digits = '', unit = ''] = /^\$?(\d+(?:\.\d+)?)([kM]?)$/.exec(word) ?? []
  const amount = Number(digits === '' ? Number.NaN : digits) * (unit === 'k' ? 1_000 : unit === 'M' ? 1_000_000 : 1)
  if (!(amount > 0) || !Number.isFinite(amount))
    throw budgetFault(text, `has ${JSON.stringify(word)} for ${name}, which is not an amount above 0`)
  if (name !== 'usd' && !Number.isSafeInteger(amount))
    throw budgetFault(text, `has ${JSON.stringify(word)} for ${name}, which is not a whole number`)
  return amount
}

function unknownName(text: string, name: string): Error {
  const meant = suggest(name, [...NAMES, 'cost', 'money'])
  const known = meant === 'cost' || meant === 'money' ? 'usd' : meant
  const hint = known === undefined ? `; the limits are ${NAMES.join(', ')}` : `; did you mean "${known}"?`
  return budgetFault(text, `names ${JSON.stringify(name)}${hint}`)
}

function budgetFault(text: string, problem: string): Error {
  return faults.make('R2031', `--budget ${JSON.stringify(text)} ${problem}`, { fix: WRITE })
}

/** Returns the limits of a budget: `$2.00, 100,000 tok, 10 m 00 s, 500 steps`. */
export function budgetText({ cost, tokens, time, steps }: RunLimits): string {
  return [
    ...(cost === undefined ? [] : [money(cost)]),
    ...(tokens === undefined ? [] : [`${count(tokens)} tok`]),
    ...(time === undefined ? [] : [duration(time)]),
    ...(steps === undefined ? [] : [`${count(steps)} ${steps === 1 ? 'step' : 'steps'}`]),
  ].join(', ')
}
