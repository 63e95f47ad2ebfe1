import type { Definitions } from './decide.ts'
import { faults } from '../journal/faults.ts'
import type { Json } from '../journal/json.ts'
import type { Kind } from './kind.ts'
import { type Program, programHash } from './program.ts'
import type { Programs } from './programs.ts'
import type { State } from '../state/state.ts'

/** The programs of one run: by pin from its hashes, by name from the registry. */
export class RunPrograms implements Definitions {
  readonly #programs: Programs
  readonly #state: State
  readonly #durable: boolean
  readonly #pinned: Program[] = []

  /** `durable`: programs that the run uses later must also be data. */
  constructor(programs: Programs, state: State, durable = false) {
    this.#programs = programs
    this.#state = state
    this.#durable = durable
  }

  program(pin: number): Program {
    return (this.#pinned[pin] ??= this.#resolve(pin))
  }

  #resolve(pin: number): Program {
    const known = this.#state.pins[pin]
    const [pinned = '', , , hash = ''] = known ?? []
    // A process that continues a run has its functions. One that only reads it may lack them.
    const program = (known === undefined ? undefined : this.#programs.pinned(known)) ?? this.#programs.byHash(hash)
    if (program === undefined) throw faults.make('R5006', `${pinned}@${hash.slice(0, 6)} is not known`, { run: this.#state.start?.run })
    return namedAs(pinned, program)
  }

  kind(name: string): Kind {
    return this.#programs.kind(name)
  }

  find(name: string): Program | undefined {
    const program = this.#programs.find(name)
    if (this.#durable && program !== undefined) assertStorable(program)
    return program
  }

  /** A program that a run defines has its name only in this run: other runs use the registered one. */
  compile(kind: string, id: string, source: Json): Program {
    const [name, hash] = [`${kind}:${id}`, programHash(kind, source)]
    const known = this.#programs.byHash(hash)
    return namedAs(
      name,
      known?.functions === undefined && known !== undefined ? known : this.#programs.restore([name, kind, 0, hash], source),
    )
  }

  withHash(hash: string): Program | undefined {
    const program = this.#programs.byHash(hash)
    if (this.#durable && program !== undefined) assertStorable(program)
    return program
  }
}

/** Returns a program under another name: programs with the same source have the same hash, but different names. */
export function namedAs(name: string, program: Program): Program {
  return program.name === name ? program : { ...program, name }
}

/** Throws `R5008` for a program that cannot be stored as data. */
export function assertStorable({ name, local }: Program): void {
  if (local !== undefined)
    throw faults.make('R5008', `${name} cannot be stored: ${local}`, { fix: 'give the function a name and a version' })
}
