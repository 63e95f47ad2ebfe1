import { hash } from 'node:crypto'
import { canonicalJson, type Json } from '../../../kernel/index.ts'

/** Returns the SHA-256 of a text as hexadecimal digits. */
export function hashText(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Returns the SHA-256 of a value in its canonical form (RFC 8785): equal values have equal hashes. */
export function hashJson(value: unknown): string {
  return hashText(canonicalJson(value as Json))
}
