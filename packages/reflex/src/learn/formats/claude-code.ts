import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import type { ImportReport } from './import-report.ts'
import { itemsIn, objectIn, own, textIn, timeIn, tokensIn } from './loose-json.ts'
import { anthropicMessage } from './messages.ts'
import { TranscriptBuilder } from './transcript-builder.ts'
import type { Transcript } from './transcript.ts'

/** The values of a file with one JSON value on each line, with their lines. */
export type NumberedLines = readonly (readonly [line: number, value: Json])[]

/** The prefix of what the program itself adds to messages of users; these texts are not theirs. */
const OWN_TEXT = /^<(?:command-name|command-message|command-args|local-command-stdout|local-command-stderr|system-reminder)>/

/**
 * Reads a session of Claude Code: one entry on each line. The parts of one reply stand on several lines with the id of its message. What a sub-agent
 * did is a strand of its own. Entries of other types, such as summaries, are skipped.
 */
export function readClaudeCode(lines: NumberedLines, report: ImportReport): Transcript {
  const builder = new TranscriptBuilder(report)
  const strands = new SideStrands()
  const replies = new Map<string, string>()
  for (const [line, value] of lines) {
    const entry = objectIn(value)
    const { type, message, isMeta, timestamp } = entry
    const strand = strands.of(entry)
    if (type !== 'user' && type !== 'assistant') continue
    if (!isObject(message)) {
      report.leftOut(`an entry of the type ${type} has no message`, line)
      continue
    }
    const at = timeIn(timestamp)
    builder.time(at)
    if (type === 'assistant') beginReply(message, strand, replies, builder)
    const shown = isMeta === true || isOwnText(message) ? withoutText(message) : message
    anthropicMessage({ ...shown, role: type }, line, builder, report, { at, strand })
  }
  return builder.end(lines.length)
}

/** Begins a reply, unless an entry before this one has begun it. Only its first entry counts its tokens. */
function beginReply(message: JsonObject, strand: string, replies: Map<string, string>, builder: TranscriptBuilder): void {
  const id = textIn(own(message, 'id'))
  if (id !== undefined && replies.get(strand) === id) return
  if (id !== undefined) replies.set(strand, id)
  const tokens = tokensIn(own(message, 'usage'))
  builder.reply(tokens === undefined ? {} : { tokens }, strand)
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
