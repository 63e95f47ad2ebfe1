import { describe, expect, it } from 'vitest'
import { completed, faultsOf, missingEntries, systemOf } from '../../../../scripts/lock.ts'

const LOCK = {
  packages: {
    'node_modules/lint': {
      version: '1.2.0',
      dev: true,
      optionalDependencies: { '@lint/darwin-arm64': '1.2.0', '@lint/linux-x64': '1.2.0' },
    },
    'node_modules/@lint/linux-x64': { version: '1.2.0', dev: true, optional: true },
  },
}

describe('lock file', () => {
  it('gets the binaries of other systems that npm left out', () => {
    expect(missingEntries(LOCK)).toEqual({
      'node_modules/@lint/darwin-arm64': { version: '1.2.0', os: ['darwin'], cpu: ['arm64'], dev: true, optional: true },
    })
    expect(Object.keys(completed(LOCK).packages)).toEqual([
      'node_modules/@lint/darwin-arm64',
      'node_modules/@lint/linux-x64',
      'node_modules/lint',
    ])
    expect(faultsOf(completed(LOCK))).toEqual([])
  })

  it('finds a package beside the one that names it', () => {
    const nested = { 'node_modules/a/node_modules/b': { optionalDependencies: { c: '1.0.0' } }, 'node_modules/a/node_modules/c': {} }
    expect(missingEntries({ packages: nested })).toEqual({})
  })

  it('has no address of a registry', () => {
    const packages = {
      'node_modules/a': { resolved: 'https://registry.example/a.tgz' },
      'node_modules/b': { resolved: 'packages/b', link: true },
    }
    expect(faultsOf({ packages })).toEqual(['node_modules/a has a registry address'])
  })

  it.each([
    ['@oxlint/binding-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
    ['@oxlint/binding-linux-x64-gnu', { os: ['linux'], cpu: ['x64'], libc: ['glibc'] }],
    ['@oxlint/binding-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
    ['@biomejs/cli-darwin-x64', { os: ['darwin'], cpu: ['x64'] }],
    ['fsevents', {}],
  ])('knows the system of %s', (name, system) => {
    expect(systemOf(name)).toEqual(system)
  })
})
