import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { serveFaults } from '../../protocol/faults.ts'

/** The ways in which deliveries are signed: Standard Webhooks, GitHub's, Stripe's. */
export const SCHEMES = ['standard', 'github', 'stripe'] as const
export type Scheme = (typeof SCHEMES)[number]

/** The largest difference between the time of a delivery and the time now, in milliseconds. */
const TOLERANCE_MS = 300_000
/** The most signatures of one delivery that are compared: senders state two while they change their secret. */
const MOST_SIGNATURES = 10

/** A delivery, as it arrived. */
export interface SignedDelivery {
  readonly body: string
  readonly header: (name: string) => string | undefined
  readonly now: number
}

/** The parts of a delivery that its signature protects. */
interface Claim {
  /** The text that is signed. */
  readonly signed: string
  readonly signatures: readonly string[]
  readonly encoding: 'hex' | 'base64'
  /** Seconds since the epoch; undefined for a scheme without a time. */
  readonly time: string | undefined
  /** The id of the delivery. */
  readonly id: string
}

/**
 * Checks the signature of a delivery and returns its id, which is a part of what is signed: a scheme whose id is not signed is known by the hash
 * of its body, so that a delivery that is sent again under another id is the same. Throws `R6051` without a valid signature, `R6052` for a
 * delivery that is too old or from the future.
 */
export function verifyDelivery(scheme: Scheme, secret: string, delivery: SignedDelivery): string {
  const claim = CLAIMS[scheme](delivery)
  if (claim === undefined) throw serveFaults.make('R6051', `the delivery has no signature of the scheme ${scheme}`)
  const { signed, signatures, encoding, time, id } = claim
  const wanted = createHmac('sha256', keyOf(scheme, secret)).update(signed).digest()
  let isValid = false
  for (const text of signatures.slice(0, MOST_SIGNATURES)) {
    const given = Buffer.from(text, encoding)
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) isValid = true
  }
  if (!isValid) throw serveFaults.make('R6051', 'the signature of the delivery is not valid')
  if (time !== undefined && !(Math.abs(delivery.now - Number(time) * 1000) <= TOLERANCE_MS))
    throw serveFaults.make('R6052', 'the time of the delivery is more than five minutes from the time of this server')
  return id
}

/** Returns the headers of a delivery that is signed as Standard Webhooks. `time`: milliseconds since the epoch. */
export function signedHeaders(secret: string, id: string, time: number, body: string): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(time / 1000))
  const signature = createHmac('sha256', keyOf('standard', secret)).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}

/** Standard Webhooks writes the bytes of its secrets in base64 after `whsec_`. */
function keyOf(scheme: Scheme, secret: string): Buffer {
  return scheme === 'standard' && secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8')
}

const CLAIMS: Readonly<Record<Scheme, (delivery: SignedDelivery) => Claim | undefined>> = {
  standard({ body, header }) {
    const [id, time] = [header('webhook-id'), header('webhook-timestamp')]
    const signatures = valuesOf(header('webhook-signature'), ' ', 'v1,')
    if (id === undefined || id === '' || id.length > 300 || !isSeconds(time) || signatures.length === 0) return undefined
    return { signed: `${id}.${time}.${body}`, signatures, encoding: 'base64', time, id }
  },
  github({ body, header }) {
    const signatures = valuesOf(header('x-hub-signature-256'), ',', 'sha256=')
    return signatures.length === 0 ? undefined : { signed: body, signatures, encoding: 'hex', time: undefined, id: digestOf(body) }
  },
  stripe({ body, header }) {
    const stated = header('stripe-signature')
    const [time] = valuesOf(stated, ',', 't=')
    const signatures = valuesOf(stated, ',', 'v1=')
    if (!isSeconds(time) || signatures.length === 0) return undefined
    return { signed: `${time}.${body}`, signatures, encoding: 'hex', time, id: digestOf(body) }
  },
}

function isSeconds(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,12}$/.test(text)
}

function valuesOf(header: string | undefined, separator: string, prefix: string): readonly string[] {
  const parts = (header ?? '').split(separator).map((part) => part.trim())
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length))
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
