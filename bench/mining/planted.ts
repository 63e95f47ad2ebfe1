import type { Json } from '../../packages/reflex/src/kernel/index.ts'
import type { CallLeaves, RunRead } from '../../packages/reflex/src/learn/shapes/call-sequence.ts'
import { operationShape, type ToolShapes } from '../../packages/reflex/src/learn/shapes/operation-shape.ts'
import type { StoredShape } from '../../packages/reflex/src/learn/shapes/update-shapes.ts'
import { argumentsOf, type Plant, plantsOf, type PlantStep, resultOf, word } from './plants.ts'
import { below, pick, type Random, randomOf } from './random.ts'

/** The size and the noise of a planted log (reference skill 4.3). */
export interface PlantedOptions {
  readonly seed: number
  /** The number of calls, about. */
  readonly events: number
  /** Operation shapes of the noise, which follow Zipf's law. */
  readonly noise?: number
  /** Shares of planted segments that another call interrupts, that end early, and of which one call fails. */
  readonly interrupted?: number
  readonly truncated?: number
  readonly failing?: number
}

/** Runs with planted sequences of calls. Each run is made from its number alone, so none is kept in memory. */
export interface PlantedLog {
  readonly plants: readonly Plant[]
  readonly runs: number
  read(run: number): RunRead
  /** Yields the shapes of runs, by default of all in their order. */
  shapes(order?: Iterable<number>): Generator<StoredShape>
  /** The symbols of a plant. */
  symbols(plant: Plant): readonly string[]
}

/** The facts about tools that give command lines their shape. */
export const plantedTools: ToolShapes = (tool) => (tool === 'term.exec' ? { commandLine: 'cmd' } : undefined)

/** Calls of a run, on the average. */
const PER_RUN = 20
const NO_VALUES = { user: [], ids: [] }

/** Makes a planted log. */
export function planted(options: PlantedOptions): PlantedLog {
  const plants = plantsOf(options.seed)
  const noise = noiseSteps(options.noise ?? 120)
  const runs = Math.max(1, Math.round(options.events / PER_RUN))
  const shapes = new Map<PlantStep, string>()
  const symbolOf = (step: PlantStep): string => {
    const known =
      shapes.get(step) ??
      operationShape(
        step.tool,
        argumentsOf(step, NO_VALUES, () => 0),
        plantedTools(step.tool),
      )
    shapes.set(step, known)
    return known
  }
  const read = (run: number): RunRead => new RunMaker(options, plants, noise, run, symbolOf).read()
  return {
    plants,
    runs,
    read,
    *shapes(order = Array.from({ length: runs }, (_, i) => i)) {
      for (const run of order) yield { shape: read(run).shape, read: async () => read(run) }
    },
    symbols: ({ steps }) => steps.map(symbolOf),
  }
}

function noiseSteps(count: number): readonly PlantStep[] {
  return Array.from({ length: count }, (_, i): PlantStep => {
    const args = [['target', { is: 'opaque', pool: ['a', 'b', 'c', 'd', 'e'] }]] as const
    return i % 3 === 0 ? { tool: 'term.exec', command: `noise${i} run`, args } : { tool: `noise.${i}`, args }
  })
}

class RunMaker {
  readonly #random: Random
  readonly #options: PlantedOptions
  readonly #plants: readonly Plant[]
  readonly #noise: readonly PlantStep[]
  readonly #run: number
  readonly #symbolOf: (step: PlantStep) => string
  readonly #leaves: CallLeaves[] = []
  readonly #symbols: string[] = []
  readonly #ok: number[] = []
  readonly #group: number[] = []
  readonly #texts: string[] = []
  #replies = 0

  constructor(
    options: PlantedOptions,
    plants: readonly Plant[],
    noise: readonly PlantStep[],
    run: number,
    symbolOf: (step: PlantStep) => string,
  ) {
    this.#random = randomOf(Math.imul(options.seed + 1, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b))
    this.#options = options
    this.#plants = plants
    this.#noise = noise
    this.#run = run
    this.#symbolOf = symbolOf
  }

  read(): RunRead {
    const random = this.#random
    for (let i = 1 + below(random, 3); i > 0; i--) {
      this.#addNoise(1 + below(random, 6))
      this.#addPlant(pick(random, this.#plants))
    }
    this.#addNoise(1 + below(random, 6))
    const count = this.#symbols.length
    const sequence = {
      strand: '0',
      symbols: this.#symbols,
      ok: this.#ok,
      group: this.#group,
      cost: Array.from({ length: count }, () => 0),
      ms: Array.from({ length: count }, (_, i) => 20 + ((i * 37 + this.#run) % 100)),
      record: Array.from({ length: count }, (_, i) => 2 + 3 * i),
      leaves: Array.from({ length: count }, (_, i) => i),
      replies: Array.from({ length: this.#replies }, () => ({ usd: 0.004, tokens: 900, ms: 1500 })),
      texts: [[0, this.#texts.join(', ')]] as const,
      facts: [],
    }
    const shape = {
      run: `run-${String(this.#run).padStart(7, '0')}`,
      last: 3 * count,
      started: 1_000_000 + this.#run,
      succeeded: true,
      labels: { env: 'staging' },
      sequences: [sequence],
      final: '',
    }
    return { shape, leaves: this.#leaves }
  }

  #call(step: PlantStep, args: Json, result: Json, ok: boolean, isNewReply = true): void {
    if (isNewReply) this.#replies++
    this.#symbols.push(this.#symbolOf(step))
    this.#ok.push(ok ? 1 : 0)
    this.#group.push(this.#replies - 1)
    this.#leaves.push({ tool: step.tool, args, result })
  }

  /** Adds calls that mean nothing; frequent ones are much more frequent than rare ones. */
  #addNoise(count: number): void {
    for (let i = 0; i < count; i++) {
      const step = this.#noise[Math.floor(this.#noise.length ** this.#random()) - 1] ?? pick(this.#random, this.#noise)
      this.#call(step, argumentsOf(step, NO_VALUES, this.#random), { data: { id: word(this.#random, 5) } }, true)
    }
  }

  #addPlant({ steps, decoy }: Plant): void {
    const random = this.#random
    const { interrupted = 0.1, truncated = 0.05, failing = 0.02 } = this.#options
    const user = [`${word(random, 4)}-${word(random, 3)}`, word(random, 6)]
    this.#texts.push(`please handle ${user.join(' and ')}`)
    const cut = random() < truncated ? 1 + below(random, steps.length) : steps.length
    const stop = random() < interrupted ? 1 + below(random, steps.length - 1) : -1
    const failed = random() < (decoy === 'fails' ? 0.4 : failing) ? below(random, steps.length) : -1
    const repeats = decoy === 'repeats' ? 2 + below(random, 4) : cut
    const ids: string[] = []
    for (let i = 0; i < repeats; i++) {
      const step = steps[i % steps.length]
      if (step === undefined) continue
      if (i === stop) this.#addNoise(1)
      const args = argumentsOf(step, { user, ids }, random)
      ids.push(`${word(random, 3)}${below(random, 100_000)}`)
      this.#call(step, args, resultOf(step, ids.at(-1) ?? '', i !== failed), i !== failed, decoy !== 'one_reply' || i === 0)
    }
  }
}
