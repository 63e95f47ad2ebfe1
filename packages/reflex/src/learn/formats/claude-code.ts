import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import type { EntryReader } from './entry-reader.ts'
import type { ImportReport } from './import-report.ts'
import { itemsIn, objectIn, own, textIn, timeIn, tokensIn } from './loose-json.ts'
import { anthropicMessage } from './messages.ts'
import { TranscriptBuilder } from './transcript-builder.ts'
import type { Transcript } from './transcript.ts'

/** The prefix of what the program itself adds to messages of users; these texts are not theirs. */
const OWN_TEXT = /^<(?:command-name|command-message|command-args|local-command-stdout|local-command-stderr|system-reminder)>/

/**
 * Reads a session of Claude Code: one entry on each line. The parts of one reply stand on several lines with the id of its message. What a sub-agent
 * did is a strand of its own. Entries of other types, such as summaries, are skipped.
 */
export class ClaudeCodeReader implements EntryReader {
  readonly #report: ImportReport
  readonly #builder: TranscriptBuilder
  readonly #strands = new SideStrands()
  readonly #replies = new Map<string, string>()
  #session: string | undefined

  constructor(report: ImportReport) {
    this.#report = report
    this.#builder = new TranscriptBuilder(report)
  }

  get session(): string | undefined {
    return this.#session
  }

  take(line: number, value: Json): void {
    const entry = objectIn(value)
    const { type, message, isMeta, timestamp, sessionId } = entry
    if (typeof sessionId === 'string') this.#session ??= `claude-code ${sessionId}`
    const strand = this.#strands.of(entry)
    if (type !== 'user' && type !== 'assistant') return
    if (!isObject(message)) {
      this.#report.leftOut(`an entry of the type ${type} has no message`, line)
      return
    }
    const at = timeIn(timestamp)
    this.#builder.time(at)
    if (type === 'assistant') this.#beginReply(message, strand, at)
    const shown = isMeta === true || isOwnText(message) ? withoutText(message) : message
    anthropicMessage({ ...shown, role: type }, line, this.#builder, this.#report, { at, strand })
  }

  end(): Transcript {
    return this.#builder.end()
  }

  /** Begins a reply, unless an entry before this one has begun it. Only its first entry counts its tokens. */
  #beginReply(message: JsonObject, strand: string, at: number | undefined): void {
    const id = textIn(own(message, 'id'))
    if (id !== undefined && this.#replies.get(strand) === id) return
    if (id !== undefined) this.#replies.set(strand, id)
    this.#builder.reply({ usage: tokensIn(own(message, 'usage')), at }, strand)
  }
}

function isOwnText({ content }: JsonObject): boolean {
  return typeof content === 'string' && OWN_TEXT.test(content)
}

function withoutText({ content, ...message }: JsonObject): JsonObject {
  return { ...message, content: itemsIn(content).filter((part) => objectIn(part)['type'] !== 'text') }
}

/** Finds the strand of each entry: an entry of a sub-agent belongs to that of its parent. */
class SideStrands {
  readonly #byEntry = new Map<string, string>()
  #count = 0

  of({ isSidechain, agentId, uuid, parentUuid }: JsonObject): string {
    if (isSidechain !== true) return ''
    const parent = typeof parentUuid === 'string' ? this.#byEntry.get(parentUuid) : undefined
    const strand = typeof agentId === 'string' ? `agent ${agentId.slice(0, 80)}` : (parent ?? `agent ${++this.#count}`)
    if (typeof uuid === 'string') this.#byEntry.set(uuid, strand)
    return strand
  }
}
