import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reflex, workFolder, type WorldOptions } from './worlds.ts'

/** Two work folders, in the first of which a run asks. */
async function asked(): Promise<{ readonly here: WorldOptions; readonly there: WorldOptions; readonly file: string }> {
  const [here, there] = [{ folder: workFolder() }, { folder: workFolder() }]
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none'], here)
  return { here, there, file: join(here.folder, 'otter.run.jsonl') }
}

describe('reflex export and import', () => {
  test('carry a run to another store, where it is answered', async () => {
    const { here, there, file } = await asked()
    writeFileSync(join(here.folder, 'secret'), 'sesame\n')
    const written = await reflex(['export', 'otter', '-o', 'otter.run.jsonl', '--sign-secret-file', 'secret'], here)
    expect(written).toMatchObject({ code: 0, out: '' })
    expect(written.err).toMatch(/^otter\.run\.jsonl +written · \d+ records · .* · signed\n$/)
    expect(readdirSync(here.folder).filter((name) => name.endsWith('.part'))).toEqual([])
    const taken = await reflex(['import', file, '--secret-file', join(here.folder, 'secret')], there)
    expect(taken).toMatchObject({ code: 0 })
    expect(taken.out).toMatch(/^otter-2m9q +refund · suspended · \d+ records · signature checked\n$/)
    expect(taken.err).toContain('continue   reflex resume otter-2m9q')
    expect((await reflex(['replay', 'otter'], there)).code).toBe(0)
    expect((await reflex(['answer', 'otter', 'approve'], there)).code).toBe(0)
    expect((await reflex(['show', 'otter'], here)).out).toContain('approve')
  })

  test('use standard output and standard input', async () => {
    const { here, there } = await asked()
    const { out, err } = await reflex(['export', 'otter'], here)
    expect([err, out.split('\n').length > 8]).toEqual(['', true])
    expect(await reflex(['import', '-'], { ...there, input: out })).toMatchObject({ code: 0 })
    expect((await reflex(['export', 'otter'], there)).out).toBe(out)
  })

  test('export to a folder writes a file named after the run', async () => {
    const { here } = await asked()
    mkdirSync(join(here.folder, 'kept'))
    await reflex(['export', 'otter', '-o', 'kept'], here)
    expect(readdirSync(join(here.folder, 'kept'))).toEqual(['otter-2m9q.run.jsonl'])
  })

  test('import refuses a changed archive, names the line and stores nothing', async () => {
    const { here, there, file } = await asked()
    await reflex(['export', 'otter', '-o', 'otter.run.jsonl'], here)
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, lines.map((line) => (line.startsWith('{"record":3,') ? line.replace('84', '48') : line)).join('\n'))
    const { code, err } = await reflex(['import', file], there)
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error R2072.*otter\.run\.jsonl:\d+:1.*line \d+: record 3/s) as string,
    })
    expect((await reflex(['runs', '--json'], there)).out).toContain('"runs": []')
  })

  test('--id replaces a run name that is taken', async () => {
    const { here, file } = await asked()
    await reflex(['export', 'otter', '-o', file], here)
    const { code, err } = await reflex(['import', file], here)
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('choose another name with --id') as string })
    expect((await reflex(['import', file, '--id', 'heron-7k3p'], here)).code).toBe(0)
  })

  test('export --all writes the tables of a store', async () => {
    const { here } = await asked()
    for (const format of ['jsonl', 'parquet']) {
      const { code, err } = await reflex(['export', '--all', '--format', format, '-o', 'tables'], here)
      expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining(`tables/runs.${format}`) as string })
      expect(existsSync(join(here.folder, 'tables', `entries.${format}`))).toBe(true)
    }
  })

  test.each([
    [['export'], 'export needs a run, or --all'],
    [['export', 'otter', '--json'], 'both want standard output'],
    [['export', 'otter', '--format', 'jsonl'], '--format needs --all'],
    [['export', '--all'], '--all needs a folder'],
    [['export', '--all', '-o', 'x', '--format', 'csv'], 'write --format jsonl'],
    [['export', 'otter', '--all', '-o', 'x'], '--all exports every run'],
    [['import', 'nothing.run.jsonl'], 'there is no file nothing.run.jsonl'],
    [['import', '.'], 'is a folder'],
    [['export', 'otter', '--sign-secret-file', 'nothing'], 'nothing'],
  ])('%j reports the error', async (argv, message) => {
    const { here } = await asked()
    const { code, screen } = await reflex(argv, here)
    expect({ code, screen }).toMatchObject({ code: 2, screen: expect.stringContaining(message) as string })
  })
})
