import { isList, isObject, type Json } from '../../kernel/index.ts'
import { readJson } from '../../text/index.ts'
import { ClaudeCodeReader } from './claude-code.ts'
import { FORMATS, formatOfLine, LOOKED_AT, messagesIn, type TranscriptFormat } from './detect.ts'
import type { ImportReport } from './import-report.ts'
import { type Entry, entriesIn, fileText, MOST_CHARACTERS } from './lines.ts'
import { McpSessionReader } from './mcp-session.ts'
import { readAiSdk, readAnthropic, readOpenAi } from './messages.ts'
import { readSweAgent } from './swe-agent.ts'
import type { Transcript } from './transcript.ts'
import { parsedJson } from './loose-json.ts'

/** A transcript as it stands in a file. */
export interface FoundTranscript {
  readonly transcript: Transcript
  readonly format: TranscriptFormat
  /** The name of the session: one that has continued has it again. */
  readonly session?: string | undefined
  /** The line at which it begins. */
  readonly line: number
}

/** Transcripts, one after another. */
type Transcripts = AsyncGenerator<FoundTranscript, void>

/** The readers of messages, and those of sessions. */
const MESSAGES = { openai: readOpenAi, anthropic: readAnthropic, 'ai-sdk': readAiSdk } as const
const SESSIONS = { 'claude-code': ClaudeCodeReader, mcp: McpSessionReader } as const

/**
 * Yields the transcripts of a file, one after another: of a file with one conversation on each line, only one is kept at a time. Of bad input, what can
 * be read is read; everything else is a finding with its line.
 */
export async function* transcriptsIn(
  chunks: AsyncIterable<string>,
  wanted: TranscriptFormat | undefined,
  report: ImportReport,
): Transcripts {
  const file = await fileText(chunks)
  if (file === 'empty') report.unreadable('the file is empty', 1)
  else if (file === 'too long') report.unreadable(`a line or document has more than ${MOST_CHARACTERS} characters`, 1, 'divide the file')
  else if ('entries' in file) yield* ofLines(file.entries, wanted, report)
  else yield* ofText(file.text, wanted, report)
}

/** Reads a file that was read whole: one JSON document over several lines, or lines of which the first one is damaged. */
async function* ofText(text: string, wanted: TranscriptFormat | undefined, report: ImportReport): Transcripts {
  const whole = parsedJson(text)
  const entries = whole === undefined ? entriesIn(text) : []
  // Of a damaged document, most lines are no values.
  const areLines = entries.filter(([, value]) => isObject(value)).length * 2 > entries.length
  if (whole !== undefined) yield* ofDocument(whole, text, wanted, report)
  else if (areLines) yield* ofLines(entries, wanted, report)
  else {
    const mistake = readJson(text.slice(0, 1_000_000)).findings.find(({ severity }) => severity === 'error')
    const message = `the file is neither JSON nor JSON lines: ${mistake?.message ?? 'the first line is no JSON'}`
    report.unreadable(message, mistake?.line ?? 1)
  }
}

/** Reads a file that is one JSON document over several lines. */
async function* ofDocument(value: Json, text: string, wanted: TranscriptFormat | undefined, report: ImportReport): Transcripts {
  const format = wanted ?? formatOfLine(value)
  if (format === undefined) unknownFormat(report)
  else if (format === 'mcp' || format === 'claude-code') yield* ofSession(format, entriesOf(value), report)
  else {
    let places: ReturnType<typeof readJson> | undefined
    const lineOf = (path: readonly (string | number)[]): number => (places ??= readJson(text)).place(path).line
    const found = conversationIn(value, format, report, { line: 1, isDocument: true, lineOf })
    if (found !== undefined) yield found
  }
}

/** Returns the entries of a session that is a list; anything else is one entry. */
function entriesOf(value: Json): readonly NumberedValue[] {
  return isList(value) ? value.map((one, i) => [i + 1, one] as const) : [[1, value]]
}

type NumberedValue = readonly [line: number, value: Json]

/** Reads a file with one JSON value on each line: one session, or one conversation on each line. */
async function* ofLines(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  wanted: TranscriptFormat | undefined,
  report: ImportReport,
): Transcripts {
  const values = valuesOf(entries, report)
  /** The values up to the first one that shows the format. */
  const before: NumberedValue[] = []
  let format = wanted
  while (format === undefined && before.length < LOOKED_AT) {
    const next = await values.next()
    if (next.done === true) break
    before.push(next.value)
    format = formatOfLine(next.value[1])
  }
  const all = chained(before, values)
  if (format === undefined) unknownFormat(report)
  else if (format === 'mcp' || format === 'claude-code') yield* ofSession(format, all, report)
  else
    for await (const [line, value] of all) {
      const found = conversationIn(value, format, report, { line, isDocument: false, lineOf: () => line })
      if (found !== undefined) yield found
    }
}

/** Yields the values of lines, and reports lines without one. */
async function* valuesOf(entries: AsyncIterable<Entry> | Iterable<Entry>, report: ImportReport): AsyncGenerator<NumberedValue, void> {
  for await (const [line, value] of entries)
    if (value === undefined) report.leftOut('the line is no JSON', line)
    else yield [line, value]
}

async function* chained(first: readonly NumberedValue[], rest: AsyncIterable<NumberedValue>): AsyncGenerator<NumberedValue, void> {
  yield* first
  yield* rest
}

async function* ofSession(
  format: keyof typeof SESSIONS,
  entries: AsyncIterable<NumberedValue> | Iterable<NumberedValue>,
  report: ImportReport,
): Transcripts {
  const session = new SESSIONS[format](report)
  for await (const [line, value] of entries) session.take(line, value)
  yield { transcript: session.end(), format, session: nameOf(session), line: 1 }
}

function nameOf(session: ClaudeCodeReader | McpSessionReader): string | undefined {
  return 'session' in session ? session.session : undefined
}

/** Where a conversation stands. */
interface Place {
  readonly line: number
  /** True if it is the whole file. */
  readonly isDocument: boolean
  /** Returns the line of a part of it. */
  readonly lineOf: (path: readonly (string | number)[]) => number
}

function conversationIn(
  value: Json,
  format: keyof typeof MESSAGES | 'swe-agent',
  report: ImportReport,
  { line, isDocument, lineOf }: Place,
): FoundTranscript | undefined {
  const refuse = (what: string): undefined => {
    if (isDocument) report.unreadable(`the file has ${what}`, line)
    else report.leftOut(`the line has ${what}`, line)
  }
  if (format === 'swe-agent') {
    if (!isObject(value) || !Array.isArray(value['trajectory'])) return refuse('no list "trajectory"')
    return { transcript: readSweAgent(value, report, (step) => lineOf(['trajectory', step])), format, line }
  }
  const messages = messagesIn(value)
  if (messages === undefined) return refuse('no list of messages')
  const at = isObject(value) ? ['messages'] : []
  return { transcript: MESSAGES[format]({ messages, line: (i) => lineOf([...at, i]) }, report), format, line }
}

function unknownFormat(report: ImportReport): void {
  report.unreadable('no format of transcripts is recognised', 1, `name it with --format: ${FORMATS.join(', ')}`)
}
