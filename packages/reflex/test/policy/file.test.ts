import { describe, expect, it } from 'vitest'
import type { FaultData } from '../../src/kernel/index.ts'
import { readPolicy } from '../../src/policy/index.ts'

function refused(text: string): FaultData {
  try {
    readPolicy(text, 'my.policy.json')
  } catch (thrown) {
    return thrown as FaultData
  }
  throw new Error('nothing was refused')
}

describe('a policy file', () => {
  it('allows and denies', () => {
    expect(readPolicy('\ufeff{"$schema": "x", "allow": ["arbor://fs/read/srv/**"], "deny": []}', 'a.json')).toEqual({
      file: 'a.json',
      allow: ['arbor://fs/read/srv/**'],
      deny: [],
    })
    expect(readPolicy('{}')).toEqual({ file: undefined, allow: [], deny: [] })
  })

  it.each([
    ['{"allow": [],}', { code: 'R3010', line: 1, column: 14 }],
    ['', { code: 'R3010' }],
    ['[]', { code: 'R3011' }],
    ['{"alow": []}', { code: 'R3011', path: 'alow' }],
    ['{"allow": "arbor://a"}', { code: 'R3011', path: 'allow' }],
    ['{"allow": [1]}', { code: 'R3012', path: 'allow[0]' }],
    ['{"allow": ["arbor://a", "fs/read"]}', { code: 'R3012', path: 'allow[1]' }],
    ['{"deny": ["arbor://a/*.md"]}', { code: 'R3012', path: 'deny[0]' }],
    ['{"deny": ["arbor://a/../b"]}', { code: 'R3012' }],
    ['{"deny": ["arbor://a/"]}', { code: 'R3012' }],
  ])('%s is refused', (text, fault) => {
    expect(refused(text)).toMatchObject({ ...fault, file: 'my.policy.json' })
  })
})
