import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { redactSecretShapes, secretsIn } from '../../../policy/index.ts'

/** The mark that replaces a secret in a record: a value with a mark has lost its secret, and no plan can do anything with it. */
const MARK = /‹secret [0-9a-f]{4,16}›/

/** Returns true if a value has a text that looks like a secret: a key of a service, a signed token, a private key, a password in an address. */
export function holdsSecret(value: Json): boolean {
  if (typeof value === 'string') return isSecret(value)
  if (isList(value)) return value.some(holdsSecret)
  return isObject(value) && Object.entries(value).some(([key, inner]) => isSecret(key) || holdsSecret(inner))
}

function isSecret(text: string): boolean {
  return MARK.test(text) || redactSecretShapes(text) !== text || secretsIn({ value: text }).length > 0
}
