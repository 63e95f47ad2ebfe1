import { RUN_NAMES, SHARED_NAMES } from './arguments.ts'
import { faults } from '../runs/faults.ts'
import { causeOf, type Fault, isFault, type Kind, type KindLoader, type Port, thrownMessage } from '../kernel/index.ts'
import type { AnyKindModule, KindBody, KindWorld, MadeKind } from '../programs/kind-module.ts'
import type { Kinds } from '../programs/kinds.ts'
import type { Reader } from '../programs/language.ts'
import type { RunSettings } from '../policy/index.ts'
import { quote } from '../text/index.ts'

/**
 * Refuses kinds that cannot stand beside each other: a name, an ending of files, a flag or a verb of the command that two of them have.
 * Throws `R2115`, naming both, and `R2116` for a port of `uses` that is not in `ports`. Loads no kind.
 */
export function checkModules(modules: readonly AnyKindModule[], ports: readonly string[]): void {
  const claimed = new Map([...SHARED_NAMES, ...RUN_NAMES].map((name) => [`the name ${quote(name)}`, RESERVED]))
  for (const { name, language, uses, runOptions = {}, verbs = [], companions = [] } of modules) {
    const missing = uses.find((port) => !ports.includes(port))
    if (missing !== undefined) throw missingPort(name, missing, ports)
    claim(claimed, `the name ${quote(name)}`, name)
    for (const ending of language.endings) claim(claimed, `the ending ${quote(ending)}`, name)
    for (const { flag } of Object.values(runOptions)) claim(claimed, `the flag ${flag}`, name)
    for (const { flag } of companions) claim(claimed, `the flag ${flag}`, name)
    for (const verb of verbs) claim(claimed, `the verb ${quote(verb.name)}`, name)
  }
}

function missingPort(kind: string, port: string, known: readonly string[]): Fault {
  return faults.make('R2116', `the kind ${quote(kind)} uses the port ${quote(port)}, which Reflex does not have`, {
    fix: `name one of ${known.join(', ')}, or take ${quote(port)} out of \`uses\` and return it from \`make\` of the kind`,
    data: { known: [...known] },
  })
}

/** The owner of the names that are options of Reflex itself. */
const RESERVED = ''

function claim(claimed: Map<string, string>, what: string, module: string): void {
  const other = claimed.get(what)
  if (other === RESERVED)
    throw faults.make('R2115', `the kind ${quote(module)} has the name of an option of Reflex`, { fix: 'give the kind another name' })
  if (other !== undefined)
    throw faults.make('R2115', `the kinds ${quote(other)} and ${quote(module)} both have ${what}`, {
      fix: `leave one of the two kinds out, or change ${what} of ${quote(module)}`,
    })
  claimed.set(what, module)
}

/** The parts of a `Reflex` from which kinds are made. */
interface InstallWorld {
  readonly kinds: Kinds
  readonly world: KindWorld
  /** Takes the reader of each kind that is made. */
  readonly readers: Map<string, Reader>
  /** Returns what the host gives to a kind. */
  readonly options: (kind: string) => unknown
  /** The ports of Reflex. */
  readonly ports: Readonly<Record<string, Port<RunSettings>>>
}

/**
 * The kinds of a `Reflex`, each made once: those that are whole at once, the others when one of their programs or runs is first met.
 * Throws `R2117` for a kind that throws while it is made, `R2126` for one of another name, `R2127` for a port that another kind or
 * Reflex has; each names the kind.
 */
export class InstalledKinds implements KindLoader {
  /** The ports of Reflex, and those of each kind that is made. */
  readonly ports: Map<string, Port<RunSettings>>
  readonly #world: InstallWorld
  readonly #owners: Map<string, string>
  readonly #made = new Map<string, MadeKind>()

  constructor(world: InstallWorld) {
    this.#world = world
    this.ports = new Map(Object.entries(world.ports))
    this.#owners = new Map(Object.keys(world.ports).map((port) => [port, RESERVED]))
    for (const module of world.kinds.modules) if ('make' in module) this.#install(module.name, module)
  }

  get names(): readonly string[] {
    return this.#world.kinds.names
  }

  /** The kinds that are made so far. */
  get made(): readonly MadeKind[] {
    return [...this.#made.values()]
  }

  /** Loads and makes a kind if that is not done yet; undefined for one that is not in the list. Rejects also with `R2125`. */
  async load(name: string): Promise<Kind | undefined> {
    const body = await this.#world.kinds.load(name)
    return body === undefined ? undefined : (this.#made.get(name) ?? this.#install(name, body)).kind
  }

  /** Closes the kinds that are made, all of them. Rejects with the first error of one. */
  async close(): Promise<void> {
    const ends = await Promise.allSettled(this.made.map(async (kind) => kind.close?.()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  #install(name: string, body: KindBody): MadeKind {
    const { world, readers, options } = this.#world
    const made = makeKind(name, body, world, options(name))
    if (made.kind.name !== name)
      throw faults.make('R2126', `the module ${quote(name)} makes a kind with the name ${quote(made.kind.name)}`, {
        fix: `name both ${quote(name)}`,
      })
    for (const port of Object.keys(made.ports)) {
      const owner = this.#owners.get(port)
      if (owner !== undefined) throw samePort(port, name, owner)
    }
    for (const [port, one] of Object.entries(made.ports)) {
      this.#owners.set(port, name)
      this.ports.set(port, one)
    }
    readers.set(name, made.reader)
    this.#made.set(name, made)
    return made
  }
}

function makeKind(name: string, body: KindBody, world: KindWorld, options: unknown): MadeKind {
  try {
    return body.make(world, options)
  } catch (thrown) {
    throw isFault(thrown) ? thrown : unmade(name, thrown)
  }
}

function unmade(name: string, thrown: unknown): Fault {
  const message = thrownMessage(thrown)
  return faults.make('R2117', `the kind ${quote(name)} cannot be made: ${message}`, {
    cause: causeOf(thrown),
    fix: `correct \`make\` of the kind ${quote(name)}`,
  })
}

function samePort(port: string, kind: string, owner: string): Fault {
  const both =
    owner === RESERVED
      ? `the kind ${quote(kind)} and Reflex both bring the port ${quote(port)}`
      : `the kinds ${quote(owner)} and ${quote(kind)} both bring the port ${quote(port)}`
  return faults.make('R2127', both, { fix: `rename the port of the kind ${quote(kind)}` })
}
