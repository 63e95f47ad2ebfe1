import { canonicalJson, type Json } from '../../../kernel/index.ts'
import type { BundleHeader, CapturedStep } from './bundle.ts'
import { BundleChain } from './chain.ts'

/** The limit in characters of a capture that is one document. A larger one is written as lines. */
const DOCUMENT_LIMIT = 64_000_000

/**
 * Yields the text of a capture, piece by piece: one document of canonical JSON, or, beyond 64 million characters, lines of it: the header,
 * then each event with its decision, then the hash of the chain. Equal runs give equal bytes. Holds no more than the limit in memory, so `steps`
 * can be read from a journal. Yields nothing for a run without events.
 */
export function* writeBundle(header: BundleHeader, steps: Iterable<CapturedStep>, limit = DOCUMENT_LIMIT): Generator<string> {
  const chain = new BundleChain(header)
  const events: string[] = []
  const decisions: string[] = []
  let size = 0
  let asLines = false
  for (const { event, decision } of steps) {
    chain.add(event, decision)
    const texts = [text(event), text(decision)] as const
    size += texts[0].length + texts[1].length
    if (asLines) {
      yield line(...texts)
      continue
    }
    events.push(texts[0])
    decisions.push(texts[1])
    if (size <= limit) continue
    asLines = true
    yield `${text(header)}\n`
    for (const [index, captured] of events.entries()) yield line(captured, decisions[index] ?? '')
    events.length = 0
    decisions.length = 0
  }
  if (asLines) yield `${text({ chain: chain.head })}\n`
  else if (events.length > 0) yield `${documentText(header, events, decisions, chain.head)}\n`
}

function text(value: unknown): string {
  return canonicalJson(value as Json)
}

function line(event: string, decision: string): string {
  return `{"decision":${decision},"event":${event}}\n`
}

/** Returns a document with its keys in their canonical order. */
function documentText(header: BundleHeader, events: readonly string[], decisions: readonly string[], chain: string): string {
  const parts: readonly (readonly [string, string])[] = [
    ...Object.entries(header).flatMap(([key, value]) => (value === undefined ? [] : [[key, text(value)] as const])),
    ['events', `[${events.join(',')}]`],
    ['decisions', `[${decisions.join(',')}]`],
    ['chain', text(chain)],
  ]
  return `{${parts
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${text(key)}:${value}`)
    .join(',')}}`
}
