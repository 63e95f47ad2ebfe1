import { RUN_NAMES, SHARED_NAMES } from './arguments.ts'
import { faults } from '../runs/faults.ts'
import { causeOf, type Fault, isFault, type Kind, type Port } from '../kernel/index.ts'
import type { KindModule, KindWorld } from '../programs/kind-module.ts'
import type { Reader } from '../programs/language.ts'
import type { RunSettings } from '../policy/index.ts'
import { quote } from '../text/index.ts'

/** The kinds of a `Reflex`, made. */
export interface InstalledKinds {
  readonly kinds: readonly Kind[]
  /** The ports that kinds bring. */
  readonly ports: Readonly<Record<string, Port<RunSettings>>>
}

/**
 * Refuses kinds that cannot stand beside each other: a name, an ending of files or a flag of the command that two of them have.
 * Throws `R2115`, naming both.
 */
export function checkModules(modules: readonly KindModule[]): void {
  const claimed = new Map([...SHARED_NAMES, ...RUN_NAMES].map((name) => [`the name ${quote(name)}`, RESERVED]))
  for (const { name, language, runOptions = {} } of modules) {
    claim(claimed, `the name ${quote(name)}`, name)
    for (const ending of language.endings) claim(claimed, `the ending ${quote(ending)}`, name)
    for (const { flag } of Object.values(runOptions)) claim(claimed, `the flag ${flag}`, name)
  }
}

/** Stands for the options that are no kind's. */
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

/**
 * Makes kinds, each with the options that its host gives, and adds their readers. Throws `R2116` for a port that a kind uses and
 * nobody has, `R2117` for a kind that throws while it is made; both name the kind.
 */
export function installKinds(
  modules: readonly KindModule[],
  world: KindWorld,
  {
    readers,
    options,
    ports: own,
  }: {
    readonly readers: Map<string, Reader>
    readonly options: (kind: string) => unknown
    /** The ports of the house. */
    readonly ports: readonly string[]
  },
): InstalledKinds {
  const made = modules.map((module) => ({ name: module.name, ...makeKind(module, world, options(module.name)) }))
  const ports = Object.assign({}, ...made.map((one) => one.ports)) as Record<string, Port<RunSettings>>
  const known = new Set([...own, ...Object.keys(ports)])
  for (const { name, uses, reader } of made) {
    const missing = uses.find((port) => !known.has(port))
    if (missing !== undefined)
      throw faults.make('R2116', `the kind ${quote(name)} uses the port ${quote(missing)}, which nothing provides`, {
        fix: `return the port ${quote(missing)} from \`make\` of the kind, or add the kind that has it`,
        data: { known: [...known] },
      })
    readers.set(name, reader)
  }
  return {
    kinds: made.map(({ kind }) => kind),
    ports,
  }
}

function makeKind(module: KindModule, world: KindWorld, options: unknown): ReturnType<KindModule['make']> {
  try {
    return module.make(world, options)
  } catch (thrown) {
    throw isFault(thrown) ? thrown : unmade(module.name, thrown)
  }
}

function unmade(name: string, thrown: unknown): Fault {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return faults.make('R2117', `the kind ${quote(name)} cannot be made: ${message}`, {
    cause: causeOf(thrown),
    fix: `correct \`make\` of the kind ${quote(name)}`,
  })
}
