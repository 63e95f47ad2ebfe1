import { createPublicKey, type KeyObject } from 'node:crypto'
import { faults } from './faults.ts'

/** Where the control plane of an organisation is, and how long its verdicts hold (reference skill 1.25). */
export interface ControlPlaneOptions {
  /** Its address. Only https, except on this machine. */
  readonly url: string
  readonly token?: string | undefined
  /** The most milliseconds of one request; default 1500. */
  readonly timeoutMs?: number | undefined
  /** The most seconds for which a verdict is taken from the cache without a question; default 300. */
  readonly policyTtlS?: number | undefined
  /** The most seconds for which an older verdict counts while the control plane is down; default a day. */
  readonly staleIfDownS?: number | undefined
  /** The Ed25519 key, as PEM, with which its manifests are signed. With it, one without a signature is refused. */
  readonly publicKey?: string | undefined
}

/** The settings with their defaults. */
export interface ControlSettings {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string | undefined
  readonly timeoutMs: number
  readonly policyTtlS: number
  readonly staleIfDownS: number
  readonly key: KeyObject | undefined
}

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Completes the settings; undefined without a control plane. Without options the variables `REFLEX_CONTROL_PLANE` and `REFLEX_CONTROL_TOKEN` count;
 * `null` is none, whatever they say. Throws `R2174`.
 */
export function controlSettings(
  options: ControlPlaneOptions | null | undefined,
  variable: (name: string) => string | undefined,
): ControlSettings | undefined {
  if (options === null) return undefined
  const url = options?.url ?? variable('REFLEX_CONTROL_PLANE') ?? ''
  if (options === undefined && url === '') return undefined
  const { token = variable('REFLEX_CONTROL_TOKEN'), timeoutMs = 1500, policyTtlS = 300, staleIfDownS = 86_400 } = options ?? {}
  return { url: addressOf(url), token, timeoutMs, policyTtlS, staleIfDownS, key: keyOf(options?.publicKey) }
}

function addressOf(text: string): string {
  const url = URL.parse(text)
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOCAL.has(url.hostname))
  if (url === null || !isAllowed || url.username !== '' || url.search !== '' || url.hash !== '')
    throw faults.make('R2174', 'the control plane has no address with https:// that is an address alone', { path: 'controlPlane.url' })
  return url.href.replace(/\/$/, '')
}

function keyOf(pem: string | undefined): KeyObject | undefined {
  if (pem === undefined) return undefined
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below.
  }
  throw faults.make('R2174', 'the public key of the control plane is no Ed25519 key in PEM', { path: 'controlPlane.publicKey' })
}
