import type { FunctionPin, Json } from '../../../kernel/index.ts'
import { faults } from '../model/faults.ts'
import type { RunStatus } from '../model/run-status.ts'
import type { ContractSource } from '../model/source.ts'

/** The blackboard of a function: it reads copies of what the tree had when the function was called, and its writes count once it has answered. */
export interface FunctionBoard {
  get(key: string): Json | undefined
  has(key: string): boolean
  set(key: string, value: unknown): void
  setGlobal(key: string, value: unknown): void
  delete(key: string): void
}

/** The context of a pure function. */
export interface PureContext {
  readonly blackboard: FunctionBoard
  /** The event that caused the tick. */
  readonly event: Json | undefined
  readonly nodeId: string
  /** Its id behind the ids of the references to its tree: `research/plan`. */
  readonly nodePath: string
}

/** The answer of a function: a status, true or false for a condition, or a status with its reason. */
export type FunctionAnswer =
  | RunStatus
  | boolean
  | { readonly status: RunStatus | Lowercase<RunStatus>; readonly reason?: string }
  | undefined
  | null

/**
 * A function that only computes: the same arguments and blackboard give the same answer and writes, at once. It runs in the step of its tree, and
 * leaves no record of its own. A run pins its version: without that version the run is neither continued nor replayed (R5014). A list of entries
 * gives several versions, of which new runs take the last. An error fails the node (R1254).
 */
export interface PureEntry {
  readonly pure: (context: PureContext, args: Json) => FunctionAnswer
  /** Another text for each change of what the function answers. */
  readonly version: string
  readonly contract?: ContractSource
}

/** A pure function by its name. */
export interface PureFunction {
  readonly name: string
  readonly version: string
  readonly run: PureEntry['pure']
}

/** The pure functions of a host by name, each in all its versions; the last one is the current one. */
export type PureFunctions = ReadonlyMap<string, readonly PureFunction[]>

/** Returns the pure functions among those of a host. Throws `R1256` for one without a version. */
export function pureFunctions(functions: Readonly<Record<string, object>>): PureFunctions {
  const found = new Map<string, PureFunction[]>()
  for (const [name, given] of Object.entries(functions)) {
    const versions = versionsOf(given).map(({ version, pure: run }) => ({ name, version, run }))
    if (versions.some(({ version }) => typeof version !== 'string' || version === ''))
      throw faults.make('R1256', `the function ${name} is pure and states no version`, { fix: `write ${name}: { pure, version: "1" }` })
    if (versions.length > 0) found.set(name, versions)
  }
  return found
}

/** Returns the versions of a function, oldest first, if it is pure. */
export function versionsOf(given: object): readonly PureEntry[] {
  const all: readonly object[] = Array.isArray(given) ? given : [given]
  return all.filter((entry): entry is PureEntry => 'pure' in entry && typeof entry.pure === 'function')
}

/** Returns a function in the version that a run has pinned, otherwise in the current one; undefined if it is not pure or the version is missing. */
export function pureFunction(functions: PureFunctions, name: string, pinned?: readonly FunctionPin[]): PureFunction | undefined {
  const version = pinned?.find(([pin]) => pin === name)?.[1]
  return functions.get(name)?.findLast((one) => version === undefined || one.version === version)
}

/** Returns a function as a run pins it. */
export function pinOfPure({ name, version }: PureFunction): FunctionPin {
  return [name, version]
}
