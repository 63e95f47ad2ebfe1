import { Buffer } from 'node:buffer'
import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { effectiveAddresses, isPublicAddress } from '../tools/addresses.ts'
import { mcpFaults } from './faults.ts'
import { MOST_MESSAGE } from './server-process.ts'

/** The rules for requests to one server. */
export interface FetchRules {
  readonly name: string
  /** Headers of each request, without references. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent after the server has answered 401. */
  readonly token: string | undefined
  /** True if addresses outside the public network are allowed. */
  readonly isPrivateAllowed: boolean
}

/** Sends a request as `fetch` does. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Returns a `fetch` for one server. It connects to the address that it has checked, follows no redirect, and limits what the server sends.
 * A 401 is answered once, with the token. Throws `R4505` for a 401 or 403 that stays, `R4512` for an address that is not allowed.
 */
export function guardedFetch(rules: FetchRules): Fetch {
  let authorized = false
  return async (url, init = {}) => {
    const address = new URL(url)
    const send = (): Promise<IncomingMessage> => request(address, init, authorized ? rules.token : undefined, rules)
    let message = await send()
    if (message.statusCode === 401 && rules.token !== undefined && !authorized) {
      message.destroy()
      authorized = true
      message = await send()
    }
    if (message.statusCode === 401 || message.statusCode === 403) throw refusedBy(message, rules)
    return responseOf(message, rules)
  }
}

function refusedBy(message: IncomingMessage, { name, token }: FetchRules): Error {
  const asked = message.headers['www-authenticate']
  message.destroy()
  const quoted = asked === undefined ? '' : `: ${asked.slice(0, 500)}`
  const said = `the server ${name} answered ${message.statusCode ?? 0}${token === undefined ? ', and it has no token' : ''}${quoted}`
  return mcpFaults.make('R4505', said, { data: { 'www-authenticate': asked?.slice(0, 2_000) ?? null } })
}

async function request(url: URL, init: RequestInit, token: string | undefined, rules: FetchRules): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await allowedAddresses(host, rules)
  const { request: begin } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  const headers = Object.fromEntries(new Headers({ ...rules.headers, ...Object.fromEntries(new Headers(init.headers)) }))
  const body = typeof init.body === 'string' ? Buffer.from(init.body) : undefined
  return new Promise((resolve, reject) => {
    const sent = begin(url, {
      method: init.method ?? 'GET',
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-length': body.length }),
      },
      // A kept connection could belong to another address.
      agent: false,
      ...(init.signal === undefined || init.signal === null ? {} : { signal: init.signal }),
      lookup: (_name, options, give) => {
        const [first] = addresses
        if (options.all === true) give(null, [...addresses])
        else give(null, first?.address ?? '', first?.family)
      },
    })
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end(body)
  })
}

interface Address {
  readonly address: string
  readonly family: number
}

async function allowedAddresses(host: string, { name, isPrivateAllowed }: FetchRules): Promise<readonly Address[]> {
  const family = isIP(host)
  const all = family === 0 ? await lookup(host, { all: true, order: 'verbatim' }) : [{ address: host, family }]
  const wrong = all.find(({ address }) => !isPrivateAllowed && !effectiveAddresses(address).every(isPublicAddress))
  if (wrong === undefined) return all
  const through = wrong.address === host ? '' : `, the address of ${host},`
  throw mcpFaults.make(
    'R4512',
    `${wrong.address}${through} is not a public address, and the policy does not allow it for the server ${name}`,
    {
      fix: `if it is intended, write "private": true into the entry ${name} of the policy`,
    },
  )
}

function responseOf(message: IncomingMessage, { name }: FetchRules): Response {
  const status = message.statusCode ?? 500
  const headers = new Headers()
  for (const [key, value] of Object.entries(message.headers))
    for (const one of Array.isArray(value) ? value : value === undefined ? [] : [value]) headers.append(key, one)
  if (status >= 300 && status < 400 && status !== 304) {
    message.destroy()
    throw mcpFaults.make(
      'R4512',
      `the server ${name} redirects to ${String(message.headers.location).slice(0, 200)}, and redirects are not followed`,
      {
        fix: 'write the new address into the settings of the server',
      },
    )
  }
  if ([101, 204, 205, 304].includes(status)) {
    message.resume()
    return new Response(null, { status: status === 101 ? 500 : status, headers })
  }
  const body = Readable.toWeb(Readable.from(bounded(message, name))) as ReadableStream<Uint8Array>
  return new Response(body, { status, headers })
}

/** Yields what a server sends. An event or a document of more than the limit ends the stream. */
async function* bounded(message: IncomingMessage, name: string): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const part of message as AsyncIterable<Buffer>) {
    // An empty line ends an event; a stream of events may be endless.
    const end = part.lastIndexOf('\n\n')
    size = end < 0 ? size + part.length : part.length - end
    if (size > MOST_MESSAGE)
      throw mcpFaults.make('R4509', `the server ${name} sent a message of more than ${MOST_MESSAGE} bytes, and the connection was closed`)
    yield part
  }
}
