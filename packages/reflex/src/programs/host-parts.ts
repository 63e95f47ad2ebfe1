import type { Json } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'

/** A thing that a host gives to programs of a kind and that they name, such as the function `deploy.rollback`. */
export interface HostPart {
  /** The word for it in singular: `function`, `agent`, `node`. */
  readonly part: string
  readonly name: string
}

/** The settings of a run that name parts of a host beside its programs. */
export type NamingSettings = Pick<RunSettings, 'agent'>

/** The parts that a host has given to a kind, and those that its programs name. In a cluster, a run waits for a worker that has the parts it names. */
export interface HostParts {
  /** Returns everything that this host has given. */
  given(): readonly HostPart[]
  /**
   * Returns the parts that a stored program names. A part that every host has is left out, unless this host has given its own. Reads only the
   * source, so a host that cannot compile the program knows, too, which parts it lacks. Functions with a version are left out: the run has
   * pinned them. Never throws.
   */
  named?(source: Json): readonly HostPart[]
  /** Returns what the settings of a run name of a host. */
  chosen?(settings: NamingSettings): readonly HostPart[]
}

/** The version of a function whose host states none: it stands for every version, as the contract of clusters says. */
export const ANY_VERSION = '*'
/** The digits of a digest in a name: enough to tell two texts apart. */
const DIGITS = 12

/** Returns the name of a function in one version: `approved@2`, with a digest `abs@1#0f3a…`. */
export function versionedName(name: string, version: string, digest?: string): string {
  return `${name}@${version}${digest === undefined ? '' : `#${digest.slice(0, DIGITS)}`}`
}

/** Returns a function as a host has given it: by its name, and in each version. A digest is stated beside the version alone, for older pins. */
export function givenFunction(name: string, versions: readonly (readonly [version: string, digest?: string])[]): readonly HostPart[] {
  const names = versions.flatMap(([version, digest]) => [
    versionedName(name, version),
    ...(digest === undefined ? [] : [versionedName(name, version, digest)]),
  ])
  return [name, ...names].map((one) => ({ part: 'function', name: one }))
}

/** Returns parts of one sort. */
export function partsOf(part: string, names: Iterable<string>): readonly HostPart[] {
  return Array.from(names, (name) => ({ part, name }))
}
