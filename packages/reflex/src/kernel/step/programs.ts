import { toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Json } from '../journal/value.ts'
import type { Kind } from './kind.ts'
import { type Program, programHash } from './program.ts'
import { equalFunctions, functionKey, functionsFault } from './functions.ts'
import type { FunctionPin, Pin } from '../journal/record.ts'

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
  /** The latest program of a hash. */
  readonly #hashed = new Map<string, Program>()
  /** The programs that call functions of the host, by hash and functions. */
  readonly #withFunctions = new Map<string, Program>()

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
    // The host may have other versions of the functions now.
    const def = options.def ?? (known?.functions === undefined ? known?.def : undefined) ?? compileWith(kind, name, source)
    const functions = functionsOf(kind, def)
    const program =
      known?.name === name && (def === known.def || (options.def === undefined && equalFunctions(functions, known.functions)))
        ? known
        : { name, kind: kindName, rev: kind.rev, hash, source, def, functions, local: options.local }
    this.#named.set(name, program)
    this.#hashed.set(hash, program)
    if (program.functions !== undefined) this.#withFunctions.set(functionKey(hash, program.functions), program)
    return program
  }

  /** Registers the program of a pin by its hash, not by its name. Throws `R5014` if a function that it pins has another version here. */
  restore(pin: Pin, source: Json, run?: string): Program {
    const [name, kindName, , hash, pinned] = pin
    const kind = this.kind(kindName)
    const def = pinned === undefined ? compileWith(kind, name, source) : compilePinned(kind, pin, source, run)
    const functions = functionsOf(kind, def)
    if (pinned !== undefined && !equalFunctions(pinned, functions)) throw functionsFault(pin, { run, found: functions ?? [] })
    const program = { name, kind: kindName, rev: kind.rev, hash, source, def, functions }
    if (pinned === undefined || !this.#hashed.has(hash)) this.#hashed.set(hash, program)
    if (functions !== undefined) this.#withFunctions.set(functionKey(hash, pinned ?? functions), program)
    return program
  }

  /** Returns the program of a pin with the functions that it pins; undefined if its source is not known. Throws `R5014` as `restore`. */
  exact(pin: Pin, run?: string): Program | undefined {
    const known = this.pinned(pin)
    if (known !== undefined) return known
    const source = this.byHash(pin[3])?.source
    return source === undefined ? undefined : this.restore(pin, source, run)
  }

  /** Returns the program of a pin if it is known with the functions that the pin states. */
  pinned([, , , hash, functions]: Pin): Program | undefined {
    const program = this.byHash(hash)
    if (functions === undefined || program === undefined || equalFunctions(functions, program.functions)) return program
    return this.#withFunctions.get(functionKey(hash, functions))
  }

  /** Returns the program of a name; the resolver may find one that is not registered. */
  find(name: string): Program | undefined {
    return this.resolver?.(name) ?? this.#named.get(name)
  }

  /** Returns the latest program of a hash, with the functions that the host has now. */
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

function functionsOf(kind: Kind, def: unknown): readonly FunctionPin[] | undefined {
  const functions = kind.functions?.(def)
  return functions === undefined || functions.length === 0 ? undefined : functions
}

/** The source was compiled when it was pinned, so only the functions can be missing. */
function compilePinned(kind: Kind, pin: Pin, source: Json, run: string | undefined): unknown {
  try {
    return kind.compile(source, pin[4])
  } catch (thrown) {
    throw functionsFault(pin, { run, cause: thrown })
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
