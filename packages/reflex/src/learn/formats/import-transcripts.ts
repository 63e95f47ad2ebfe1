import { digest, type Fault, isObject, type Json } from '../../kernel/index.ts'
import { readJson } from '../../text/index.ts'
import { shapeText } from '../shapes/shape-file.ts'
import type { ShapeFiles } from '../shapes/update-shapes.ts'
import { type NumberedLines, readClaudeCode } from './claude-code.ts'
import { FORMATS, formatOfLines, formatOfValue, messagesIn, type TranscriptFormat } from './detect.ts'
import { ImportReport } from './import-report.ts'
import { objectIn, parsedJson } from './loose-json.ts'
import { readMcpSession } from './mcp-session.ts'
import { readAiSdk, readAnthropic, readOpenAi } from './messages.ts'
import { readSweAgent } from './swe-agent.ts'
import type { Transcript } from './transcript.ts'
import { transcriptName, transcriptShape } from './transcript-shape.ts'

/** The largest file in characters. */
export const MOST_CHARACTERS = 256_000_000

/** A transcript that was imported. */
export interface ImportedTranscript {
  readonly run: string
  readonly file: string
  readonly format: TranscriptFormat
  readonly calls: number
  /** Calls and results without a partner, in the file up to the end of this transcript. */
  readonly unpaired: number
  /** True if it was imported before; nothing has changed then. */
  readonly isKnown: boolean
}

/** The transcripts of one file, and everything that is wrong with it. */
export interface FileImport {
  readonly runs: readonly ImportedTranscript[]
  readonly findings: readonly Fault[]
}

/** What an import needs. */
export interface ImportWorld {
  readonly files: ShapeFiles
  readonly now: () => number
  /** Removes secrets from a value. */
  readonly clean: (value: Json) => Json
}

/**
 * Imports the transcripts in the text of a file as shapes: material for mining, labelled `imported`. They are no runs: nothing of them was performed
 * here, and nothing can be resumed. Bad input gives findings with the file and the line, at most 100, and never stops what can be read.
 */
export async function importTranscripts(
  world: ImportWorld,
  { text, file, format }: { readonly text: string; readonly file: string; readonly format?: TranscriptFormat | undefined },
): Promise<FileImport> {
  const report = new ImportReport(file)
  const runs: ImportedTranscript[] = []
  const known = new Set(await world.files.names())
  let unpaired = 0
  for (const found of transcriptsIn(text, format, report)) {
    const { transcript, source } = found
    const run = transcriptName(found.session ?? source)
    const calls = transcript.strands.reduce(
      (sum, { turns }) => sum + turns.reduce((all, turn) => all + (turn.type === 'reply' ? turn.calls.length : 0), 0),
      0,
    )
    const own = report.unpaired - unpaired
    unpaired = report.unpaired
    if (calls === 0) {
      report.leftOut('a transcript has no calls of tools', found.line)
      continue
    }
    const name = `${digest(run).slice(0, 32)}.shape`
    const { now, clean, files } = world
    const isKept = known.has(name) && found.session === undefined
    const shape = isKept ? '' : shapeText(transcriptShape(transcript, { run, format: found.format, now: now(), clean }))
    const isKnown = isKept || (known.has(name) && (await files.read(name)) === shape)
    if (!isKnown) await files.write(name, shape)
    known.add(name)
    runs.push({ run, file, format: found.format, calls, unpaired: own, isKnown })
  }
  return { runs, findings: report.findings() }
}

/** A transcript as it stands in a file. */
interface FoundTranscript {
  readonly transcript: Transcript
  readonly format: TranscriptFormat
  /** Its text, which names it. */
  readonly source: string
  /** The session, which names it instead: it can continue after an import, and then replaces what was imported. */
  readonly session?: string | undefined
  readonly line: number
}

function* transcriptsIn(text: string, wanted: TranscriptFormat | undefined, report: ImportReport): Generator<FoundTranscript> {
  if (text.length > MOST_CHARACTERS) {
    report.unreadable(`the file has more than ${MOST_CHARACTERS} characters`, 1, 'divide it')
    return
  }
  if (text.trim() === '') {
    report.unreadable('the file is empty', 1)
    return
  }
  const whole = parsedJson(text)
  if (whole !== undefined) {
    yield* ofDocument(whole, text, wanted, report)
    return
  }
  const lines = linesIn(text, report)
  if (lines !== undefined) yield* ofLines(lines, text, wanted, report)
}

/** Reads a file that is one JSON document. */
function* ofDocument(value: Json, text: string, wanted: TranscriptFormat | undefined, report: ImportReport): Generator<FoundTranscript> {
  // A file with one line can be a session with one entry.
  const format = wanted ?? formatOfValue(value) ?? formatOfLines([[1, value]])
  if (format === undefined) {
    report.unreadable('no format of transcripts is recognised', 1, formatFix())
    return
  }
  if (format === 'mcp' || format === 'claude-code') {
    yield* ofLines(Array.isArray(value) ? (value as Json[]).map((one, i) => [i + 1, one] as const) : [[1, value]], text, format, report)
    return
  }
  let places: ReturnType<typeof readJson> | undefined
  const lineOf = (path: readonly (string | number)[]): number => (places ??= readJson(text)).place(path).line
  if (format === 'swe-agent') {
    if (isObject(value) && Array.isArray(value['trajectory']))
      yield { transcript: readSweAgent(value, report, (step) => lineOf(['trajectory', step])), format, source: text, line: 1 }
    else report.unreadable('the file has no list "trajectory"', 1)
    return
  }
  const messages = messagesIn(value)
  if (messages === undefined) {
    report.unreadable('the file has no list of messages', 1)
    return
  }
  const at = isObject(value) ? ['messages'] : []
  yield { transcript: MESSAGES[format]({ messages, line: (i) => lineOf([...at, i]) }, report), format, source: text, line: 1 }
}

/** Reads a file with one JSON value on each line: one session, or one conversation on each line. */
function* ofLines(
  lines: NumberedLines,
  text: string,
  wanted: TranscriptFormat | undefined,
  report: ImportReport,
): Generator<FoundTranscript> {
  const format = wanted ?? formatOfLines(lines)
  if (format === undefined) report.unreadable('no format of transcripts is recognised', 1, formatFix())
  else if (format === 'mcp') yield { transcript: readMcpSession(lines, report), format, source: text, line: 1 }
  else if (format === 'claude-code')
    yield { transcript: readClaudeCode(lines, report), format, source: text, session: sessionOf(lines), line: 1 }
  else
    for (const [line, value] of lines) {
      const source = JSON.stringify(value)
      if (format === 'swe-agent') {
        if (isObject(value) && Array.isArray(value['trajectory']))
          yield { transcript: readSweAgent(value, report, () => line), format, source, line }
        else report.leftOut('the line has no list "trajectory"', line)
        continue
      }
      const messages = messagesIn(value)
      if (messages === undefined) report.leftOut('the line has no list of messages', line)
      else yield { transcript: MESSAGES[format]({ messages, line: () => line }, report), format, source, line }
    }
}

/** The readers of messages. */
const MESSAGES = { openai: readOpenAi, anthropic: readAnthropic, 'ai-sdk': readAiSdk } as const

/** Returns the values of the lines. Lines that are no JSON are left out and reported; undefined if the first one is none. */
function linesIn(text: string, report: ImportReport): NumberedLines | undefined {
  const found: (readonly [number, Json])[] = []
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = parsedJson(line)
    if (value !== undefined) found.push([i + 1, value])
    else if (found.length > 0) report.leftOut('the line is no JSON', i + 1)
    else {
      const mistake = readJson(text.slice(0, 1_000_000)).findings.find(({ severity }) => severity === 'error')
      report.unreadable(
        `the file is neither JSON nor JSON lines: ${mistake?.message ?? 'the first line is no JSON'}`,
        mistake?.line ?? i + 1,
      )
      return undefined
    }
  }
  return found
}

/** Returns the name of the session of Claude Code in lines; undefined if they have none. */
function sessionOf(lines: NumberedLines): string | undefined {
  for (const [, value] of lines) {
    const id = objectIn(value)['sessionId']
    if (typeof id === 'string') return `claude-code ${id}`
  }
  return undefined
}

function formatFix(): string {
  return `name it with --format: ${FORMATS.join(', ')}`
}
