import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { openSqlite } from '../../src/store/index.ts'
import { sealedCopy } from '../history/archive/sealed.ts'
import { reflex, workFolder, type WorldOptions } from './worlds.ts'

interface Place extends WorldOptions {
  readonly last: number
}

/** A work folder with the run `crane`, whose records 4 and 8 end segments. It asks. */
async function sealed(): Promise<Place> {
  const folder = workFolder()
  await reflex(['run', 'refund.workflow.json', '--id', 'otter', '--answers', 'none'], { folder })
  const store = openSqlite(join(folder, '.reflex', 'reflex.db'))
  const library = new Reflex({ store, workdir: folder })
  await sealedCopy(library, 'otter', store, 'crane', [4, 8])
  const { last } = await library.find('crane')
  await library.close()
  return { folder, last }
}

const json = async (argv: readonly string[], world: WorldOptions): Promise<Record<string, unknown>> =>
  JSON.parse((await reflex([...argv, '--json'], world)).out) as Record<string, unknown>

describe('a run with segments', () => {
  test('is listed and shown with them, and gc packs them', async () => {
    const { last, ...world } = await sealed()
    const listed = (await json(['runs'], world))['runs'] as { id: string; segments?: number }[]
    expect(Object.fromEntries(listed.map(({ id, segments }) => [id, segments]))).toEqual({ crane: 3, otter: undefined })
    expect((await reflex(['runs'], { ...world, columns: 100 })).out).toContain('segments')
    expect((await reflex(['show', 'crane'], { ...world, columns: 100 })).out).toContain('1 to 2 sealed, records 1 to 8')
    expect(await json(['gc', '--dry-run'], world)).toMatchObject({ packed: { segments: 2, saved: 0, left: 0 } })
    const { out } = await reflex(['gc'], world)
    expect(out).toMatch(/packed +2 segments · .* saved/)
    expect(await json(['gc'], world)).toMatchObject({ packed: { segments: 0, saved: 0, left: 0 } })
    expect((await reflex(['show', 'crane'], world)).out).toMatch(/^segment\t1\t1-4\tpacked\t$/m)
    expect(await json(['show', 'crane'], world)).toMatchObject({
      segments: [{ number: 1, first: 1, last: 4, place: 'packed' }, { place: 'packed' }, { place: 'open', last }],
    })
    expect(await json(['show', 'otter'], world)).not.toHaveProperty('segments')
  })

  test('moves its first records to an archive, and says in which one they are', async () => {
    const { last, ...world } = await sealed()
    const { folder } = world
    mkdirSync(join(folder, 'kept'))
    const { code, err } = await reflex(['export', 'crane', '--through', '1', '--forget', '-o', 'kept'], world)
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(
        /crane\.through-1\.run\.jsonl +written · 4 records.*\nforgotten +records 1 to 4 are only in this file\n$/s,
      ) as string,
    })
    const file = join(folder, 'kept', 'crane.through-1.run.jsonl')
    const hash = /"hash":"([0-9a-f]{64})"\}$/.exec(readFileSync(file, 'utf8').trim())?.[1] ?? ''
    const traced = await reflex(['trace', 'crane'], { ...world, columns: 200 })
    expect(traced.out.replaceAll(/\s+/g, ' ')).toContain(`records up to 4 are not in the store; they are in the archive ${hash}`)
    expect((await reflex(['trace', 'crane'], world)).err).toContain(hash)
    expect(await json(['trace', 'crane'], world)).toMatchObject({ from: 5, gone: { last: 4, archive: hash } })
    expect((await reflex(['trace', 'crane', '--jsonl'], world)).out.split('\n')[0]).toContain('"record":5,')
    expect((await reflex(['show', 'crane@2'], world)).err).toContain(hash)
    expect((await reflex(['show', 'crane'], { ...world, columns: 100 })).out).toContain(`1 in the archive ${hash.slice(0, 8)}`)
    // The only copy of these records is never replaced.
    const replaced = await reflex(['export', 'crane', '-o', file], world)
    expect(replaced).toMatchObject({ code: 3, err: expect.stringContaining('R5045') as string })
    const taken = await reflex(['import', file, '--id', 'wren'], { ...world, columns: 100 })
    expect(taken.screen).toMatch(/wren +refund · suspended · 4 records · a part of its run/)
    expect((await reflex(['show', 'wren@2'], world)).code).toBe(0)
    expect((await reflex(['answer', 'crane', 'approve'], world)).code).toBe(0)
    expect(last).toBeGreaterThan(8)
  })

  test('completes an export that ended before it could forget', async () => {
    const { last: _last, ...world } = await sealed()
    const file = join(world.folder, 'crane.jsonl')
    expect((await reflex(['export', 'crane', '--through', '2', '-o', 'crane.jsonl'], world)).code).toBe(0)
    const before = readFileSync(file, 'utf8')
    const done = await json(['export', 'crane', '--forget', '-o', 'crane.jsonl'], world)
    expect(done).toMatchObject({ forgotten: { through: 2, first: 1, last: 8 }, hash: expect.any(String) as string })
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect((await reflex(['export', 'crane', '--forget', '-o', 'more.jsonl'], world)).err).toContain('has no sealed segment to forget')
    // The state opens an archive of the rest, which names the archive of the records before.
    const rest = await reflex(['export', 'crane', '-o', 'rest.jsonl'], world)
    expect(rest.code).toBe(0)
    expect(readFileSync(join(world.folder, 'rest.jsonl'), 'utf8')).toContain(`"archive":"${String(done['hash'])}"`)
    const imported = await reflex(['import', 'rest.jsonl', '--id', 'wren'], { ...world, columns: 120 })
    expect(imported.out).toContain(`earlier ones in the archive ${String(done['hash']).slice(0, 8)}`)
  })

  test('is forked with all settled effects, and the fork says which of them it counts', async () => {
    const { last: _last, ...world } = await sealed()
    const kept = await reflex(['fork', 'otter', '--id', 'whole'], { ...world, columns: 120 })
    const [, all = ''] = /, (\d+) settled effects kept/.exec(kept.screen) ?? []
    expect(Number(all)).toBeGreaterThan(1)
    const { screen } = await reflex(['fork', 'crane', '--id', 'part'], { ...world, columns: 120 })
    const [, some = ''] = /, settled effects kept, (\d+) of them after record 8/.exec(screen) ?? []
    expect(Number(some)).toBeGreaterThan(0)
    expect(Number(some)).toBeLessThan(Number(all))
    expect(await json(['fork', 'crane'], world)).toMatchObject({ settled: Number(some), settledAfter: 8 })
    expect(await json(['fork', 'otter'], world)).toMatchObject({ settled: Number(all) })
    expect(await json(['fork', 'otter'], world)).not.toHaveProperty('settledAfter')
  })

  test('does not hide other runs when its segments are damaged', async () => {
    const { last: _last, ...world } = await sealed()
    const database = new DatabaseSync(join(world.folder, '.reflex', 'reflex.db'))
    database.exec('update segment set chain = chain + 1 where number = 1')
    database.close()
    const { code, out } = await reflex(['runs'], world)
    expect([code, out.includes('otter'), out.includes('crane')]).toEqual([0, true, true])
    expect((await reflex(['show', 'crane'], world)).err).toContain('R5003')
  })

  test('forgets nothing if the file holds something else', async () => {
    const { last: _last, ...world } = await sealed()
    writeFileSync(join(world.folder, 'other.jsonl'), '{}\n')
    const { code, err } = await reflex(['export', 'crane', '--through', '1', '--forget', '-o', 'other.jsonl'], world)
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('R2144') as string })
    expect(readFileSync(join(world.folder, 'other.jsonl'), 'utf8')).toBe('{}\n')
    expect(JSON.stringify(await json(['show', 'crane'], world))).not.toContain('gone')
    expect(readdirSync(world.folder).filter((name) => name.startsWith('.reflex-export'))).toEqual([])
  })

  test.each([
    [['export', 'crane', '--forget'], '--forget needs a file'],
    [['export', 'crane', '--through', '0', '-o', 'x'], '--through 0 is not the number of a segment'],
    [['export', 'crane', '--through', '3', '-o', 'x'], 'has no sealed segment 3; its last sealed segment is 2'],
    [['export', 'otter', '--forget', '-o', 'x'], 'otter has no sealed segment to forget'],
    [['export', 'otter', '--through', '1', '-o', 'x'], 'otter has no sealed segment 1; it was never sealed'],
    [['export', '--all', '--forget', '-o', 'x'], '--through and --forget are for one run'],
    [['trace', 'crane', '--from', 'x'], '--from x is not a whole number above 0'],
    [['trace', 'crane', '--tail', '2', '--from', '3'], 'either a first record or a number of records'],
  ])('%j reports the error', async (argv, message) => {
    const { last: _last, ...world } = await sealed()
    const { code, screen } = await reflex(argv, world)
    expect({ code: code > 0, screen: screen.replaceAll(/\s+/g, ' ') }).toEqual({
      code: true,
      screen: expect.stringContaining(message) as string,
    })
    expect(existsSync(join(world.folder, 'x'))).toBe(false)
  })
})
