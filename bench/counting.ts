import { type Kind, type Port, Runtime } from '../packages/reflex/src/kernel/index.ts'
import type { Store } from '../packages/reflex/src/store/index.ts'
import { type Contestant, timed } from './measure.ts'

const TEXT = 'some text as an agent writes it'

/** What a step of `counting` stores: a raw client writes the same. */
export const STORED_STEP = JSON.stringify([1, ['ok', 12, 'done'], 0, 1, [['tick', [TEXT]]]])

/** Every step asks for one effect. */
const counting: Kind<number> = {
  name: 'counting',
  rev: 1,
  compile: Number,
  step(context) {
    const at = Number(context.position ?? 0)
    if (at === context.def) return context.done(at)
    context.go(at + 1)
    context.request('tick', [TEXT])
  },
}

/** The effect leaves, so every step is durable before the next; or it may be repeated freely, and steps run ahead of the store. */
const PORTS = {
  leaving: { leaves: true, repeat: 'ask', perform: async () => 'done' },
  pure: { leaves: false, repeat: 'free', perform: async () => 'done' },
} as const satisfies Record<string, Port>

let workers = 0

/** One process that carries runs of `counting`; without a store it keeps nothing. */
export class Counting {
  readonly #runtime: Runtime

  constructor(effect: keyof typeof PORTS, store?: Store) {
    const worker = { id: `bench-${++workers}`, host: 'bench', pid: process.pid }
    const keeping = store === undefined ? {} : { store, worker }
    this.#runtime = new Runtime({ kinds: [counting], ports: { tick: PORTS[effect] }, ...keeping })
  }

  /** So many runs at once, from the start of the first to the moment at which the last one is at rest and durable. */
  runs(runs: number, steps: number): Contestant {
    const runtime = this.#runtime
    const program = runtime.programs.add('counting', `counting-${steps}`, steps)
    const one = async () => (await runtime.start(program)).idle()
    return { name: 'reflex', round: () => timed(() => Promise.all(Array.from({ length: runs }, one))) }
  }

  /** The store stays open. */
  close(): Promise<void> {
    return this.#runtime.close()
  }
}
