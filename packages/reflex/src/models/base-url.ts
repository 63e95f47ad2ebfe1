/** The address of a server and its query. Provider packages append paths to the address and take the query separately. */
interface BaseUrl {
  readonly url: string
  readonly query: Readonly<Record<string, string>>
}

/** Separates the query from an address whose form has been checked. */
export function readBaseUrl(address: string): BaseUrl {
  const url = new URL(address)
  const query = Object.fromEntries(url.searchParams)
  return { url: `${url.origin}${url.pathname}`, query }
}

/** The minimum number of characters of a path segment that may be a key: gateways put keys into paths. */
const KEY_LENGTH = 12

/**
 * Returns the parts of an address that may be secret: the values of its query except versions, and path segments that
 * look like keys.
 */
export function secretsInAddress(address: string): readonly string[] {
  if (!URL.canParse(address)) return []
  const { pathname, searchParams, search } = new URL(address)
  const named = [...searchParams].flatMap(([name, value]) => (/version$/i.test(name) ? [] : [value]))
  const raw = search.split(/[?&=]/).filter((part) => named.includes(decoded(part)))
  const keys = pathname.split('/').filter((part) => part.length >= KEY_LENGTH && /\d/.test(part) && /[a-z]/i.test(part))
  return [...new Set([...named, ...raw, ...keys, ...keys.map(decoded)])].filter((part) => part.length >= 4)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}
