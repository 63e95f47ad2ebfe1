/** The address of a server and its query: the packages of providers put paths behind the one, and take the other by itself. */
interface BaseUrl {
  readonly url: string
  readonly query: Readonly<Record<string, string>>
}

/** Separates the query from an address, whose form has been checked. */
export function readBaseUrl(address: string): BaseUrl {
  const url = new URL(address)
  const query = Object.fromEntries(url.searchParams)
  return { url: `${url.origin}${url.pathname}`, query }
}

/** Characters of a part of a path that may be a key: gateways put keys there. */
const KEY_LENGTH = 12

/** Returns the parts of an address that may be secret: values of its query but versions, and parts of its path that look like keys. */
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
