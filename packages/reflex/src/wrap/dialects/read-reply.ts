import type { ReplyOutcome } from '../../kinds/skill/model/protocol.ts'
import { protocolCall, type ReplyCall } from '../../kinds/skill/protocol/native.ts'
import { ReplyReader, type ReplyOptions } from '../../kinds/skill/protocol/reply-reader.ts'
import type { CanonicalReply } from './contract.ts'

export interface ReadReply {
  readonly outcome: ReplyOutcome
  /** The calls of the protocol, which no agent sees. */
  readonly calls: readonly ReplyCall[]
}

/** Reads a whole reply for blocks and calls of the protocol, with the outcome that its stream would have. */
export function readCanonicalReply({ parts }: CanonicalReply, options: ReplyOptions = {}): ReadReply {
  const reader = new ReplyReader(options)
  const calls: ReplyCall[] = []
  for (const part of parts) {
    if (part.kind === 'text') {
      reader.text(part.text)
      reader.endPart()
      continue
    }
    reader.startCall(part.name)
    reader.call(part)
    if (protocolCall(part.name) !== undefined) calls.push({ id: part.id, name: part.name, arguments: part.arguments })
  }
  return { outcome: reader.end().outcome, calls }
}
