import type { Definitions } from './decide.ts'
import { faults } from './faults.ts'
import type { Json } from './json.ts'
import type { Kind } from './kind.ts'
import type { Program } from './program.ts'
import type { Programs } from './programs.ts'
import type { State } from './state.ts'

/** The programs of one run: by pin from its hashes, by name from the registry. */
export class RunPrograms implements Definitions {
  readonly #programs: Programs
  readonly #state: State
  readonly #pinned: Program[] = []

  constructor(programs: Programs, state: State) {
    this.#programs = programs
    this.#state = state
  }

  program(pin: number): Program {
    return (this.#pinned[pin] ??= this.#resolve(pin))
  }

  #resolve(pin: number): Program {
    const [pinned = '', , , hash = ''] = this.#state.pins[pin] ?? []
    const program = this.#programs.byHash(hash)
    if (program === undefined) throw faults.make('R5006', `${pinned}@${hash.slice(0, 6)} is not known`, { run: this.#state.start?.run })
    return program
  }

  kind(name: string): Kind {
    return this.#programs.kind(name)
  }

  find(name: string): Program | undefined {
    return this.#programs.find(name)
  }

  compile(kind: string, id: string, source: Json): Program {
    return this.#programs.add(kind, id, source)
  }
}
