import { isObject, type Json } from '../../../kernel/index.ts'
import { firstGroups, linearPattern, type LinearPattern, valueAt } from '../../../text/index.ts'
import type { Extractor, SlotExtractor } from '../model/manifest.ts'

/** Takes a part of a value; undefined if it is not there. Total: it never throws and ends after counted work. */
export type CompiledExtractor = (value: Json) => Json | undefined

/** What is wrong with an extractor, and the key of it that is wrong. */
export interface ExtractorProblem {
  readonly problem: string
  readonly key?: string | undefined
  readonly fix: string
}

/** The longest text that a pattern searches, in UTF-16 units, and its steps. */
const MAX_SEARCHED = 1_000_000
const MAX_STEPS = 20_000_000
const MAX_PATTERN = 200

/**
 * Compiles an extractor of a result (reference skill 1.5): a JSON pointer, a pattern, a line (from 1), or a pointer into JSON text. A pattern, a line
 * and JSON text read the result if it is a text, and otherwise its `stdout`.
 */
export function compileExtractor(extractor: Extractor): CompiledExtractor | ExtractorProblem {
  if (typeof extractor === 'string') return pointer(extractor, undefined)
  if ('regex' in extractor) return pattern(extractor.regex, extractor.group)
  if ('line' in extractor) return line(extractor.line)
  const inner = pointer(extractor.pointer, 'pointer')
  if (typeof inner !== 'function') return inner
  return (value) => {
    const text = textOf(value)
    const json = text === undefined ? undefined : parsed(text)
    return json === undefined ? undefined : inner(json)
  }
}

/** Compiles the rule of a slot that is filled without a model: a pattern, the first word of a list that occurs in the text, or a pointer. */
export function compileSlotRule(take: SlotExtractor['take']): CompiledExtractor | ExtractorProblem {
  if ('regex' in take) return pattern(take.regex, take.group)
  if ('json_pointer' in take) return pointer(take.json_pointer, 'json_pointer')
  return (value) => (typeof value === 'string' ? firstWord(value, take.enum) : undefined)
}

function pointer(text: string, key: string | undefined): CompiledExtractor | ExtractorProblem {
  if (text !== '' && !text.startsWith('/'))
    return { problem: 'a JSON pointer begins with "/"', key, fix: `write "/${text.replaceAll('.', '/')}"` }
  if (/~(?![01])/.test(text))
    return { problem: 'a "~" in a JSON pointer is followed by 0 or 1', key, fix: 'write ~0 for "~" and ~1 for "/"' }
  const segments = text
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  return (value) => {
    let at: unknown = value
    for (const segment of segments) {
      if (Array.isArray(at) && !/^(?:0|[1-9]\d{0,9})$/.test(segment)) return undefined
      at = valueAt(at, [segment])
    }
    return at as Json | undefined
  }
}

function pattern(regex: string, group: number | undefined): CompiledExtractor | ExtractorProblem {
  if (regex.length > MAX_PATTERN)
    return { problem: `a pattern has at most ${MAX_PATTERN} characters`, key: 'regex', fix: 'write a shorter one' }
  const written = linearPattern(regex)
  if ('problem' in written)
    return {
      problem: `the pattern cannot be read: ${written.problem}`,
      key: 'regex',
      fix: 'write a pattern of RE2: no look-around, no back references',
    }
  const groups = groupsOf(written)
  if (group !== undefined && (group > groups || group > 1)) {
    const problem = group > groups ? `the pattern has ${groups} groups` : 'only the first group can be taken'
    return { problem, key: 'group', fix: 'take group 0 or 1, and write (?: for the other groups' }
  }
  // Around the whole pattern, a first group is the match.
  const searched = group === 0 && groups > 0 ? linearPattern(`(${regex})`) : written
  if ('problem' in searched) return { problem: searched.problem, key: 'regex', fix: 'write another pattern' }
  return (value) => {
    const text = textOf(value)
    if (text === undefined || text.length > MAX_SEARCHED) return undefined
    return firstGroups(searched, text, 1, { left: MAX_STEPS })?.[0]
  }
}

/** Returns the number of groups of a pattern. The code 3 of an instruction is the begin or the end of a group; group 0 has none. */
function groupsOf({ program, size }: LinearPattern): number {
  let last = 1
  for (let i = 0; i < size; i++) {
    const { op, arg } = program.getInst(i)
    if (op === 3) last = Math.max(last, arg)
  }
  return (last - 1) / 2
}

function line(number: number): CompiledExtractor {
  return (value) => {
    const text = textOf(value)
    if (text === undefined) return undefined
    let begin = 0
    for (let at = 1; at < number; at++) {
      begin = text.indexOf('\n', begin) + 1
      if (begin === 0) return undefined
    }
    const end = text.indexOf('\n', begin)
    const found = text.slice(begin, end < 0 ? text.length : end)
    return begin === text.length && begin > 0 ? undefined : found.replace(/\r$/, '')
  }
}

/** Returns the text of a result: itself, or the output of a command. */
function textOf(value: Json): string | undefined {
  if (typeof value === 'string') return value
  const output = isObject(value) ? valueAt(value, ['stdout']) : undefined
  return typeof output === 'string' ? output : undefined
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Returns the word that comes first in a text as a whole word, without regard to case; of words at one place, the longest. */
function firstWord(text: string, words: readonly string[]): string | undefined {
  const folded = text.slice(0, MAX_SEARCHED).toLowerCase()
  let best: { readonly word: string; readonly at: number } | undefined
  for (const word of words) {
    const at = wordAt(folded, word.toLowerCase())
    if (at < 0 || (best !== undefined && (at > best.at || (at === best.at && word.length <= best.word.length)))) continue
    best = { word, at }
  }
  return best?.word
}

function wordAt(text: string, word: string): number {
  if (word === '') return -1
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at)
    const after = text.slice(at + word.length, at + word.length + 1)
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return at
  }
  return -1
}
