import { digest } from '../kernel/index.ts'
import { secretsInAddress } from './base-url.ts'

/** Variables as the system gives them; the composition reads them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Longer than this says nothing more: bodies of errors can be whole web pages. */
const LONGEST = 600
const KEY_LIKE = /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\b(?:sk|pk|rk|gsk|xai)-[\w-]{8,}|\bAIza[\w-]{20,}/g
const IN_URL = /(?<=:\/\/)[^/\s@]+@|(?<=[?&](?:key|api[_-]?key|token)=)[^&\s"]+/gi

/**
 * Makes the words of a provider fit for faults and records: no key in them, one line, not longer than a person reads.
 * Providers quote the key that they refuse, and connection errors the address with what stands in it: `address` is that of the server
 * by its base URL.
 */
export function scrubber(environment: Environment, address = ''): (text: string) => string {
  const addressSecrets = secretsInAddress(address)
  return (text) => {
    let clean = text
    // Read each time: a key may be set later than the models are made. The longest first: one key may begin another.
    for (const key of [...addressSecrets, ...keysOf(environment)].toSorted((a, b) => b.length - a.length))
      clean = clean.replaceAll(key, mark(key))
    clean = clean.replace(KEY_LIKE, mark).replace(IN_URL, (found) => (found.endsWith('@') ? `${mark(found)}@` : mark(found)))
    clean = clean.replace(/\s+/g, ' ').trim()
    return clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST)}…`.toWellFormed()
  }
}

/** Variables that sign requests: keys of providers, and what the clouds take in place of one. */
const SECRET_VARIABLE = /_API_KEY$|^AWS_(?:BEARER_TOKEN|SECRET_ACCESS_KEY|ACCESS_KEY_ID|SESSION_TOKEN)|^GOOGLE_PRIVATE_KEY$/

function keysOf(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (name.endsWith('_BASE_URL')) return secretsInAddress(value)
    return SECRET_VARIABLE.test(name) && value.length >= 4 ? [value] : []
  })
}

function mark(secret: string): string {
  return `‹secret ${digest(secret).slice(0, 4)}›`
}
