import type { Json } from '../../kernel/index.ts'
import type { CallLeaves, CallSequence, ModelReplyCost } from './call-sequence.ts'

/** A call as the reader of a journal collects it. */
export interface OpenCall {
  readonly symbol: string
  readonly tool: string
  readonly args: Json
  readonly group: number
  readonly record: number
  /** Milliseconds since the epoch. */
  readonly requested: number
  ok: 0 | 1 | 2
  result: Json
  ms: number
  cost: number
}

/** Collects the calls of one strand, and what was known before each of them. */
export class StrandReader {
  readonly strand: string
  readonly #calls: OpenCall[] = []
  readonly #replies: ModelReplyCost[] = []
  readonly #texts: (readonly [number, string])[]
  readonly #facts: (readonly [number, string, Json])[]

  /** `texts` and `facts`: those known before the strand began. */
  constructor(strand: string, texts: readonly string[], facts: ReadonlyMap<string, Json>) {
    this.strand = strand
    this.#texts = texts.map((text) => [0, text] as const)
    this.#facts = [...facts].map(([path, value]) => [0, path, value] as const)
  }

  /** Adds a reply of a model: the following calls are its calls. */
  reply(cost: ModelReplyCost): void {
    this.#replies.push(cost)
  }

  text(text: string): void {
    this.#texts.push([this.#calls.length, text])
  }

  fact(path: string, value: Json): void {
    this.#facts.push([this.#calls.length, path, value])
  }

  call(call: Pick<OpenCall, 'symbol' | 'tool' | 'args' | 'record' | 'requested'>): OpenCall {
    const open: OpenCall = { ...call, group: this.#replies.length - 1, ok: 0, result: null, ms: 0, cost: 0 }
    this.#calls.push(open)
    return open
  }

  /** True if no call failed after the last one that succeeded. */
  get endsWell(): boolean {
    return this.#calls.at(-1)?.ok !== 0
  }

  /** Returns the columns; arguments and results are appended to `leaves`. */
  sequence(leaves: CallLeaves[]): CallSequence {
    const calls = this.#calls
    const from = leaves.length
    for (const { tool, args, result } of calls) leaves.push({ tool, args, result })
    return {
      strand: this.strand,
      symbols: calls.map(({ symbol }) => symbol),
      ok: calls.map(({ ok }) => ok),
      group: calls.map(({ group }) => group),
      cost: calls.map(({ cost }) => cost),
      ms: calls.map(({ ms }) => ms),
      record: calls.map(({ record }) => record),
      leaves: calls.map((_, i) => from + i),
      replies: this.#replies,
      texts: this.#texts,
      facts: this.#facts,
    }
  }
}
