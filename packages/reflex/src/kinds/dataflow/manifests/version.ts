import { compareBuild, valid } from 'semver'

/** True for a semantic version with three parts, such as `1.0.0-rc.1+build`. A leading `v` or a space is refused. */
export function isVersion(text: string): boolean {
  return /^\d/.test(text) && text.trim() === text && valid(text) !== null
}

/** Orders versions, the lowest first, and those that differ in the build only by its text. */
export function compareVersions(a: string, b: string): number {
  return compareBuild(a, b) || (a < b ? -1 : a > b ? 1 : 0)
}
