import { digestBytes } from '../../../kernel/index.ts'

const SCHEME = 'eid1'
const encoder = new TextEncoder()

/** The ids of a pass. The ids of its intents are made of them. */
export interface PassIds {
  readonly graphId: string
  readonly eventId: string
}

/**
 * Returns the id of an intent (reference 5.2). `node` is the runtime id, `ordinal` the index among the intents of the action. A retry and a
 * replay of the event give the same id, so a channel can recognize what it has already done.
 */
export function intentId({ graphId, eventId }: PassIds, node: string, kind: string, ordinal: number): string {
  const parts = [SCHEME, graphId, eventId, node, kind, String(ordinal)].map((part) => encoder.encode(part))
  const bytes = new Uint8Array(parts.reduce((length, part) => length + 4 + part.length, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const part of parts) {
    view.setUint32(at, part.length)
    bytes.set(part, at + 4)
    at += 4 + part.length
  }
  return `${SCHEME}:sha256:${digestBytes(bytes)}`
}

/** Returns the name of a graph in the ids of intents. A fork has its own: its intents are others. */
export function markedId(id: string, fork: string | undefined): string {
  return fork === undefined ? id : `${id}~${fork}`
}
