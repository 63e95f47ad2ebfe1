import { compareBuild, satisfies, valid, validRange } from 'semver'

/** The longest version or range that is read. */
const LONGEST = 256

/** True for a semantic version with three parts; a leading `v`, a space and a range are refused. */
export function isVersion(text: string): boolean {
  return text.length <= LONGEST && /^\d/.test(text) && text.trim() === text && valid(text) === text.split('+', 1)[0]
}

/** Orders versions, the lowest first, and those that differ in the build only by its text. */
export function compareVersions(a: string, b: string): number {
  return compareBuild(a, b) || (a < b ? -1 : a > b ? 1 : 0)
}

/** True for a range of versions. */
export function isRange(text: string): boolean {
  return text.length <= LONGEST && validRange(text) !== null
}

/** True if a version is in a range; false if one of them cannot be read. */
export function isInRange(version: string, range: string): boolean {
  return version.length <= LONGEST && isRange(range) && satisfies(version, range)
}
