import { toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Json } from '../journal/value.ts'
import type { Kind } from './kind.ts'
import { type Program, programHash } from './program.ts'
import type { Pin } from '../journal/record.ts'

/** Kinds that are loaded when a program of theirs is first met. */
export interface KindLoader {
  readonly names: readonly string[]
  /** Returns a kind by its name; undefined for a name that is not in the list. Called again for a kind that was loaded: it returns the same one. */
  load(name: string): Promise<Kind | undefined>
}

/** The kinds and programs of a runtime, by name and by hash. */
export class Programs {
  /** Called first for each lookup: finds programs that are registered elsewhere. */
  resolver: ((name: string) => Program | undefined) | undefined
  /** Asked for kinds that are not registered yet. */
  loader: KindLoader | undefined
  readonly #kinds = new Map<string, Kind>()
  readonly #named = new Map<string, Program>()
  readonly #hashed = new Map<string, Program>()

  /** Returns the same kinds without programs: for programs that must not replace others of the same names. */
  copyKinds(): Programs {
    const other = new Programs()
    for (const kind of this.#kinds.values()) other.addKind(kind)
    other.loader = this.loader
    return other
  }

  /** Registers a kind. Names are unique. Throws `R2131` for a kind whose segments have no valid size. */
  addKind(kind: Kind): void {
    const { name, endless = 1 } = kind
    if (!Number.isSafeInteger(endless) || endless < 1)
      throw faults.make('R2131', `the kind ${name} states segments of ${endless} records`, { fix: 'state a whole number from 1 on' })
    this.#kinds.set(kind.name, kind)
  }

  /** The kinds that are registered, each by its name. */
  get kinds(): ReadonlyMap<string, Kind> {
    return this.#kinds
  }

  /** Registers a kind of the loader if it is not registered yet, and returns it. Rejects as `kind` throws, and as the loader does. */
  async load(name: string): Promise<Kind> {
    if (!this.#kinds.has(name)) {
      const kind = await this.loader?.load(name)
      if (kind !== undefined) this.addKind(kind)
    }
    return this.kind(name)
  }

  /** Returns a registered kind. Throws `R2011` for any other. */
  kind(name: string): Kind {
    const kind = this.#kinds.get(name)
    if (kind === undefined) {
      const known = new Set([...(this.loader?.names ?? []), ...this.#kinds.keys()])
      throw faults.make('R2011', `no kind is registered as ${name}`, { fix: `known kinds: ${[...known].join(', ') || 'none'}` })
    }
    return kind
  }

  /** Compiles a source and registers it under `kind:id`. A later program of the same name replaces it for new runs. */
  add(kindName: string, id: string, source: Json, options: { readonly def?: unknown; readonly local?: string | undefined } = {}): Program {
    const kind = this.kind(kindName)
    const hash = programHash(kindName, source)
    const known = this.#hashed.get(hash)
    const name = `${kindName}:${id}`
    const program =
      known?.name === name && (options.def === undefined || options.def === known.def)
        ? known
        : {
            name,
            kind: kindName,
            rev: kind.rev,
            hash,
            source,
            def: options.def ?? known?.def ?? compileWith(kind, name, source),
            local: options.local,
          }
    this.#named.set(name, program)
    this.#hashed.set(hash, program)
    return program
  }

  /** Registers the program of a pin by its hash, not by its name. */
  restore(pin: Pin, source: Json): Program {
    const [name, kindName, , hash] = pin
    const kind = this.kind(kindName)
    const program = { name, kind: kindName, rev: kind.rev, hash, source, def: compileWith(kind, name, source) }
    this.#hashed.set(hash, program)
    return program
  }

  /** Returns the program of a name; the resolver may find one that is not registered. */
  find(name: string): Program | undefined {
    return this.resolver?.(name) ?? this.#named.get(name)
  }

  byHash(hash: string): Program | undefined {
    return this.#hashed.get(hash)
  }

  /** Returns a program and all registered programs that it may call, in a fixed order. */
  closure(root: Program): Program[] {
    const found = new Map([[root.name, root]])
    for (const program of found.values()) {
      for (const ref of this.kind(program.kind).calls?.(program.def) ?? []) {
        const callee = this.find(ref)
        if (callee !== undefined && !found.has(callee.name)) found.set(callee.name, callee)
      }
    }
    return [...found.values()]
  }
}

/** Compiles a source. A kind that throws anything but a fault has a bug: `R2118`. */
function compileWith(kind: Kind, name: string, source: Json): unknown {
  try {
    return kind.compile(source)
  } catch (thrown) {
    throw toFault(thrown, (message, cause) => faults.make('R2118', `the kind ${kind.name} cannot compile ${name}: ${message}`, { cause }))
  }
}
