import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * The networks outside the public network (IANA's registers of special addresses): this machine, private networks,
 * link-local networks, metadata servers of cloud providers.
 */
const SPECIAL_NETWORKS: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
]

let list: BlockList | undefined

/** Returns the list of these networks. It is created when an address is first checked, because few processes check one. */
function specialNetworks(): BlockList {
  if (list !== undefined) return list
  list = new BlockList()
  for (const [network, bits] of SPECIAL_NETWORKS) list.addSubnet(network, bits, isIPv6(network) ? 'ipv6' : 'ipv4')
  return list
}

/** True if an address belongs to the public network. An IPv6 address that stands for an IPv4 one is judged as that one. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  const inner = family === 6 ? innerAddress(address) : undefined
  if (inner !== undefined) return isPublicAddress(inner)
  return !specialNetworks().check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Returns an address, and the IPv4 address that it stands for. */
export function effectiveAddresses(address: string): readonly string[] {
  const inner = isIPv6(address) ? innerAddress(address) : undefined
  return inner === undefined ? [address] : [address, inner]
}

/** Returns the IPv4 address in a mapped, translated or 6to4 address. */
function innerAddress(address: string): string | undefined {
  const groups = groupsOf(address)
  const begins = (...head: readonly number[]): boolean => head.every((group, i) => groups[i] === group)
  const at = begins(0, 0, 0, 0, 0, 0xffff) || begins(0x64, 0xff9b, 0, 0, 0, 0) ? 6 : begins(0x2002) ? 1 : undefined
  if (at === undefined) return undefined
  return [groups[at] ?? 0, groups[at + 1] ?? 0].flatMap((group) => [group >> 8, group & 255]).join('.')
}

function groupsOf(address: string): readonly number[] {
  // A URL writes an address in its shortest form, with hexadecimal groups only.
  const text = new URL(`http://[${address.replace(/%.*$/s, '')}]`).hostname.slice(1, -1)
  const [head = '', tail] = text.split('::')
  const read = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [read(head), read(tail ?? '')]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}
