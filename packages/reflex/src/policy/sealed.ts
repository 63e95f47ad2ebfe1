import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { canonicalJson, type Json } from '../kernel/index.ts'

/** Values that stand in records as ciphers, `‹sealed …›`: only the user who sealed a value can open it, in any process and after a crash. */
export interface SealedValues {
  /** Returns the cipher of a value: equal values have equal ciphers, so that they can be compared. */
  seal(value: Json): string
  /** Returns the value of a cipher; undefined for one that this user has not made, or that was changed. */
  open(cipher: string): Json | undefined
}

const WHOLE = /^‹sealed [A-Za-z0-9_-]{38,}›$/
const IV = 12
const TAG = 16

/** True for a value that is the cipher of another one. */
export function isSealed(value: Json | undefined): value is string {
  return typeof value === 'string' && WHOLE.test(value)
}

/** Seals values with AES-256-GCM. `secret`: 32 bytes or more that only the user has, asked for when the first value is sealed or opened. */
export function sealedValues(secret: () => Uint8Array): SealedValues {
  let keys: { readonly cipher: Buffer; readonly iv: Buffer } | undefined
  const derived = (): NonNullable<typeof keys> => {
    const given = keys === undefined ? secret() : undefined
    const of = (use: string): Buffer =>
      createHmac('sha256', given ?? '')
        .update(use)
        .digest()
    return (keys ??= { cipher: of('sealed value'), iv: of('iv of a sealed value') })
  }
  return {
    seal(value) {
      const { cipher, iv } = derived()
      const text = canonicalJson(value)
      // The vector is made of the text, so it repeats only with the same text.
      const vector = createHmac('sha256', iv).update(text).digest().subarray(0, IV)
      const encrypted = createCipheriv('aes-256-gcm', cipher, vector)
      const body = Buffer.concat([encrypted.update(text, 'utf8'), encrypted.final()])
      return `‹sealed ${Buffer.concat([vector, encrypted.getAuthTag(), body]).toString('base64url')}›`
    },
    open(text) {
      if (!isSealed(text)) return undefined
      const bytes = Buffer.from(text.slice('‹sealed '.length, -1), 'base64url')
      const decrypted = createDecipheriv('aes-256-gcm', derived().cipher, bytes.subarray(0, IV))
      decrypted.setAuthTag(bytes.subarray(IV, IV + TAG))
      try {
        const body = Buffer.concat([decrypted.update(bytes.subarray(IV + TAG)), decrypted.final()])
        return JSON.parse(body.toString('utf8')) as Json
      } catch {
        return undefined
      }
    },
  }
}
