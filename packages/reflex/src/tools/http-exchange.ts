import { Buffer } from 'node:buffer'
import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Host } from '../kernel/index.ts'
import { isPublicAddress, effectiveAddresses } from './addresses.ts'
import { netCapability } from './capability.ts'
import { faults } from './faults.ts'
import type { ToolCall } from './tool.ts'

/** One request to one host. */
export interface Exchange {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Milliseconds. */
  readonly timeout: number
  /** Bytes kept of the answer. */
  readonly limit: number
}

/** What came back. Names of headers are in small letters; several of a name are joined by commas. */
export type HttpAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly truncated?: true
}

/** The name or the address of a URL's host, an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * Sends a request to one host and reads its answer. `R4135` for an address that may not be reached, `R4136` when the
 * network or the time fails, `R4132` when the run gives it up, `R4137` for an answer that is compressed.
 */
export async function exchange(asked: Exchange, host: Host, call: ToolCall): Promise<HttpAnswer> {
  const stop = new AbortController()
  const cancelTimer = host.at(host.now() + asked.timeout, () => stop.abort('late'))
  const onAbort = (): void => stop.abort('dropped')
  call.signal.addEventListener('abort', onAbort, { once: true })
  if (call.signal.aborted) onAbort()
  try {
    const addresses = await Promise.race([addressesOf(hostOf(asked.url), call), rejectOnAbort(stop.signal)])
    const message = await send(asked, addresses, stop.signal)
    return await answerOf(message, asked)
  } catch (thrown) {
    if (stop.signal.reason === 'dropped') throw faults.make('R4132', `the request to ${asked.url.host} was called off`)
    if (stop.signal.reason === 'late') throw faults.make('R4136', `${asked.url.host} did not answer in time`)
    if (!isSystemError(thrown)) throw thrown
    throw faults.make('R4136', `${asked.url.host} cannot be reached: ${thrown.code}`, { cause: thrown })
  } finally {
    cancelTimer()
    call.signal.removeEventListener('abort', onAbort)
    stop.abort()
  }
}

interface Address {
  readonly address: string
  readonly family: number
}

/** Every address of a host, each of which may be reached: one that may not makes the whole name suspect. */
async function addressesOf(name: string, call: ToolCall): Promise<readonly Address[]> {
  const family = isIP(name)
  const all = family === 0 ? await lookup(name, { all: true, order: 'verbatim' }) : [{ address: name, family }]
  for (const { address } of all) {
    const denied = effectiveAddresses(address)
      .map(netCapability)
      .find((capability) => call.denies(capability))
    if (denied !== undefined)
      throw faults.make('R4135', `${address}, the address of ${name}, is denied by the policy`, {
        fix: `if the request is intended, remove the rule that denies ${denied} from the policy`,
        data: { denied },
      })
    const need = netCapability(address)
    if (isPublicAddress(address) || call.allows(need, true)) continue
    const through = address === name ? '' : `, where ${name} leads,`
    throw faults.make('R4135', `${address}${through} is no public address and may not be reached here`, {
      fix: `if it is meant, allow ${need} in --policy FILE`,
      data: { needs: [need] },
    })
  }
  return all
}

async function send(
  { url, method, headers, body }: Exchange,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Imported for the first request: it costs every command 50 ms.
  const { request: begin } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  return new Promise((resolve, reject) => {
    const sent = begin(url, {
      method,
      headers: {
        'user-agent': 'reflex',
        ...headers,
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
      // No connection is kept for later, and none is taken that was made to another address.
      agent: false,
      signal,
      // The addresses that were judged, and not what a second question would give.
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

async function answerOf(message: IncomingMessage, { url, limit }: Exchange): Promise<HttpAnswer> {
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== '') throw faults.make('R4137', `the answer of ${url.host} is compressed (${encoding})`)
  const parts: Buffer[] = []
  let size = 0
  let cut = false
  for await (const part of message as AsyncIterable<Buffer>) {
    const room = limit - size
    parts.push(part.subarray(0, room))
    size += Math.min(part.length, room)
    cut = part.length > room
    // What comes after is not read: an answer can be without end.
    if (cut) break
  }
  const text = decoder(headers['content-type']).decode(Buffer.concat(parts), { stream: cut })
  return { status: message.statusCode ?? 0, headers, text, ...(cut ? { truncated: true } : {}) }
}

function decoder(type = ''): InstanceType<typeof TextDecoder> {
  const [, charset = 'utf-8'] = /charset="?([\w.:-]+)/i.exec(type) ?? []
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(abortError()), { once: true }))
}

function abortError(): Error {
  return Object.assign(new Error('called off'), { code: 'ABORT_ERR' })
}

function isSystemError(thrown: unknown): thrown is Error & { readonly code: string } {
  return thrown instanceof Error && !('verdict' in thrown) && 'code' in thrown && typeof thrown.code === 'string'
}
