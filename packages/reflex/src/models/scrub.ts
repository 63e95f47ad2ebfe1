import { digest } from '../kernel/index.ts'
import { secretsInAddress } from './base-url.ts'

/** Environment variables, read by the composition. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The most characters of a cleaned text: the body of an error can be a whole web page. */
const LONGEST = 600
const KEY_LIKE = /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\b(?:sk|pk|rk|gsk|xai)-[\w-]{8,}|\bAIza[\w-]{20,}/g
const IN_URL = /(?<=:\/\/)[^/\s@]+@|(?<=[?&](?:key|api[_-]?key|token)=)[^&\s"]+/gi

/**
 * Returns a function that cleans texts of a provider for faults and records: no keys, one line, limited length.
 * Providers quote the key that they refuse, and connection errors quote the address with its secrets; `address` is the
 * base URL.
 */
export function scrubber(environment: Environment, address = ''): (text: string) => string {
  const addressSecrets = secretsInAddress(address)
  return (text) => {
    let clean = text
    // Reads the environment each time: a key may be set after the models are created. Replaces the longest first: one
    // key may be the start of another.
    for (const key of [...addressSecrets, ...keysOf(environment)].toSorted((a, b) => b.length - a.length))
      clean = clean.replaceAll(key, mark(key))
    clean = clean.replace(KEY_LIKE, mark).replace(IN_URL, (found) => (found.endsWith('@') ? `${mark(found)}@` : mark(found)))
    clean = clean.replace(/\s+/g, ' ').trim()
    return clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST)}…`.toWellFormed()
  }
}

/** The variables that authorize requests: keys of providers, and credentials of clouds. */
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
