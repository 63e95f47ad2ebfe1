import Range from 'semver/classes/range.js'
import { compareVersions, isVersion } from '../manifests/version.ts'

const LONGEST = 256

/** The highest version that a selector selects; undefined if it selects none. */
export interface Selection {
  readonly version: string | undefined
}

/**
 * Selects the highest of the versions that fit. Returns undefined for a selector that is neither a version nor a range, such as `latest` or
 * an empty text. An exact version with a build, such as `1.0.0+b`, is preferred as written.
 */
export function selectVersion(versions: readonly string[], selector: string): Selection | undefined {
  if (isVersion(selector) && versions.includes(selector)) return { version: selector }
  const range = rangeOf(selector)
  if (range === undefined) return undefined
  const fitting = versions.filter((version) => range.test(version))
  return { version: fitting.sort(compareVersions).at(-1) }
}

function rangeOf(selector: string): Range | undefined {
  if (selector.trim() === '' || selector.length > LONGEST) return undefined
  try {
    return new Range(selector)
  } catch {
    return undefined
  }
}
