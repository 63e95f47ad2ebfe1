import { expect, it } from 'vitest'
import { containsSecret, withoutSecrets } from '../../../../src/kinds/pipeline/engine/sanitization.ts'

const BODY = 'AbCdEf0123456789'

it.each([
  ['a key with a project in it', `sk-proj-${BODY}${BODY}`],
  ['a key with hyphens in it', `sk-ant-api03-${BODY}-${BODY}_${BODY}-xyzAA`],
  ['a key of short parts', `sk-${Array.from({ length: 6 }, () => 'aB3dE6gH9').join('-')}`],
  ['a signed token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${BODY}`],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${BODY}\n-----END RSA PRIVATE KEY-----`],
  ['a key of a cloud', 'AKIAIOSFODNN7EXAMPLE'],
])('takes out %s', (_, secret) => {
  expect(withoutSecrets(`before ${secret}, behind`)).toMatch(/^before ‹secret [0-9a-f]{4}›, behind$/)
})

it.each([
  'sk-a-name-with-many-short-words-in-it',
  'pk-one-two-three-four-five-six',
  'eyJhbGciOiJIUzI1NiJ9 is a head alone',
  'sk-'.repeat(1000),
])('leaves %s', (text) => {
  expect(containsSecret(text)).toBe(false)
})
