import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import type { EntryReader } from './entry-reader.ts'
import type { ImportReport } from './import-report.ts'
import { objectIn, own, resultIn, timeIn } from './loose-json.ts'
import { TranscriptBuilder } from './transcript-builder.ts'
import type { Transcript } from './transcript.ts'

/**
 * Reads a session of MCP: one JSON-RPC message on each line, of both sides. It has no replies of models. A call that is sent while another one is
 * open belongs to the same reply; after all results, the client has asked its model again. Other requests than `tools/call` are skipped.
 */
export class McpSessionReader implements EntryReader {
  readonly #report: ImportReport
  readonly #builder: TranscriptBuilder
  /** The other open requests of both sides: their responses are no results of calls. */
  readonly #others = new Map<string, number>()

  constructor(report: ImportReport) {
    this.#report = report
    this.#builder = new TranscriptBuilder(report)
  }

  take(line: number, value: Json): void {
    const message = objectIn(value)
    if (message['jsonrpc'] !== '2.0') {
      this.#report.leftOut('the line is no JSON-RPC message', line)
      return
    }
    const { method, timestamp } = message
    const id = requestId(own(message, 'id'))
    const at = timeIn(timestamp)
    this.#builder.time(at)
    if (id === undefined) return
    if (method === 'tools/call') takeCall(message, id, { line, at }, this.#builder, this.#report)
    else if (typeof method === 'string') this.#others.set(id, (this.#others.get(id) ?? 0) + 1)
    else takeResponse(message, id, { line, at }, this.#builder, this.#others)
  }

  end(): Transcript {
    return this.#builder.end()
  }
}

interface Where {
  readonly line: number
  readonly at: number | undefined
}

/** The number 1 and the text "1" are different ids. */
function requestId(id: Json | undefined): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : undefined
}

function takeCall({ params }: JsonObject, id: string, { line, at }: Where, builder: TranscriptBuilder, report: ImportReport): void {
  const { name, arguments: args = {} } = objectIn(params)
  if (typeof name !== 'string') {
    report.leftOut('a tools/call names no tool', line)
    return
  }
  if (builder.openCalls === 0) builder.reply({ at, isInferred: true })
  builder.call({ id, tool: name, args, place: line, at })
}

/** A response to a call. If a request of the other side has the same id, the form of the result tells them apart. */
function takeResponse(message: JsonObject, id: string, { line, at }: Where, builder: TranscriptBuilder, others: Map<string, number>): void {
  const { result, error } = message
  const waiting = others.get(id) ?? 0
  const isOfCall = builder.isOpen(id) && (waiting === 0 || (isObject(result) && Object.hasOwn(result, 'content')))
  if (!isOfCall && waiting > 0) {
    if (waiting === 1) others.delete(id)
    else others.set(id, waiting - 1)
    return
  }
  if (error !== undefined) {
    builder.result(id, error, 0, line, at)
    return
  }
  const { content, structuredContent, isError } = objectIn(result)
  builder.result(id, structuredContent ?? resultIn(content), isError === true ? 0 : 1, line, at)
}
