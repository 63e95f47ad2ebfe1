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
  const writer = new BundleWriter(header, limit)
  for (const step of steps) yield* writer.add(step)
  yield* writer.end()
}

/** The text of a capture, step by step. */
export class BundleWriter {
  readonly #header: BundleHeader
  readonly #limit: number
  readonly #chain: BundleChain
  #events: string[] = []
  #decisions: string[] = []
  #size = 0
  #asLines = false

  constructor(header: BundleHeader, limit = DOCUMENT_LIMIT) {
    this.#header = header
    this.#limit = limit
    this.#chain = new BundleChain(header)
  }

  /** Yields what can be written after a step: nothing as long as the capture may become one document. */
  *add({ event, decision }: CapturedStep): Generator<string> {
    this.#chain.add(event, decision)
    const texts = [text(event), text(decision)] as const
    this.#size += texts[0].length + texts[1].length
    if (this.#asLines) {
      yield line(...texts)
      return
    }
    this.#events.push(texts[0])
    this.#decisions.push(texts[1])
    if (this.#size <= this.#limit) return
    this.#asLines = true
    yield `${text(this.#header)}\n`
    for (const [index, captured] of this.#events.entries()) yield line(captured, this.#decisions[index] ?? '')
    this.#events = []
    this.#decisions = []
  }

  /** Yields the rest. */
  *end(): Generator<string> {
    if (this.#asLines) yield `${text({ chain: this.#chain.head })}\n`
    else if (this.#events.length > 0) yield `${documentText(this.#header, this.#events, this.#decisions, this.#chain.head)}\n`
  }
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
