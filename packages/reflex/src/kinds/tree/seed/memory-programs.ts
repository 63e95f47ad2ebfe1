import { type Definitions, faults, type Json, type Kind, type Program, programHash } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { treeKind } from '../tick/kind.ts'

/** Finds the compiled tree of a name; undefined if there is none. */
export type FindTree = (name: string) => CompiledTree | undefined

/** Returns the program of a compiled tree. */
export function programOf(def: CompiledTree): Program<CompiledTree> {
  const source = def.source as unknown as Json
  return { name: `tree:${def.id}`, kind: 'tree', rev: 1, hash: programHash('tree', source), source, def }
}

/** The programs of one tree in memory: itself, and the trees that it refers to or calls. */
export class MemoryPrograms implements Definitions {
  readonly #pinned: Program[]
  readonly #kind: Kind
  readonly #find: FindTree

  constructor(root: Program<CompiledTree>, find: FindTree) {
    this.#pinned = [root]
    // The kind steps compiled trees only: nothing is compiled by it.
    this.#kind = treeKind({ nodes: new Map() })
    this.#find = find
  }

  program(pin: number): Program {
    const program = this.#pinned[pin]
    if (program === undefined) throw faults.make('R2010', `there is no program with the pin ${pin}`)
    return program
  }

  kind(name: string): Kind {
    if (name !== 'tree') throw faults.make('R2011', `a tree in memory has no programs of the kind ${name}`, { fix: 'run it with Reflex' })
    return this.#kind
  }

  /** Finds a tree by `tree:name`. The step pins what it finds, in this order. */
  find(name: string): Program | undefined {
    const def = name.startsWith('tree:') ? this.#find(name.slice('tree:'.length)) : undefined
    return def === undefined ? undefined : this.#remember(programOf(def))
  }

  #remember(program: Program): Program {
    const known = this.#pinned.find(({ hash, name }) => hash === program.hash && name === program.name)
    if (known !== undefined) return known
    this.#pinned.push(program)
    return program
  }

  withHash(hash: string): Program | undefined {
    return this.#pinned.find((program) => program.hash === hash)
  }

  compile(kind: string, id: string): Program {
    throw faults.make('R2010', `a tree in memory cannot make the program ${kind}:${id}`, { fix: 'run it with Reflex' })
  }
}
