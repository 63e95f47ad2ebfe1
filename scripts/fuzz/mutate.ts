import type { Dice } from '../faults/dice.ts'
import { NUMBERS, ODD, WORDS } from './words.ts'

/** Characters of a mutant; what makes one longer cuts it off. */
const LONGEST = 100_000
const TOKEN = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|[A-Za-z_][\w.]*|-?\d+(?:\.\d+)?|\s+|[^]/g

type Mutation = (text: string, dice: Dice, others: readonly string[]) => string

/**
 * A text drawn from the seeds and changed in one to five ways; half of them gently, so that they are read to the end and what
 * comes behind reading is tried as well. The same dice give the same mutant.
 */
export function mutant(seeds: readonly string[], dice: Dice): string {
  let text = pick(seeds, dice)
  const mutations = dice.chance(0.5) ? GENTLE : ROUGH
  for (let i = dice.between(1, 5); i > 0; i--) text = dice.pick(mutations)(text, dice, seeds).slice(0, LONGEST)
  return text
}

/** Leave the writing of a language whole, as a rule. */
const GENTLE: readonly [Mutation, ...Mutation[]] = [
  onTokens((tokens, from, _to, dice) => tokens.with(from, alike(tokens, tokens[from] ?? '', dice))),
  onTokens((tokens, from, _to, dice) => tokens.with(from, alike(tokens, tokens[from] ?? '', dice))),
  onTokens((tokens, from, _to, dice) => (isText(tokens[from]) ? tokens.with(from, JSON.stringify(dice.pick(WORDS))) : tokens)),
  onTokens((tokens, from, _to, dice) => (/^-?\d/.test(tokens[from] ?? '') ? tokens.with(from, dice.pick(NUMBERS)) : tokens)),
  onLines((lines, from) => lines.toSpliced(from, 1)),
  onLines((lines, from, _to, dice) => lines.toSpliced(dice.between(0, lines.length), 0, lines[from] ?? '')),
  jsonValue,
]

const ROUGH: readonly [Mutation, ...Mutation[]] = [
  onTokens((tokens, from, to) => [...tokens.slice(0, from), ...tokens.slice(to)]),
  onTokens((tokens, from, to) => [...tokens.slice(0, to), ...tokens.slice(from)]),
  onTokens((tokens, from, to, dice) => {
    const at = dice.between(0, tokens.length)
    return [...tokens.slice(0, at), ...tokens.slice(from, to), ...tokens.slice(at)]
  }),
  onTokens((tokens, from, _to, dice) => tokens.with(from, dice.pick(WORDS))),
  onTokens((tokens, from, _to, dice) => tokens.with(from, `"${dice.pick(WORDS)}"`)),
  onTokens((tokens, from, _to, dice) => tokens.with(from, tokens[dice.between(0, tokens.length - 1)] ?? '')),
  onTokens((tokens, from, to) => [...tokens.slice(0, from), ...tokens.slice(from, to).toReversed(), ...tokens.slice(to)]),
  onTokens((tokens, from, to) => tokens.map((token, at) => (at >= from && at < to && token.trim() === '' ? '' : token))),
  onLines((lines, from, to) => [...lines.slice(0, from), ...lines.slice(to)]),
  onLines((lines, from, to) => [...lines.slice(0, to), ...lines.slice(from)]),
  onLines((lines, from, _to, dice) => {
    const other = dice.between(0, lines.length - 1)
    return lines.with(from, lines[other] ?? '').with(other, lines[from] ?? '')
  }),
  jsonValue,
  splice,
  splice,
  bytes,
  bytes,
  repeat,
  nest,
  (text, dice) => insert(text, dice, dice.pick(WORDS)),
  (text, dice) => insert(text, dice, dice.pick(ODD)),
  (text, dice) => text.slice(0, dice.between(0, text.length)),
  (text, dice) => text.replaceAll('\n', dice.pick(['\r\n', '\r', ' ', '\n\n', '\u2028'])),
]

/** Another token that is written like this one: a name for a name, a text for a text. */
function alike(tokens: readonly string[], token: string, dice: Dice): string {
  const kind = (text: string): string => (/^[A-Za-z_]/.test(text) ? 'name' : /^-?\d/.test(text) ? 'number' : isText(text) ? 'text' : text)
  return pick([token, ...tokens.filter((other) => kind(other) === kind(token))], dice)
}

function isText(token: string | undefined): boolean {
  return token?.startsWith('"') === true
}

/** Works on a stretch of the tokens of any of the languages: names, numbers, texts, comments, blanks, single marks. */
function onTokens(change: (tokens: readonly string[], from: number, to: number, dice: Dice) => readonly string[]): Mutation {
  return (text, dice) => stretch(text.match(TOKEN) ?? [''], dice, change).join('')
}

function onLines(change: (lines: readonly string[], from: number, to: number, dice: Dice) => readonly string[]): Mutation {
  return (text, dice) => stretch(text.split('\n'), dice, change).join('\n')
}

function stretch(
  parts: readonly string[],
  dice: Dice,
  change: (parts: readonly string[], from: number, to: number, dice: Dice) => readonly string[],
): readonly string[] {
  const from = dice.between(0, parts.length - 1)
  return change(parts, from, Math.min(parts.length, from + dice.between(1, dice.chance(0.1) ? 200 : 8)), dice)
}

/** A part of another seed in the place of a part of this one. */
function splice(text: string, dice: Dice, others: readonly string[]): string {
  const other = pick(others, dice)
  const [from, length] = [dice.between(0, other.length), dice.between(1, 400)]
  const at = dice.between(0, text.length)
  return text.slice(0, at) + other.slice(from, from + length) + text.slice(at + (dice.chance(0.5) ? length : 0))
}

/** Single bytes, which may leave what is no UTF-8; then it is read as a file of such bytes is. */
function bytes(text: string, dice: Dice): string {
  const changed = Buffer.from(text)
  if (changed.length === 0) return text
  for (let i = dice.between(1, 6); i > 0; i--) {
    const at = dice.between(0, changed.length - 1)
    changed[at] = dice.chance(0.5) ? dice.between(0, 255) : (changed[at] ?? 0) ^ (1 << dice.between(0, 7))
  }
  return changed.toString('utf8')
}

/** One part many times in a row. */
function repeat(text: string, dice: Dice): string {
  const from = dice.between(0, text.length)
  const part = text.slice(from, from + dice.between(1, 60))
  const times = dice.chance(0.05) ? Math.ceil(LONGEST / (part.length + 1)) : dice.between(2, 60)
  return insert(text, dice, part.repeat(times))
}

/** Openings without an end, or with one. */
function nest(text: string, dice: Dice): string {
  const [open, close] = dice.pick<readonly [string, string]>([
    ['{', '}'],
    ['[', ']'],
    ['(', ')'],
    ['{"a":', '}'],
    ['subgraph s {', '}'],
    ['!', ''],
    ['-', ''],
    ['a -> ', ''],
    ['/*', '*/'],
    ['a.', ''],
    ['a ? ', ' : b'],
    ['{"type":"not","guard":', '}'],
    ['{"type":"inverter","children":[', ']}'],
    ['BT.sequence({', '})'],
    ['while true do ', ' end'],
    ['(function() return ', ' end)()'],
    ['<Sequence>', '</Sequence>'],
    ['<!--', '-->'],
  ])
  const times = dice.chance(0.1) ? Math.floor(LONGEST / (open.length + close.length + 1)) : dice.between(2, 80)
  return insert(text, dice, open.repeat(times) + (dice.chance(0.7) ? close.repeat(times) : ''))
}

/** A value of a JSON text in the place of another, or one of another type, or no value. */
function jsonValue(text: string, dice: Dice, others: readonly string[]): string {
  const value = jsonOf(text)
  const holders: Record<string, unknown>[] = []
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    holders.push(part as Record<string, unknown>)
    for (const inner of Object.values(part)) walk(inner)
  }
  walk(value)
  if (holders.length === 0) return splice(text, dice, others)
  const holder = pick(holders, dice)
  const key = pick(Object.keys(holder), dice)
  const source = pick(holders, dice)
  const instead = [null, true, 0, -1.5, '', 'x', [], {}, dice.pick(WORDS), source[pick(Object.keys(source), dice)], holder[key]]
  const deed = dice.between(1, 5)
  if (deed === 1) delete holder[key]
  else if (deed === 2) Object.defineProperty(holder, dice.pick(WORDS), { value: holder[key], enumerable: true, configurable: true })
  else holder[key] = instead[dice.between(0, instead.length - 1)]
  return jsonText(value) ?? text
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*\/\/[^\n]*$/gm, '')) as unknown
  } catch {
    return undefined
  }
}

/** Nothing for a value that has come to hold itself. */
function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, undefined, 2)
  } catch {
    return undefined
  }
}

function insert(text: string, dice: Dice, part: string): string {
  const at = dice.between(0, text.length)
  return text.slice(0, at) + part + text.slice(at)
}

function pick<T>(list: readonly T[], dice: Dice): T {
  return list[dice.between(0, list.length - 1)] as T
}
