import { describe, expect, it } from 'vitest'
import type { FaultData } from '../../src/kernel/index.ts'
import { readPolicy } from '../../src/policy/index.ts'

const containing = (text: string): unknown => expect.stringContaining(text)

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
    expect(readPolicy('{"roots": ["deploy"], "deny": ["arbor://deploy/prod"]}')).toMatchObject({ roots: ['deploy'] })
    expect(readPolicy('{}')).toEqual({ file: undefined, allow: [], deny: [] })
  })

  it.each([
    ['{"allow": [],}', { code: 'R3010', line: 1, column: 14 }],
    ['', { code: 'R3010' }],
    ['[]', { code: 'R3011' }],
    ['{"alow": []}', { code: 'R3011', path: 'alow' }],
    ['{"allow": "arbor://a"}', { code: 'R3011', path: 'allow' }],
    ['{"allow": [1]}', { code: 'R3012', path: 'allow[0]' }],
    ['{"allow": ["arbor://memory", "fs/read"]}', { code: 'R3012', path: 'allow[1]' }],
    ['{"deny": ["arbor://memory/*.md"]}', { code: 'R3012', path: 'deny[0]' }],
    ['{"deny": ["arbor://memory/../b"]}', { code: 'R3012' }],
    ['{"deny": ["arbor://memory/"]}', { code: 'R3012' }],
    ['{"deny": ["arbor://net/**"], "d\\u0065ny": []}', { code: 'R3011' }],
    ['{"allow": [{"capability": "arbor://net/a", "max_uses": 1, "max_uses": 9}]}', { code: 'R3011' }],
    ['{"roots": "deploy"}', { code: 'R3011', path: 'roots' }],
    ['{"roots": ["De/ploy"]}', { code: 'R3011', path: 'roots' }],
  ])('%s is refused', (text, fault) => {
    expect(refused(text)).toMatchObject({ ...fault, file: 'my.policy.json' })
  })

  it.each([
    ['a root that nothing asks about', 'arbor://nett/example.org'],
    ['a root of a tool that the file does not name', 'arbor://deploy/prod'],
    ['a file that is neither read nor written', 'arbor://fs/reed/srv/**'],
    ['a file that is neither read, written nor left to run', 'arbor://fs/run/srv/**'],
    ['a host with a port', 'arbor://net/example.org:8080'],
    ['a host with a path', 'arbor://net/example.org/orders'],
    ['a name that is no host', 'arbor://net/exa%20mple.org'],
    ['an address in brackets with a port', 'arbor://net/[::1]:80'],
    ['no host', 'arbor://net'],
    ['a tool with a step behind it', 'arbor://tool/file/write'],
    ['a shell that does something else', 'arbor://shell/run'],
    ['a folder where a root belongs', 'arbor://{work}/**'],
  ])('refuses a rule that can never match: %s', (_, rule) => {
    for (const text of [{ deny: [rule] }, { allow: [rule] }, { ask: [rule] }, { allow: [{ capability: rule, max_uses: 1 }] }])
      expect(refused(JSON.stringify(text)).code, JSON.stringify(text)).toBe('R3012')
  })

  it('sets the limits of a command', () => {
    const commands = (text: string): unknown => readPolicy(`{"commands": ${text}}`).commands
    expect(commands('{"memory": "512 MiB", "processes": 64}')).toEqual({ memory: 512 * 2 ** 20, processes: 64 })
    expect([commands('{"memory": "2GiB"}'), commands('{}')]).toEqual([{ memory: 2 ** 31 }, {}])
  })

  it.each([
    '1',
    '{"memory": 1}',
    '{"memory": "1 KiB"}',
    '{"memory": "many"}',
    '{"memory": "999999999999 GiB"}',
    '{"processes": 0}',
    '{"processes": 1.5}',
    '{"time": 1}',
  ])('refuses %s for what a command may use', (text) => {
    expect(refused(`{"commands": ${text}}`)).toMatchObject({ code: 'R3011', path: containing('commands') })
  })
})
