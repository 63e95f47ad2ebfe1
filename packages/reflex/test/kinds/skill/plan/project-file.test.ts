// proves: skill 137
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isFault, type Json } from '../../../../src/kernel/index.ts'
import { ProjectFile } from '../../../../src/kinds/skill/plan/project-file.ts'
import { newFolder } from '../../../app/folders.ts'
import { casesOf } from '../../../cases.ts'

/** What a folder says to its skills, or the fault of its file. */
async function read(folder: string): Promise<Json> {
  try {
    return (await new ProjectFile(folder).values()) as unknown as Json
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    const { code, message, line = null, column = null, fix = null, frame = null } = thrown
    return { code, message: message.replace(folder, '.'), line, column, fix, frame: frame?.split('\n') ?? null }
  }
}

function folderWith(text: string | Uint8Array): string {
  const folder = newFolder()
  writeFileSync(join(folder, 'skills.yaml'), text)
  return folder
}

describe('the file skills.yaml of a folder', () => {
  it.each(casesOf('skill/project').map((one) => [one.name, one] as const))('%s', async (name, one) => {
    const found = await read(one.folder)
    expect(Reflect.get(found as object, 'code')).toBe(name.startsWith('broken-') ? 'R1475' : undefined)
    await expect(`${JSON.stringify(found, null, 2)}\n`).toMatchFileSnapshot(one.path('expected.json'))
  })

  it('is read as its page shows it', async () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../../../../docs/kinds/skill-values.md'), 'utf8')
    const [, text = ''] = /```yaml\n([^`]*)```/.exec(page) ?? []
    expect(await read(folderWith(text))).toEqual({
      board: { ctx: { team: 'shop', repo: { name: 'site', default_branch: 'main' } }, env: { region: 'eu', version: '1.10' } },
      goalLabels: ['release'],
    })
  })

  it('is optional', async () => {
    expect(await read(newFolder())).toEqual({ board: {} })
  })

  it('has at most 64 KiB, as UTF-8, and is a file of the folder', async () => {
    const comment = `#${'x'.repeat(64 * 1024 - 2)}\n`
    expect(await read(folderWith(comment))).toEqual({ board: {} })
    expect(await read(folderWith(`${comment}\n`))).toMatchObject({
      code: 'R1475',
      message: 'skills.yaml has 65537 B; the limit is 65536 B',
    })
    expect(await read(folderWith(Uint8Array.of(0x61, 0xff)))).toMatchObject({ code: 'R1475', message: 'skills.yaml is not UTF-8' })
    const folder = newFolder()
    mkdirSync(join(folder, 'skills.yaml'))
    expect(await read(folder)).toMatchObject({ code: 'R1475', message: 'skills.yaml is not a file' })
    const linked = newFolder()
    symlinkSync(join(folderWith('ctx:\n  team: other\n'), 'skills.yaml'), join(linked, 'skills.yaml'))
    expect(JSON.stringify(await read(linked))).toContain('leads out of its folder')
  })

  it.each([
    ['lists', '['.repeat(5000)],
    ['mappings', '{a: '.repeat(5000)],
    ['items', '- '.repeat(5000)],
    ['questions', '? '.repeat(5000)],
    ['few lists', `ctx: {a: ${'['.repeat(20)}${']'.repeat(20)}}`],
    ['names', `ctx: ${Array.from({ length: 21 }, () => '{a: ').join('')}1${'}'.repeat(21)}`],
  ])('is refused if it nests %s too deeply', async (_, text) => {
    expect(await read(folderWith(text))).toMatchObject({ code: 'R1475', line: 1 })
  })

  it('is read again when it has changed', async () => {
    const folder = folderWith('ctx: { team: shop }\n')
    const file = new ProjectFile(folder)
    expect(await file.values()).toEqual({ board: { ctx: { team: 'shop' } } })
    writeFileSync(join(folder, 'skills.yaml'), 'ctx: { team: site }\n')
    expect(await file.values()).toEqual({ board: { ctx: { team: 'site' } } })
  })
})
