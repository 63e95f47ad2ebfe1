import { refused } from './rendered.ts'
import { AUTHORITY_END, URL_END } from './url-literals.ts'

/**
 * Returns the failure of a rendered URL whose host or path the values have changed; undefined otherwise. `text` begins with the URL, and
 * `probe` with the same URL that has "x" for each value.
 */
export function checkUrl(text: string, probe: string): ReturnType<typeof refused> | undefined {
  const url = partsOf(text)
  const expected = partsOf(probe)
  if (url.authority !== expected.authority && !hasHost(url))
    return refused('url_authority', 'the host of the URL is not the one that its text names')
  if (dotSegments(url.path) > dotSegments(expected.path)) return refused('path_escape', 'a value is a segment "." or ".." of the URL')
  return undefined
}

interface UrlParts {
  readonly scheme: string
  readonly authority: string
  readonly path: string
}

function partsOf(text: string): UrlParts {
  const end = text.search(URL_END)
  const url = end < 0 ? text : text.slice(0, end)
  const begin = url.indexOf('://') + 3
  const rest = url.slice(begin)
  const stop = rest.search(AUTHORITY_END)
  const path = stop < 0 ? '' : rest.slice(stop)
  return { scheme: url.slice(0, begin), authority: stop < 0 ? rest : rest.slice(0, stop), path: path.split(/[?#]/, 1)[0] ?? '' }
}

/** True if a URL parser finds the host that is written: `2130706433` is an address, not a name. */
function hasHost({ scheme, authority }: UrlParts): boolean {
  const written = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  // A host in another alphabet is rewritten by every parser; its values have only ASCII letters, digits, points and hyphens.
  if (/[^\u0021-\u007e]/.test(written)) return true
  try {
    return new URL(`${scheme}${authority}/`).hostname.toLowerCase() === written.toLowerCase()
  } catch {
    return false
  }
}

function dotSegments(path: string): number {
  return path.split('/').filter((segment) => segment === '.' || segment === '..').length
}
