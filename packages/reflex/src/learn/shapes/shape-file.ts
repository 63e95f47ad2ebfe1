import { canonicalJson, isList, isObject, type Json } from '../../kernel/index.ts'
import type { CallLeaves, RunRead, RunShape } from './call-sequence.ts'

/** The format of shape files. A file of another format is dropped, and its run is read again. */
const FORMAT = 1

/**
 * Returns the text of a shape file: a first line with the format, a line with the shape, and a line for the arguments and the result of each
 * call. Equal runs have equal bytes.
 */
export function shapeText({ shape, leaves }: RunRead): string {
  const lines = leaves.map(({ tool, args, result }) => canonicalJson([tool, args, result]))
  return [`reflex-shape ${FORMAT} ${leaves.length}`, canonicalJson(shape as unknown as Json), ...lines, ''].join('\n')
}

/** Reads the shape in the text of a file; undefined for a text of another format, and for a damaged one. */
export function shapeIn(text: string): RunShape | undefined {
  const [head, end] = firstLine(text, 0)
  const [format, version, count] = head.split(' ')
  if (format !== 'reflex-shape' || Number(version) !== FORMAT) return undefined
  const [line] = firstLine(text, end)
  const shape = parsed(line)
  return isShape(shape, Number(count)) ? shape : undefined
}

/** Reads a file with the arguments and results of its calls; undefined for a damaged one. */
export function readIn(text: string): RunRead | undefined {
  const shape = shapeIn(text)
  if (shape === undefined) return undefined
  const [head, , ...lines] = text.split('\n')
  const count = Number(head?.split(' ')[2])
  const leaves = lines.slice(0, count).map((line): CallLeaves | undefined => {
    const value = parsed(line)
    if (!isList(value)) return undefined
    const [tool, args = null, result = null] = value
    return typeof tool === 'string' ? { tool, args, result } : undefined
  })
  return leaves.length === count && leaves.every((one) => one !== undefined) ? { shape, leaves } : undefined
}

function firstLine(text: string, from: number): readonly [line: string, end: number] {
  const end = text.indexOf('\n', from)
  return end < 0 ? [text.slice(from), text.length] : [text.slice(from, end), end + 1]
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The columns of a sequence that have one number for each call. */
const COLUMNS = ['ok', 'group', 'cost', 'ms', 'record', 'leaves'] as const

function isShape(value: unknown, count: number): value is RunShape {
  if (!isObject(value)) return false
  const { run, last, started, succeeded, labels, final, sequences } = value
  return (
    typeof run === 'string' &&
    Number.isSafeInteger(last) &&
    Number.isFinite(started) &&
    typeof succeeded === 'boolean' &&
    typeof final === 'string' &&
    isObject(labels) &&
    Object.values(labels).every((label) => typeof label === 'string') &&
    isList(sequences) &&
    sequences.every((sequence) => isSequence(sequence, count))
  )
}

function isSequence(value: Json, count: number): boolean {
  if (!isObject(value)) return false
  const { strand, symbols, group, leaves, replies, texts, facts } = value
  if (typeof strand !== 'string' || !isList(symbols) || !isList(replies) || !isList(texts) || !isList(facts)) return false
  const isWhole = COLUMNS.every((name) => {
    const column = value[name]
    return isList(column) && column.length === symbols.length && column.every((item) => typeof item === 'number')
  })
  if (!isWhole || !symbols.every((symbol) => typeof symbol === 'string')) return false
  if (!texts.every((entry) => isKnownBefore(entry, 2)) || !facts.every((entry) => isKnownBefore(entry, 3))) return false
  const inside = (column: Json | undefined, least: number, end: number): boolean =>
    isList(column) && column.every((item) => Number.isSafeInteger(item) && Number(item) >= least && Number(item) < end)
  return (
    inside(group, -1, replies.length) && inside(leaves, 0, count) && replies.every((reply) => isObject(reply) && Number.isFinite(reply.ms))
  )
}

/** True for a text or a fact: the number of calls before it, and a text; a fact has a value after it. */
function isKnownBefore(entry: Json, length: number): boolean {
  return isList(entry) && entry.length === length && Number.isSafeInteger(entry[0]) && typeof entry[1] === 'string'
}
