import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '../../../kernel/index.ts'

/**
 * Returns the SHA-256 of a value in canonical JSON as 64 hexadecimal digits: equal values have equal hashes. It is that of the kernel's
 * `digest`, which needs no platform and takes ten times as long; a decision hashes the arguments of each function that it calls.
 */
export function hashOf(value: Json): string {
  return hash('sha256', canonicalJson(value))
}
