import type { Json } from '../../kernel/index.ts'
import { parsedJson } from './loose-json.ts'

/** The most characters of a line, and of a file that is one JSON document. */
export const MOST_CHARACTERS = 256_000_000

/** A line of a file: its number from 1, and its value; undefined for a line that is no JSON. */
export type Entry = readonly [line: number, value: Json | undefined]

/** A file as it is read: its lines one after another, or its whole text if its first line is no JSON. */
export type FileText = { readonly entries: AsyncIterable<Entry> } | { readonly text: string } | 'empty' | 'too long'

/**
 * Reads a file, of which only one line is kept at a time. A file whose first line is no JSON is read whole: it is one document over several lines, or
 * it is damaged there.
 */
export async function fileText(chunks: AsyncIterable<string>): Promise<FileText> {
  const lines = linesOf(chunks)
  const first = await firstOf(lines)
  if (first === undefined) return 'empty'
  const [line, text] = first
  if (text === undefined) return 'too long'
  const value = parsedJson(text)
  if (value !== undefined) return { entries: entriesOf([line, value], lines) }
  return wholeText([line, text], lines)
}

/** Returns the values of the lines of a text. */
export function entriesIn(text: string): readonly Entry[] {
  return text.split('\n').flatMap((line, i): Entry[] => (line.trim() === '' ? [] : [[i + 1, parsedJson(line)]]))
}

/** A line with its number; without its text if that is too long. */
type Line = readonly [line: number, text: string | undefined]

async function firstOf(lines: AsyncGenerator<Line, void>): Promise<Line | undefined> {
  const next = await lines.next()
  return next.done === true ? undefined : next.value
}

async function* entriesOf(first: Entry, lines: AsyncGenerator<Line, void>): AsyncGenerator<Entry> {
  yield first
  for await (const [line, text] of lines) yield [line, text === undefined ? undefined : parsedJson(text)]
}

/** Joins what was read of a file and the rest of it. Lines in front of the first one stay, so that places are right. */
async function wholeText([line, first]: readonly [number, string], lines: AsyncGenerator<Line, void>): Promise<FileText> {
  const texts = [...Array.from({ length: line - 1 }, () => ''), first]
  let length = first.length
  for await (const [at, text] of lines) {
    length += (text ?? '').length
    if (text === undefined || length > MOST_CHARACTERS) return 'too long'
    while (texts.length < at - 1) texts.push('')
    texts.push(text)
  }
  return { text: texts.join('\n') }
}

/** Yields the lines that are not empty. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line, void> {
  let number = 1
  let pieces: string[] = []
  let length = 0
  const line = (): Line | undefined => {
    const text = length > MOST_CHARACTERS ? undefined : pieces.join('')
    pieces = []
    length = 0
    return text?.trim() === '' ? undefined : [number, text]
  }
  for await (const chunk of chunks)
    for (const [i, piece] of chunk.split('\n').entries()) {
      if (i > 0) {
        const found = line()
        number++
        if (found !== undefined) yield found
      }
      length += piece.length
      if (length <= MOST_CHARACTERS) pieces.push(piece)
    }
  const last = line()
  if (last !== undefined) yield last
}
