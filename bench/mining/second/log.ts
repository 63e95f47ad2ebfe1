import type { Json, JsonObject } from '../../../packages/reflex/src/kernel/index.ts'
import type { CallLeaves, RunRead } from '../../../packages/reflex/src/learn/shapes/call-sequence.ts'
import { operationShape } from '../../../packages/reflex/src/learn/shapes/operation-shape.ts'
import type { StoredShape } from '../../../packages/reflex/src/learn/shapes/update-shapes.ts'
import { chance, type Draw, drawFrom, geometric, oneOf, upTo } from './draw.ts'
import { argumentsOf, type Operation, type Procedure, procedures } from './procedures.ts'

/** The size and the noise of a log. */
export interface LogOptions {
  readonly seed: number
  readonly events: number
  /** Shares of the occurrences that another call interrupts, that end early, and in which a call fails. */
  readonly interrupted?: number
  readonly truncated?: number
  readonly failing?: number
  /** The share of noise that follows the call before it as always; the rest is drawn by Zipf's law. */
  readonly markov?: number
  /** Other procedures than those of the seed. */
  readonly procedures?: (draw: Draw) => Procedure[]
}

/** A log with procedures in it, made run by run. */
export interface SecondLog {
  readonly procedures: readonly Procedure[]
  shapes(): Generator<StoredShape>
}

const NOISE = 200
const SEGMENTS = [1, 1, 2, 3] as const
const NAMES = ['ana', 'bo', 'cleo', 'dag', 'eve', 'finn'] as const

/** Makes a log as the reference describes it (skill 4.3): its procedures, segments and noise are not those of the other log. */
export function secondLog(options: LogOptions): SecondLog {
  const made = (options.procedures ?? procedures)(drawFrom(options.seed))
  const lengths = made.map(({ operations }) => operations.length)
  const perRun = (lengths.reduce((sum, length) => sum + length, 0) / made.length + 3) * 1.75
  const runs = Math.max(1, Math.round(options.events / perRun))
  const read = (run: number): RunRead => new RunMaker(options, made, run).read()
  return {
    procedures: made,
    *shapes() {
      for (let run = 0; run < runs; run++) yield { shape: read(run).shape, read: async () => read(run) }
    },
  }
}

class RunMaker {
  readonly #options: LogOptions
  readonly #procedures: readonly Procedure[]
  readonly #run: number
  readonly #draw: Draw
  readonly #symbols: string[] = []
  readonly #ok: number[] = []
  readonly #group: number[] = []
  readonly #leaves: CallLeaves[] = []
  readonly #texts: (readonly [number, string])[] = []
  #replies = 0
  #noise = 0

  constructor(options: LogOptions, made: readonly Procedure[], run: number) {
    this.#options = options
    this.#procedures = made
    this.#run = run
    this.#draw = drawFrom(Math.imul(options.seed + 77, 0x9e37) + run * 7919)
    this.#noise = this.#zipf()
  }

  read(): RunRead {
    const draw = this.#draw
    this.#addNoise(geometric(draw, 0.6, 8))
    for (let left = oneOf(draw, SEGMENTS); left > 0; left--) {
      this.#addProcedure(weighted(draw, this.#procedures))
      this.#addNoise(1 + geometric(draw, 0.6, 8))
    }
    const count = this.#symbols.length
    const sequence = {
      strand: '0',
      symbols: this.#symbols,
      ok: this.#ok,
      group: this.#group,
      cost: Array.from({ length: count }, () => 0),
      ms: Array.from({ length: count }, () => 5 + upTo(draw, 300)),
      record: Array.from({ length: count }, (_, i) => 2 * i + 3),
      leaves: Array.from({ length: count }, (_, i) => i),
      replies: Array.from({ length: this.#replies }, () => ({ tokens: 200 + upTo(draw, 400), ms: 400 + upTo(draw, 900) })),
      texts: this.#texts,
      facts: [],
    }
    const run = `other-${String(this.#run).padStart(7, '0')}`
    const shape = {
      run,
      last: 2 * count + 4,
      started: 1.6e12 + this.#run * 61_000,
      succeeded: true,
      labels: {},
      sequences: [sequence],
      final: '',
    }
    return { shape, leaves: this.#leaves }
  }

  #call(operation: Operation, args: JsonObject, result: Json, ok: boolean, isNewReply: boolean): void {
    if (isNewReply) this.#replies++
    this.#symbols.push(operationShape(operation.tool, args))
    this.#ok.push(ok ? 1 : 0)
    this.#group.push(this.#replies - 1)
    this.#leaves.push({ tool: operation.tool, args, result })
  }

  #zipf(): number {
    return Math.min(NOISE - 1, Math.floor(Math.exp(this.#draw() * Math.log(NOISE))) - 1)
  }

  /** Calls around the procedures. Each of them has one call that usually follows it, if the noise has a memory. */
  #addNoise(count: number): void {
    for (let i = 0; i < count; i++) {
      const follows = chance(this.#draw, this.#options.markov ?? 0)
      this.#noise = follows ? (this.#noise * 31 + 17) % NOISE : this.#zipf()
      this.#call({ tool: `misc.op${this.#noise}`, args: [] }, { n: upTo(this.#draw, 50) }, { done: true }, true, true)
    }
  }

  #addProcedure({ operations, trap }: Procedure): void {
    const draw = this.#draw
    const { interrupted = 0.1, truncated = 0.05, failing = 0.02 } = this.#options
    const typed = `${oneOf(draw, NAMES)}-${upTo(draw, 1e6).toString(36)}`
    this.#texts.push([this.#symbols.length, `Could you take care of ${typed} for me?`])
    const end = chance(draw, truncated) ? upTo(draw, operations.length) : operations.length
    const gap = chance(draw, interrupted) ? 1 + upTo(draw, operations.length - 1) : -1
    const broken = chance(draw, trap === 'unreliable' ? 0.4 : failing) ? upTo(draw, operations.length) : -1
    const ids: string[] = []
    for (const [i, operation] of operations.slice(0, end).entries()) {
      if (i === gap) this.#addNoise(1)
      const args = argumentsOf(operation, { typed, ids }, draw)
      const id = `id_${upTo(draw, 1e9).toString(16)}`
      ids.push(id)
      const result = i === broken ? { error: 'refused' } : { item: { id, size: upTo(draw, 9) }, ok: true }
      this.#call(operation, args, result, i !== broken, trap !== 'batched' || i === 0)
      // A failed call ends what the agent was doing half of the time.
      if (i === broken && chance(draw, 0.5)) break
    }
  }
}

function weighted(draw: Draw, all: readonly Procedure[]): Procedure {
  let left = draw() * all.reduce((sum, { weight }) => sum + weight, 0)
  for (const one of all) {
    left -= one.weight
    if (left < 0) return one
  }
  return oneOf(draw, all)
}
