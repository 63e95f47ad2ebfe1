import type { GuardFunction, GuardRegistry } from '../types/index.ts'

/** A function of a guard, with its version if the host states one. */
export interface FoundFunction {
  readonly evaluate: GuardFunction
  readonly version: string | undefined
}

/**
 * Returns the function of a name. Without a version, the last version that the host gives; with one, this version, or a function whose
 * version the host does not state. Undefined if the host has none.
 */
export function findFunction(functions: GuardRegistry, name: string, version: string | undefined): FoundFunction | undefined {
  const given: unknown = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (typeof given === 'function') return { evaluate: given as GuardFunction, version }
  const found = versionsOf(given).findLast((one) => version === undefined || one.version === version)
  return found === undefined || typeof found.evaluate !== 'function' ? undefined : { evaluate: found.evaluate, version: found.version }
}

/** Returns the versions of a function that the host gives. */
export function knownVersions(functions: GuardRegistry, name: string): readonly string[] {
  return versionsOf(Object.hasOwn(functions, name) ? functions[name] : undefined).map(({ version }) => version)
}

/** True for a function that the host gives without a version: it stands for every version. */
export function isOpenVersion(functions: GuardRegistry, name: string): boolean {
  return Object.hasOwn(functions, name) && typeof functions[name] === 'function'
}

function versionsOf(given: unknown): readonly { readonly version: string; readonly evaluate: GuardFunction }[] {
  const all: readonly unknown[] = Array.isArray(given) ? given : [given]
  return all.filter((one) => isVersion(one))
}

function isVersion(given: unknown): given is { readonly version: string; readonly evaluate: GuardFunction } {
  return typeof given === 'object' && given !== null && 'version' in given && 'evaluate' in given && typeof given.version === 'string'
}
