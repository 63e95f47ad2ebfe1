import type { Json, Traits } from '../kernel/index.ts'
import { type Guess, type PreparedCall, Tools } from './registry.ts'
import type { Tool } from './tool.ts'

/** The tools of a simulated run: the same, of which those that would reach outside answer by themselves. */
export class SimulatedTools extends Tools {
  readonly #real: Tools

  constructor(real: Tools) {
    super([])
    this.#real = real
  }

  override names(): readonly string[] {
    return this.#real.names()
  }

  override find(name: string): Tool | undefined {
    return this.#real.find(name)
  }

  override get(name: string, guess?: Guess): Tool {
    return this.#real.get(name, guess)
  }

  override prepare(name: string, args: Json, guess?: Guess): PreparedCall {
    const real = this.#real.prepare(name, args, guess)
    return { ...real, run: async (call) => (staysHere(real.traits(call)) ? real.run(call) : real.simulate(call)) }
  }
}

/** True for a call that changes nothing outside and only reads files of this machine. */
function staysHere({ leaves, needs = [] }: Traits): boolean {
  return !leaves && needs.every((need) => need.startsWith('arbor://fs/read') || need.startsWith('arbor://tool/'))
}
