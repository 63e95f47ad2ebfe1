import type { ReplyOutcome } from '../../kinds/skill/model/protocol.ts'
import { protocolCall, type ReplyCall } from '../../kinds/skill/protocol/native.ts'
import { readReplyParts, type ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { CanonicalReply } from './contract.ts'

export interface ReadReply {
  readonly outcome: ReplyOutcome
  /** The calls of the protocol, which no agent sees. */
  readonly calls: readonly ReplyCall[]
}

/** Reads a whole reply for blocks and calls of the protocol, with the outcome that its stream would have. */
export function readCanonicalReply({ parts }: CanonicalReply, options: ReplyOptions = {}): ReadReply {
  const calls = parts.flatMap((part): ReplyCall[] =>
    part.kind === 'text' || protocolCall(part.name) === undefined ? [] : [{ id: part.id, name: part.name, arguments: part.arguments }],
  )
  const outcome = readReplyParts(
    parts.map((part) => (part.kind === 'text' ? part.text : part)),
    options,
  )
  return { outcome, calls }
}
