import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../../../kernel/index.ts'
import { unsigned } from './checkpoint.ts'

/** A secret: text is used as its UTF-8 bytes. */
export type Secret = string | Uint8Array

/**
 * Returns the signature of a checkpoint: HMAC-SHA-256 over the canonical JSON (RFC 8785) of everything but the
 * signature, in lowercase hexadecimal (seed pipeline 7.3, reference pipeline 6.2).
 */
export function signatureOf(checkpoint: JsonObject, secret: Secret): string {
  return createHmac('sha256', secret)
    .update(canonicalJson(unsigned(checkpoint)), 'utf8')
    .digest('hex')
}

/** True if a checkpoint has the signature of this secret. The comparison takes constant time. */
export function isSigned(checkpoint: JsonObject, secret: Secret): boolean {
  const given = checkpoint['__hmac']
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/i.test(given)) return false
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(signatureOf(checkpoint, secret), 'hex'))
}
