import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/store/index.ts'
import { reflex, start, workFolder, type WorldOptions } from '../../cli/worlds.ts'
import { longRun } from './lines.ts'

/** Creates two work folders; the first has a run with an open question. */
async function asked(): Promise<{ readonly here: WorldOptions; readonly there: WorldOptions }> {
  const [here, there] = [{ folder: workFolder() }, { folder: workFolder() }]
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none'], here)
  return { here, there }
}

const drafts = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith('.reflex-'))

describe('a secret in a file', () => {
  test('is used byte by byte, also if it is not text', async () => {
    const { here, there } = await asked()
    const [one, other] = [join(here.folder, 'one'), join(here.folder, 'other')]
    writeFileSync(one, Buffer.from([0x31, 0xff, 0x80, 0x32, 0x0a]))
    writeFileSync(other, Buffer.from([0x31, 0xfe, 0x81, 0x32, 0x0a]))
    await reflex(['export', 'otter', '-o', 'otter.run.jsonl', '--sign-secret-file', one], here)
    const file = join(here.folder, 'otter.run.jsonl')
    expect(await reflex(['import', file, '--secret-file', other], there)).toMatchObject({
      code: 1,
      err: expect.stringContaining('R2083') as string,
    })
    writeFileSync(one, Buffer.from([0x31, 0xff, 0x80, 0x32, 0x0d, 0x0a]))
    expect(await reflex(['import', file, '--secret-file', one], there)).toMatchObject({ code: 0 })
  })

  test.each(['', '\n', ' \r\n'])('that is %j is refused', async (text) => {
    const { here } = await asked()
    writeFileSync(join(here.folder, 'secret'), text)
    const { code, err } = await reflex(['export', 'otter', '-o', 'x', '--sign-secret-file', 'secret'], here)
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('secret contains no secret') as string })
  })
})

describe('an archive that is written', () => {
  test('goes to standard output with the name -, but not to a terminal', async () => {
    const { here } = await asked()
    const { out } = await reflex(['export', 'otter', '-o', '-'], here)
    expect([out.startsWith('{"archive":1,'), readdirSync(here.folder).includes('-')]).toEqual([true, false])
    const { code, screen } = await reflex(['export', 'otter'], { ...here, columns: 80 })
    expect({ code, screen }).toMatchObject({ code: 2, screen: expect.stringContaining('name a file with -o') as string })
  })

  test('goes to standard output unchanged, without the redaction of this machine', async () => {
    const { here, there } = await asked()
    const { out } = await reflex(['export', 'otter'], { ...here, environment: { SOME_TOKEN: 'workflow:refund' } })
    expect(out).toContain('workflow:refund')
    expect(await reflex(['import', '-'], { ...there, input: out })).toMatchObject({ code: 0 })
  })

  test('twice at the same time to one file is complete', async () => {
    const { here, there } = await asked()
    const codes = await Promise.all([1, 2, 3].map(async () => (await reflex(['export', 'otter', '-o', 'x.run.jsonl', '-q'], here)).code))
    expect([codes, drafts(here.folder)]).toEqual([[0, 0, 0], []])
    expect((await reflex(['import', join(here.folder, 'x.run.jsonl')], there)).code).toBe(0)
  })

  test('and is interrupted leaves the earlier file', async () => {
    const { here } = await asked()
    const store = openSqlite(join(here.folder, 'large.db'))
    await longRun(store, 'bear-1aaa', 40, 10, 500_000)
    await store.close()
    writeFileSync(join(here.folder, 'x.run.jsonl'), 'mine')
    const running = start(['export', 'bear', '-o', 'x.run.jsonl', '--store', join(here.folder, 'large.db')], here)
    while (drafts(here.folder).length === 0) await new Promise((done) => setImmediate(done))
    running.interrupt('SIGINT')
    expect((await running.ended).code).toBe(130)
    expect([readFileSync(join(here.folder, 'x.run.jsonl'), 'utf8'), drafts(here.folder)]).toEqual(['mine', []])
  })

  test('of a run with a name that leads out of the folder gets another file name', async () => {
    const { here } = await asked()
    const store = openSqlite(join(here.folder, 'foreign.db'))
    await longRun(store, '../out', 4, 1, 8)
    await store.close()
    mkdirSync(join(here.folder, 'kept'))
    const { code, err } = await reflex(['export', '../out', '-o', 'kept', '--store', join(here.folder, 'foreign.db')], here)
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('R2022') as string })
    expect(readdirSync(join(here.folder, 'kept'))).toEqual([])
    expect(readdirSync(here.folder).filter((name) => name.startsWith('out'))).toEqual([])
  })

  test('into a folder that does not exist is refused', async () => {
    const { here } = await asked()
    expect(await reflex(['export', 'otter', '-o', join('nowhere', 'x')], here)).toMatchObject({ code: 3 })
    rmSync(join(here.folder, 'refund.workflow.json'))
  })
})

test('an import says how the run can be continued', async () => {
  const { here, there } = await asked()
  const told = async (): Promise<string> => {
    await reflex(['export', 'otter', '-o', 'x.run.jsonl', '-q'], here)
    return (await reflex(['import', join(here.folder, 'x.run.jsonl')], { folder: workFolder() })).err
  }
  expect(await told()).toMatch(
    /^Nothing was performed; (the run continues when you resume it|a worker of this store will continue the run, because it is due), with/,
  )
  await reflex(['answer', 'otter', 'approve', '--no-run'], here)
  expect(await told()).toMatch(/^Nothing was performed; a worker of this store will continue the run, because it has messages/)
  expect(there.folder).not.toBe(here.folder)
})
