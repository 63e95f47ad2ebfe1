import { compareBuild } from 'semver'

const PRERELEASE = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const THREE_PARTS = new RegExp(
  `^(?:0|[1-9]\\d{0,14})(?:\\.(?:0|[1-9]\\d{0,14})){2}(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
)

/** True for a semantic version with three parts, such as `1.0.0-rc.1+build`. A leading `v` or a space is refused. */
export function isVersion(text: string): boolean {
  return text.length <= 256 && THREE_PARTS.test(text)
}

/** Orders versions, the lowest first, and those that differ in the build only by its text. */
export function compareVersions(a: string, b: string): number {
  return compareBuild(a, b) || (a < b ? -1 : a > b ? 1 : 0)
}
