/**
 * Returns a host in its one spelling: small letters, no dot at its end, letters of other scripts as the name system has them, an
 * address in its shortest form and without a zone, an IPv6 address that stands for an IPv4 address as that address. Undefined
 * for a text that is not a host: a port, a path and a user do not belong to it.
 */
export function hostName(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  const isAddress = bare.includes(':')
  if (/[\s/?#@\\]/.test(bare)) return undefined
  const url = URL.parse(`http://${isAddress ? `[${bare.replace(/%[^]*$/, '')}]` : bare}/`)
  const host = withoutLastDots(url?.hostname.replace(/^\[|\]$/g, '') ?? '')
  return host === '' ? undefined : (mappedAddress(host) ?? host)
}

/** Cuts the dots at the end: a pattern would search again from each dot. */
function withoutLastDots(host: string): string {
  let end = host.length
  while (host[end - 1] === '.') end--
  return host.slice(0, end)
}

/** The IPv4 address in `::ffff:7f00:1`. */
function mappedAddress(host: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? []
  if (high === undefined || low === undefined) return undefined
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
}
