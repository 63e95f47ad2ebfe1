import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtExports, PACKAGE, sourceExports, withExports } from '../../../../scripts/exports.ts'
import { publishedManifest } from '../../../../scripts/pack.ts'

describe('export map', () => {
  it('has the doors whose rooms exist, in their order', () => {
    const rooms = ['./src/index.ts', './src/store/index.ts', './src/kernel/index.ts', './src/cli/index.ts']
    expect(Object.entries(sourceExports((file) => rooms.includes(file)))).toEqual([
      ['.', './src/index.ts'],
      ['./kernel', './src/kernel/index.ts'],
      ['./store', './src/store/index.ts'],
    ])
  })

  it('leads into dist once built', () => {
    expect(builtExports({ './kernel': './src/kernel/index.ts' })).toEqual({
      './kernel': { types: './dist/kernel/index.d.ts', default: './dist/kernel/index.js' },
    })
  })

  it('keeps the rest of the manifest as it was', () => {
    expect(withExports('{ "name": "a", "exports": {}, "bin": "b" }', { '.': './src/index.ts' })).toBe(
      '{\n  "name": "a",\n  "exports": {\n    ".": "./src/index.ts"\n  },\n  "bin": "b"\n}\n',
    )
  })

  it('is up to date', () => {
    const manifest = readFileSync(resolve(PACKAGE, 'package.json'), 'utf8')
    expect(manifest).toBe(
      withExports(
        manifest,
        sourceExports((file) => existsSync(resolve(PACKAGE, file))),
      ),
    )
  })

  it('is published with the floor of Node and without the workshop', () => {
    const manifest = publishedManifest({ name: 'reflex', exports: {}, devDependencies: { vitest: '4' } }, ['bin', 'dist'])
    expect(manifest).toMatchObject({ name: 'reflex', files: ['bin', 'dist'], engines: { node: '>=22.13' } })
    expect(manifest).not.toHaveProperty('devDependencies')
  })
})
