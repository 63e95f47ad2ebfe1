/** A version in a tag: `v1.4.2`, `1.4`, `2.0.0-rc.1`. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number]
  /** The parts of a pre-release; empty for a release. */
  readonly pre: readonly string[]
}

const FORM = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/

/** Returns the version in a tag, or undefined. */
export function readVersion(tag: string): Version | undefined {
  const [whole, major, minor, patch = '0', pre] = FORM.exec(tag) ?? []
  if (whole === undefined) return undefined
  return { numbers: [Number(major), Number(minor), Number(patch)], pre: pre === undefined ? [] : pre.split('.') }
}

/** Returns a version without `v` and build. */
export function versionText({ numbers, pre }: Version): string {
  return numbers.join('.') + (pre.length === 0 ? '' : `-${pre.join('.')}`)
}

/** Compares versions (semver.org, 11): negative if `a` precedes `b`. */
export function compareVersions(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const difference = comparePart(a.pre[i], b.pre[i])
    if (difference !== 0) return difference
  }
  return 0
}

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const numeric = [a, b].map((part) => /^\d+$/.test(part))
  if (numeric[0] === true && numeric[1] === true) return Number(a) - Number(b)
  if (numeric[0] !== numeric[1]) return numeric[0] === true ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the possible next versions; a pre-release is followed by its release. Without a version, they follow 0.0.0. */
export function nextVersions(version: Version | undefined): { readonly major: string; readonly minor: string; readonly patch: string } {
  const [major, minor, patch] = version?.numbers ?? [0, 0, 0]
  const early = version !== undefined && version.pre.length > 0
  return {
    major: early && minor === 0 && patch === 0 ? `${major}.0.0` : `${major + 1}.0.0`,
    minor: early && patch === 0 ? `${major}.${minor}.0` : `${major}.${minor + 1}.0`,
    patch: early ? `${major}.${minor}.${patch}` : `${major}.${minor}.${patch + 1}`,
  }
}
