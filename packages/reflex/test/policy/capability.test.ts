import { posix } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { covers, createPolicy, readCapability, readPattern } from '../../src/policy/index.ts'
import { callWith } from './settings.ts'
import { fsCapability } from '../../src/tools/index.ts'

const workdir = '/home/ana/project'
const policy = createPolicy({})
const call = callWith({ trust: 'trusted', workdir, folder: '/var/run/reflex/otter' })

const step = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    '%2e%2e',
    '%2E.',
    '..%2f',
    '%2f',
    '%5c',
    '*',
    '**',
    '%2A',
    'a',
    'b c',
    '~',
    '%00',
    '%',
    '{work}',
    'é',
    'home',
    'ana',
    'project',
  ),
  fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }),
)

it('grants no spelling of a path that, decoded and resolved, lies elsewhere', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), fc.boolean(), (steps, below) => {
      const text = `arbor://fs/read${below ? workdir : ''}/${steps.join('/')}`
      if (!policy.judgeCall(call, text).allowed) return
      const path = safeDecode(text.slice('arbor://fs/read'.length))
      const real = posix.resolve(path)
      expect(real === workdir || real.startsWith(`${workdir}/`)).toBe(true)
      expect(path).toBe(real)
    }),
    { numRuns: 3000 },
  )
})

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

it('understands every path as the tools write it, and as nothing else', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 10, unit: 'grapheme' })
    .filter((text) => !/[/\\\0]/.test(text) && text !== '.' && text !== '..' && text.isWellFormed())
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.array(name, { minLength: 1, maxLength: 6 }), (a, b) => {
      const one = readCapability(fsCapability('read', `/${a.join('/')}`))
      expect(one).toMatchObject({ steps: ['fs', 'read', ...a] })
      const pattern = readPattern(fsCapability('read', `/${b.join('/')}`))
      if ('problem' in one || 'problem' in pattern) throw new Error('unreadable')
      expect(covers(pattern, one)).toBe(a.join('/') === b.join('/'))
    }),
  )
})

// proves: pipeline 5.2c
it('matches a star with one step and two with the rest', () => {
  const matches = (pattern: string, text: string): boolean => {
    const read = readPattern(`arbor://${pattern}`)
    const need = readCapability(`arbor://${text}`)
    if ('problem' in read || 'problem' in need) throw new Error('unreadable')
    return covers(read, need)
  }
  expect(matches('a/*/c', 'a/b/c')).toBe(true)
  expect(matches('a/*/c', 'a/c')).toBe(false)
  expect(matches('a/*/c', 'a/b/b/c')).toBe(false)
  expect(matches('a/**', 'a')).toBe(true)
  expect(matches('a/**', 'a/b/c')).toBe(true)
  expect(matches('a/**', 'ab')).toBe(false)
  expect(matches('a/*/**', 'a')).toBe(false)
  expect(matches('a', 'a/b')).toBe(false)
  expect(matches('a/%2A', 'a/b')).toBe(false)
  expect(matches('a/%2A', 'a/%2a')).toBe(true)
  expect(matches('a/%62', 'a/b')).toBe(true)
})
