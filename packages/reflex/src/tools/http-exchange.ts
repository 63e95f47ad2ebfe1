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
  /** The time limit in milliseconds. */
  readonly timeout: number
  /** The limit of the answer in bytes. */
  readonly limit: number
}

/** The addresses that a request may reach, and the signal that aborts it. */
export type Reach = Pick<ToolCall, 'signal' | 'allows' | 'denies'>

/** The response. Header names are in lowercase; several values of one header are joined by commas. */
export type HttpAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly truncated?: true
}

/** Returns the name or the address of a URL's host, an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * Sends a request to one host and reads its answer. Throws `R4135` for an address that the run may not reach, `R4136`
 * if the network fails or the time limit passes, `R4132` if the run cancels the request, `R4137` for a compressed
 * answer.
 */
export async function exchange(asked: Exchange, host: Host, call: Reach): Promise<HttpAnswer> {
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
    if (stop.signal.reason === 'dropped') throw faults.make('R4132', `the request to ${asked.url.host} was cancelled`)
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

/** Returns all addresses of a host. Throws if one of them may not be reached: it makes the whole name suspect. */
async function addressesOf(name: string, call: Reach): Promise<readonly Address[]> {
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
    const through = address === name ? '' : `, the address of ${name},`
    throw faults.make('R4135', `${address}${through} is not a public address, and this run may not reach it`, {
      fix: `if the request is intended, allow ${need} in --policy FILE`,
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
  // Imported with the first request: the import would cost every command 50 ms.
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
      // A new connection for each request: a kept one could belong to another address.
      agent: false,
      signal,
      // Uses the checked addresses, not those of a second lookup.
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
    // The rest is not read: an answer can be endless.
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
  return Object.assign(new Error('cancelled'), { code: 'ABORT_ERR' })
}

function isSystemError(thrown: unknown): thrown is Error & { readonly code: string } {
  return thrown instanceof Error && !('verdict' in thrown) && 'code' in thrown && typeof thrown.code === 'string'
}
