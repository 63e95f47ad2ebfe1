import { array, assert, constantFrom, nat, oneof, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { redaction, runRedaction, redactSecretShapes } from '../../src/policy/index.ts'

const BODY = 'AbCdEf0123456789'
const KEYS = [
  `sk-proj-${BODY}${BODY}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${BODY}`,
  `ghp_${BODY}${BODY}`,
  `github_pat_${BODY}_${BODY}`,
  `glpat-${BODY}-${BODY}`,
  'AKIAIOSFODNN7EXAMPLE',
  `xoxb-${BODY}`,
  `AIza${BODY}${BODY}abc`,
  `-----BEGIN RSA PRIVATE KEY-----\n${BODY}\n-----END RSA PRIVATE KEY-----`,
  `-----BEGIN OPENSSH PRIVATE KEY-----\\n${BODY}\\nProc-Type: 4,ENCRYPTED\\n`,
  `sk-${'a'.repeat(700)}`,
]
const KNOWN = ['hunter2hunter2', `postgres://ana:sk-${BODY}${BODY}@db/x`, 'sk-short-one']
/** Beginnings, ends and what stands between keys. */
const PIECES = [
  'sk-',
  'eyJ',
  'ghp_',
  '-----BEGIN ',
  'PRIVATE KEY-----',
  '-----END ',
  'AKIA',
  'x',
  '_',
  '-',
  '.',
  ' ',
  '"',
  '…',
  'hunter2',
  BODY,
]

const texts = array(oneof(constantFrom(...KEYS), constantFrom(...KNOWN), constantFrom(...PIECES), string({ maxLength: 4 })), {
  maxLength: 8,
})

/** A stream of a text in parts of these lengths. */
function streamed(text: string, lengths: readonly number[]): string {
  const stream = runRedaction(redaction(KNOWN)).input.stream?.()
  let [shown, at] = ['', 0]
  for (let i = 0; at < text.length; i++) {
    const end = at + 1 + (lengths[i % lengths.length] ?? 0)
    shown += (stream?.take(text.slice(at, end), false) as string | undefined) ?? ''
    at = end
  }
  return shown + ((stream?.end() as string | undefined) ?? '')
}

test.each(KEYS)('a key is taken out of a reply and of a stream: %s', (key) => {
  const text = `before ${key}, behind. (${key})`
  const reply = runRedaction(undefined).reply({ text })
  expect(JSON.stringify(reply)).not.toContain(BODY)
  expect((reply as { text: string }).text).toMatch(/^before ‹secret [0-9a-f]{4}›.*$/s)
  expect(streamed(text, [0])).toBe((reply as { text: string }).text)
})

test('a text in parts is redacted as the whole is, at any division into parts', () => {
  const whole = runRedaction(redaction(KNOWN)).reply
  assert(
    property(texts, array(nat(40), { minLength: 1, maxLength: 30 }), (pieces, lengths) => {
      const text = pieces.join('')
      expect(streamed(text, lengths)).toBe(whole(text))
    }),
    { numRuns: 2000 },
  )
})

test('what was redacted is not redacted again', () => {
  assert(
    property(texts, (pieces) => {
      const once = redactSecretShapes(pieces.join(''))
      expect(redactSecretShapes(once)).toBe(once)
    }),
  )
})

test.each(['eyJ', 'sk-aaaa', 'a.', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----'])(
  'of an endless text of %j little is held back',
  (piece) => {
    const stream = runRedaction(undefined).input.stream?.()
    for (let i = 0; i < 200; i++) stream?.take(piece.repeat(Math.ceil(1_000 / piece.length)), false)
    expect(((stream?.end() as string | undefined) ?? '').length).toBeLessThan(17_000)
  },
)

test('a key inside JSON leaves the JSON valid', () => {
  const objects = KEYS.map((key) => ({ a: key, b: `x ${key}`, list: [`${key}\n`, '-----END RSA PRIVATE KEY-----'] }))
  for (const object of objects) {
    const { text } = runRedaction(undefined).reply({ text: JSON.stringify(object) }) as { text: string }
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['a', 'b', 'list'])
    expect(text).not.toContain(BODY)
  }
})
