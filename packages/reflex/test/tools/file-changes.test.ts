import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesGlob } from '../../src/tools/index.ts'
import { callIn, folder, refusal, use, write } from './workshop.ts'

const saying = (text: string): unknown => expect.stringContaining(text)

describe('file.edit', () => {
  it('changes several files, one of them twice, and keeps their modes', async () => {
    const work = folder()
    chmodSync(write(join(work, 'a.sh'), 'one two'), 0o755)
    const edits = [
      { path: 'a.sh', old: 'one', new: 'three' },
      { path: 'a.sh', old: 'three', new: 'four' },
      { path: 'deep/new.txt', content: 'fresh' },
    ]
    expect(await use('file.edit', { edits, in: 'work' }, callIn(work))).toEqual({ files: ['a.sh', 'deep/new.txt'] })
    expect(readFileSync(join(work, 'a.sh'), 'utf8')).toBe('four two')
    expect(statSync(join(work, 'a.sh')).mode & 0o777).toBe(0o755)
    expect(readdirSync(work).sort()).toEqual(['a.sh', 'deep'])
  })

  it('changes nothing if one change does not fit, is not granted, or cannot be made', async () => {
    const work = folder()
    write(join(work, 'a'), 'a a')
    write(join(work, 'b'), 'b')
    mkdirSync(join(work, 'dir'))
    const first = { path: 'b', content: 'lost' }
    const refused = (edit: object) => refusal(() => use('file.edit', { edits: [first, edit as never], in: 'work' }, callIn(work)))
    expect(await refused({ path: 'a', old: 'a', new: 'x' })).toMatchObject({
      code: 'R4140',
      message: saying('more than once'),
    })
    expect(await refused({ path: 'a', old: 'c', new: 'x' })).toMatchObject({ code: 'R4140', message: saying('nowhere') })
    expect(await refused({ path: 'none', old: 'c', new: 'x' })).toMatchObject({ code: 'R4106' })
    expect(await refused({ path: '../out', content: 'x' })).toMatchObject({ code: 'R4105' })
    expect(await refused({ path: 'dir', content: 'x' })).toMatchObject({ code: 'R4107' })
    expect(await refused({ path: 'a' })).toMatchObject({ code: 'R4101' })
    expect(readFileSync(join(work, 'b'), 'utf8')).toBe('b')
    expect(readdirSync(work).sort()).toEqual(['a', 'b', 'dir'])
  })

  it('restores earlier changes if a later file cannot be replaced', async () => {
    const work = folder()
    write(join(work, 'a'), 'before')
    const call = callIn(work)
    // The folder takes the second file's name after its draft was written.
    const late = {
      ...call,
      allows: (need: string) => (
        need.includes('/z') && readdirSync(work).some((name) => name.endsWith('.tmp')) && mkdirLate(), call.allows(need)
      ),
    }
    const mkdirLate = (): void => void mkdirSync(join(work, 'z/inner'), { recursive: true })
    const edits = [
      { path: 'a', content: 'after' },
      { path: 'z', content: 'x' },
    ]
    expect(await refusal(() => use('file.edit', { edits, in: 'work' }, late))).toMatchObject({ code: 'R4107' })
    expect(readFileSync(join(work, 'a'), 'utf8')).toBe('before')
  })
})

describe('file.search', () => {
  it('finds lines in files with matching names, and skips binary files, links to outside, and skipped folders', async () => {
    const [work, outside] = [folder(), folder()]
    write(join(work, 'src/a.ts'), 'x\nNeedle here\n')
    write(join(work, 'src/b.md'), 'needle')
    write(join(work, 'bytes'), Uint8Array.of(0xff, 0x6e))
    write(join(work, 'node_modules/c.ts'), 'needle')
    write(join(outside, 'd.ts'), 'needle')
    symlinkSync(join(outside, 'd.ts'), join(work, 'link.ts'))
    const found = (args: object) => use('file.search', { pattern: 'needle', ...args }, callIn(work))
    expect(await found({ ignore_case: true })).toMatchObject({
      matches: [
        { path: 'src/a.ts', line: 2, text: 'Needle here' },
        { path: 'src/b.md', line: 1, text: 'needle' },
      ],
      truncated: false,
    })
    expect(await found({ glob: '*.ts' })).toMatchObject({ matches: [] })
    expect(await found({ ignore_case: true, limit: 1 })).toMatchObject({ matches: [{ path: 'src/a.ts' }], truncated: true })
    expect(await refusal(() => use('file.search', { pattern: '' }, callIn(work)))).toMatchObject({ code: 'R4101' })
  })
})

describe('a pattern for paths', () => {
  it('stands for steps and parts of steps', () => {
    const cases: [string, string, boolean][] = [
      ['*.ts', 'src/deep/a.ts', true],
      ['src/*.ts', 'src/a.ts', true],
      ['src/*.ts', 'src/deep/a.ts', false],
      ['src/**/*.ts', 'src/a.ts', true],
      ['src/**/*.ts', 'src/very/deep/a.ts', true],
      ['**', 'anything/at/all', true],
      ['a?c', 'abc', true],
      ['a?c', 'ac', false],
      ['.*', 'a/.env', true],
    ]
    for (const [pattern, path, expected] of cases) expect([pattern, path, matchesGlob(pattern, path)]).toEqual([pattern, path, expected])
  })

  it('fits every path that it was made from, and ends quickly on hostile ones', () => {
    const path = fc.array(fc.stringMatching(/^[a-z.]{1,5}$/), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(path, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), (steps, stars) => {
        expect(matchesGlob(`./${steps.map((step, i) => (stars[i] === true ? '*' : step)).join('/')}`, steps.join('/'))).toBe(true)
      }),
    )
    expect(matchesGlob('*a'.repeat(200), 'a'.repeat(199))).toBe(false)
  })
})
