import { isObject, type Host, type Json } from '../kernel/index.ts'
import { count, type Field, namedArguments, withDefault, text, word } from './arguments.ts'
import { netCapability } from './capability.ts'
import { faults } from './faults.ts'
import { type HttpAnswer, hostOf, exchange } from './http-exchange.ts'
import { defineTool, type Tool, type ToolCall } from './tool.ts'

/** The settings of the tool. */
export interface HttpSettings {
  readonly host: Host
}

const TIMEOUT = 30_000
const LONGEST = 600_000
const DEFAULT_LIMIT = 1_000_000
const MOST = 16_000_000
const MOST_REDIRECTS = 5
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const READ_METHODS: readonly string[] = ['GET', 'HEAD']

interface HttpArguments {
  readonly url: URL
  readonly method: (typeof METHODS)[number]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly timeout: number
  readonly limit: number
}

/**
 * Sends one request: `{url, status, headers, text, truncated?}`. A status of 400 or more is a result. Each host of a
 * chain of redirects needs `arbor://net/HOST`. An address outside the public network needs its own grant without a
 * star. The request connects to the checked address, so no name and no redirect leads to another one.
 */
export function http(settings: HttpSettings): Tool {
  return defineTool({
    name: 'http',
    description:
      'Sends a request to an http or https address that the policy allows, and returns {url, status, headers, text}. headers: an object. limit: the maximum bytes of the answer.',
    leaves: true,
    repeat: 'ask',
    repeats: ({ method }) => (READ_METHODS.includes(method) ? 'keyed' : 'ask'),
    input: namedArguments({
      url: address(),
      method: withDefault(method(), 'GET'),
      headers: withDefault(headers(), {}),
      body: withDefault(text(), undefined),
      timeout: withDefault(count(1, LONGEST), TIMEOUT),
      limit: withDefault(count(1, MOST), DEFAULT_LIMIT),
    }),
    needs: ({ url }) => [netCapability(hostOf(url))],
    run: (args, call) => follow(args, settings, call),
    says: ({ url, method }, { status }) => `${method} ${url.host} → ${status}`,
  })
}

async function follow(request: HttpArguments, { host }: HttpSettings, call: ToolCall): Promise<HttpAnswer & { readonly url: string }> {
  const until = host.now() + request.timeout
  let at = request
  for (let i = 0; i <= MOST_REDIRECTS; i++) {
    const need = netCapability(hostOf(at.url))
    if (!call.allows(need))
      throw faults.make('R4135', `${at.url.host} may not be reached by this run`, {
        fix: `allow ${need} in --policy FILE`,
        data: { needs: [need] },
      })
    const answer = await exchange({ ...at, timeout: Math.max(1, until - host.now()) }, host, call)
    const next = redirectRequest(at, answer)
    if (next === undefined) return { url: at.url.href, ...answer }
    at = next
  }
  throw faults.make('R4137', `${request.url.host} redirected more than ${MOST_REDIRECTS} times`)
}

/**
 * Returns the request after a redirect, or undefined if there is none. Another host does not get what was meant for the
 * first one.
 */
function redirectRequest(request: HttpArguments, { status, headers }: HttpAnswer): HttpArguments | undefined {
  const { location } = headers
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const url = URL.parse(location, request.url.href)
  if (url === null || !isPlainAddress(url))
    throw faults.make('R4137', `${request.url.host} redirects to an address that cannot be used: ${JSON.stringify(location.slice(0, 200))}`)
  const rewrites = status === 303 ? request.method !== 'HEAD' : status <= 302 && request.method === 'POST'
  const same = url.origin === request.url.origin
  const keptHeaders = Object.entries(request.headers).filter(
    ([name]) =>
      (same || !/^(authorization|cookie|proxy-authorization)$|key|token|secret/i.test(name)) && !(rewrites && /^content-/i.test(name)),
  )
  return { ...request, url, headers: Object.fromEntries(keptHeaders), ...(rewrites ? { method: 'GET', body: undefined } : {}) }
}

function isPlainAddress({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

function address(): Field<URL> {
  return {
    what: 'an http or https address without a password',
    schema: { type: 'string' },
    read(value) {
      const url = typeof value === 'string' && value.length <= 8_192 ? URL.parse(value) : null
      return url !== null && isPlainAddress(url) ? url : undefined
    },
  }
}

function method(): Field<(typeof METHODS)[number]> {
  const known = word(...METHODS)
  return { ...known, read: (value) => known.read(typeof value === 'string' ? value.toUpperCase() : value) }
}

/** The headers about the transport of a request; programs may not set them. */
const TRANSPORT_HEADERS =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|accept-encoding|proxy-.*)$/i

function headers(): Field<Readonly<Record<string, string>>> {
  return {
    what: 'headers by name, each one line of text, without transport headers (Host, Connection, Content-Length …)',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    read(value: Json) {
      if (!isObject(value)) return undefined
      const entries = Object.entries(value).map(([name, one]): [string, string] => [
        name,
        typeof one === 'number' ? String(one) : typeof one === 'string' ? one : '\n',
      ])
      const fits = entries.every(
        ([name, one]) =>
          /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name) && !TRANSPORT_HEADERS.test(name) && /^[\t\x20-\x7e\x80-\xff]{0,8192}$/.test(one),
      )
      return fits ? Object.fromEntries(entries) : undefined
    },
  }
}
