import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/store/index.ts'
import { virtualHost, type VirtualHost } from '../../src/testing/index.ts'
import { reflex, workFolder, type WorldOptions } from './worlds.ts'

const DAY = 24 * 60 * 60 * 1000

interface Place {
  readonly folder: string
  readonly host: VirtualHost
  readonly world: WorldOptions
  /** Makes a folder of a run, as old as it says. */
  readonly runFolder: (run: string, age?: number) => string
}

/** A work folder with runs that ended and one that waits. */
async function ranIn(more: Partial<WorldOptions> = {}): Promise<Place> {
  const folder = workFolder()
  const host = virtualHost()
  const world = { folder, host, ...more }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-1aaa', '--answers', 'auto'], world)
  await reflex(['run', 'refund.workflow.json', '--id', 'lark-2bbb', '--answers', 'none'], world)
  const runFolder = (run: string, age = 0): string => {
    const path = join(folder, '.reflex', 'runs', run)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'note.txt'), 'x')
    const at = new Date(host.now() - age)
    for (const one of [join(path, 'note.txt'), path]) utimesSync(one, at, at)
    return path
  }
  return { folder, host, world, runFolder }
}

async function swept(world: WorldOptions, ...argv: string[]): Promise<Record<string, unknown>> {
  const { code, out } = await reflex(['gc', ...argv, '--json'], world)
  return { code, ...(JSON.parse(out) as object) }
}

async function ids(world: WorldOptions): Promise<string[]> {
  return (JSON.parse((await reflex(['runs', '--json'], world)).out) as { runs: { id: string }[] }).runs.map(({ id }) => id).sort()
}

describe('reflex gc', () => {
  test('keeps everything that a run needs, and removes no run without --keep', async () => {
    const { world, host } = await ranIn()
    await host.advance(400 * DAY)
    expect(await swept(world)).toEqual({
      code: 0,
      v: 1,
      dry: false,
      runs: [],
      programs: [],
      blobs: [],
      entries: 0,
      folders: [],
      packed: { segments: 0, saved: 0, left: 0 },
      warnings: [],
    })
    expect(await ids(world)).toEqual(['lark-2bbb', 'otter-1aaa'])
  })

  test('removes replaced values from ledgers that state how long they keep them', async () => {
    const { world, host, folder } = await ranIn()
    const store = openSqlite(join(folder, '.reflex', 'reflex.db'))
    for (const value of [1, 2, 3]) await store.appendAll('facts', `k${value}`, [{ name: 'x', value }], host.now(), { keep: DAY })
    await store.close()
    expect((await swept(world)).entries).toBe(0)
    await host.advance(DAY)
    expect((await swept(world, '--dry-run')).entries).toBe(2)
    expect((await reflex(['gc'], world)).out).toContain('2 ledger values')
    expect((await swept(world)).entries).toBe(0)
  })

  test('with --keep removes only older ended runs, with their folders', async () => {
    const { world, host, runFolder } = await ranIn()
    const [old, open] = [runFolder('otter-1aaa'), runFolder('lark-2bbb')]
    await host.advance(30 * DAY)
    await reflex(['run', 'refund.workflow.json', '--id', 'newt-3ccc', '--answers', 'auto'], world)
    expect(await swept(world, '--keep', '31d')).toMatchObject({ runs: [], folders: [] })
    const dry = await swept(world, '--keep', '30d', '--dry-run')
    expect(dry).toMatchObject({ dry: true, runs: ['otter-1aaa'], folders: [old] })
    expect([await ids(world), existsSync(old)]).toEqual([['lark-2bbb', 'newt-3ccc', 'otter-1aaa'], true])
    expect(await swept(world, '--keep', '30d')).toEqual({ ...dry, dry: false })
    expect(await ids(world)).toEqual(['lark-2bbb', 'newt-3ccc'])
    expect([existsSync(old), existsSync(open)]).toEqual([false, true])
    expect((await reflex(['replay', 'lark'], world)).code).toBe(0)
  })

  test('with --keep 0s removes every ended run, and the programs that no other run uses', async () => {
    const { folder, world, host } = await ranIn()
    writeFileSync(
      join(folder, 'one.workflow.json'),
      JSON.stringify({ id: 'one', entry: 'a', nodes: { a: { id: 'a', spec: { writes: { x: 1 } } } }, edges: [] }),
    )
    await reflex(['run', 'one.workflow.json', '--id', 'one-1'], world)
    await host.advance(1)
    const { runs, programs } = await swept(world, '--keep', '0s')
    expect({ runs: (runs as string[]).sort(), programs: (programs as string[]).length }).toEqual({
      runs: ['one-1', 'otter-1aaa'],
      programs: 1,
    })
    expect((await reflex(['answer', 'lark', 'YES'], world)).code).toBe(0)
  })

  test('uses REFLEX_KEEP, which --keep overrides', async () => {
    const { world, host } = await ranIn({ environment: { REFLEX_KEEP: '2d' } })
    await host.advance(3 * DAY)
    expect(await swept(world, '--keep', '4d', '--dry-run')).toMatchObject({ runs: [] })
    expect(await swept(world)).toMatchObject({ runs: ['otter-1aaa'] })
  })

  test.each([['soon'], ['-3d'], ['3'], ['1y']])('--keep %s is refused, and nothing changes', async (keep) => {
    const { world } = await ranIn()
    const { code, err } = await reflex(['gc', `--keep=${keep}`], world)
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('R2031') as string })
    expect(await ids(world)).toHaveLength(2)
  })

  test('keeps folders of runs that its store does not know, because a server keeps its run folders there too', async () => {
    const { folder, host, world, runFolder } = await ranIn()
    const others = [runFolder('gone-1zzz', 90 * DAY), runFolder('lark-2bbb', 9 * DAY), runFolder('not a run', 90 * DAY)]
    const elsewhere = join(folder, 'mine')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(folder, '.reflex', 'runs', 'link-1zzz'))
    expect(await swept(world)).toMatchObject({ runs: [], folders: [] })
    await host.advance(1)
    expect(await swept(world, '--keep', '0s')).toMatchObject({ runs: ['otter-1aaa'], folders: [] })
    expect([...others, elsewhere].map((path) => existsSync(path))).toEqual([true, true, true, true])
  })

  test('keeps the folder of a removed run if somebody wrote to it afterwards', async () => {
    const { world, host, runFolder } = await ranIn()
    const used = runFolder('otter-1aaa')
    await host.advance(30 * DAY)
    runFolder('otter-1aaa', 2 * DAY)
    expect(await swept(world, '--keep', '7d')).toMatchObject({ runs: ['otter-1aaa'], folders: [] })
    expect(existsSync(join(used, 'note.txt'))).toBe(true)
  })

  test('completes the removal of folders after a crash', async () => {
    const { folder, world } = await ranIn()
    const aside = join(folder, '.reflex', 'runs', '.reflex-gone')
    mkdirSync(join(aside, 'run-abc', 'deep'), { recursive: true })
    expect(await swept(world, '--dry-run')).toMatchObject({ folders: [] })
    expect(existsSync(aside)).toBe(true)
    expect(await swept(world)).toMatchObject({ folders: [], warnings: [] })
    expect(existsSync(aside)).toBe(false)
  })

  test('leaves folders alone that lie beside a store of another name: they may be anybody’s', async () => {
    const { folder, host, world } = await ranIn()
    const other = ['--store', 'mine.db']
    await reflex(['run', 'refund.workflow.json', '--id', 'train', '--answers', 'auto', ...other], world)
    await reflex(['run', 'refund.workflow.json', '--id', 'otter-9zzz', '--answers', 'auto', ...other], world)
    const at = new Date(host.now())
    for (const name of ['train', 'otter-9zzz', 'results']) {
      mkdirSync(join(folder, 'runs', name), { recursive: true })
      utimesSync(join(folder, 'runs', name), at, at)
    }
    await host.advance(9 * DAY)
    expect(await swept(world, '--keep', '1d', ...other)).toMatchObject({ folders: [join(folder, 'runs', 'otter-9zzz')] })
    expect(readdirSync(join(folder, 'runs')).sort()).toEqual(['results', 'train'])
  })

  test('reports what it removed, and with --dry-run what it would remove', async () => {
    const { world, host, runFolder } = await ranIn()
    runFolder('otter-1aaa')
    await host.advance(2 * DAY)
    const seen = async (...argv: string[]): Promise<string> => (await reflex(['gc', ...argv], { ...world, columns: 80 })).screen
    expect(await seen()).toBe('nothing to remove\n  ended      reflex gc --keep 30d')
    expect(await seen('--keep', '1d', '--dry-run', '-v')).toBe(
      'would remove  1 run · 1 run folder\n  otter-1aaa\n  .reflex/runs/otter-1aaa',
    )
    expect(await seen('--keep', '1d')).toBe('removed  1 run · 1 run folder')
    expect(await seen('--keep', '1d')).toBe('nothing to remove')
  })

  test('creates no store', async () => {
    const folder = workFolder()
    expect((await reflex(['gc'], { folder })).code).toBe(0)
    expect(existsSync(join(folder, '.reflex', 'reflex.db'))).toBe(false)
  })
})
