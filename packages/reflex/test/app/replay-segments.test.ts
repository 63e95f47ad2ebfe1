import { DatabaseSync } from 'node:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crc32 } from 'node:zlib'
import { isFault } from '../../src/kernel/index.ts'
import { KINDS } from '../../src/app/kinds.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import type { AnyKindModule, KindBody } from '../../src/programs/kind-module.ts'
import { reflex as command } from '../cli/worlds.ts'
import { chain, lifeIn, newFolder } from './folders.ts'

const RUN = 'otter-2m9q'

/** The same kinds, with segments of so many records. */
function sealing(endless: number): typeof KINDS {
  const sealed = (body: KindBody): KindBody => ({
    ...body,
    make: (world, options) => {
      const made = body.make(world, options)
      return { ...made, kind: { ...made.kind, endless } }
    },
  })
  return KINDS.map((module): AnyKindModule => {
    if (!('load' in module)) return module
    return { ...module, load: async () => sealed(await module.load()) }
  }) as unknown as typeof KINDS
}

/** A run of 40 nodes in segments, and its folder. */
async function ran(program = chain(40), size = 8): Promise<{ readonly reflex: Reflex; readonly folder: string; readonly file: string }> {
  const folder = newFolder()
  const file = join(folder, 'chain.workflow.json')
  writeFileSync(file, JSON.stringify(program))
  const reflex = lifeIn(folder, { kinds: sealing(size) })
  const run = await reflex.run(file, { id: RUN })
  await run.idle()
  return { reflex, folder, file }
}

async function faultOf(promise: Promise<unknown>): Promise<object> {
  try {
    await promise
  } catch (thrown) {
    if (isFault(thrown)) return { code: thrown.code, message: thrown.message, fix: thrown.fix }
    throw thrown
  }
  throw new Error('nothing was thrown')
}

/** Changes the snapshot after a record in the file of a store, with a checksum that fits. */
function forgeSnapshot(folder: string, at: number, change: (body: string) => string): void {
  const db = new DatabaseSync(join(folder, 'reflex.db'))
  const { body } = db.prepare('select body from snapshot where at = ?').get(at) as { body: string }
  const changed = change(body)
  db.prepare('update snapshot set body = ?, sum = ? where at = ?').run(changed, crc32([at, changed].join('\0')), at)
  db.close()
}

describe('a replay of a run with segments', () => {
  test('makes every decision again through all segments, and compares the state at each seal', async () => {
    const { reflex } = await ran()
    const segments = await reflex.store.segments(RUN)
    expect(segments.length).toBeGreaterThan(4)
    const { last } = await reflex.find(RUN)
    const sealed = segments.filter((segment) => segment.sealed).length
    expect(await reflex.replay(RUN)).toMatchObject({ result: 'equal', records: last, equal: last, snapshots: sealed })
    await reflex.store.pack(RUN, 2)
    expect(await reflex.replay(RUN)).toMatchObject({ result: 'equal', equal: last, snapshots: sealed })
  })

  test('replays one segment alone, from the state with which it begins', async () => {
    const { reflex, folder } = await ran()
    const segments = await reflex.store.segments(RUN)
    for (const { number, first, last, sealed } of segments) {
      const records = last - first + 1
      const expected = { result: 'equal', segment: number, records, equal: records, snapshots: sealed ? 1 : 0 }
      expect(await reflex.replay(RUN, { segment: number })).toMatchObject(expected)
    }
    const store = join(folder, 'reflex.db')
    const { code, out } = await command(['replay', RUN, '--segment', '3', '--store', store], { folder })
    const count = (segments[2]?.last ?? 0) - (segments[2]?.first ?? 0) + 1
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining(`otter-2m9q  segment 3 · ${count} of ${count} records equal`) as string,
    })
    const { out: json } = await command(['replay', RUN, '--segment', '3', '--store', store, '--json'], { folder })
    expect(JSON.parse(json)).toMatchObject({ run: RUN, segment: 3, records: count })
  })

  test('refuses a segment that the run does not have, or that is only in an archive', async () => {
    const { reflex, folder } = await ran()
    const { length } = await reflex.store.segments(RUN)
    for (const segment of [0, -1, 1.5, 99]) {
      const fix = `reflex replay ${RUN} --segment ${length}`
      expect(await faultOf(reflex.replay(RUN, { segment }))).toMatchObject({ code: 'R5048', fix })
    }
    const store = join(folder, 'reflex.db')
    for (const segment of ['two', '99'])
      expect((await command(['replay', RUN, '--segment', segment, '--store', store], { folder })).code).toBe(2)
    await reflex.store.pack(RUN, 1)
    await reflex.store.forget(RUN, 1, 'f00d')
    const gone = { code: 'R5054', message: expect.stringContaining('f00d') as string }
    expect(await faultOf(reflex.replay(RUN))).toMatchObject(gone)
    expect(await faultOf(reflex.replay(RUN, { segment: 1 }))).toMatchObject(gone)
    expect(await reflex.replay(RUN, { segment: 2 })).toMatchObject({ result: 'equal', segment: 2 })
  })

  test('finds a snapshot of a seal that is not what the records give, in the whole and in the segment that it ends', async () => {
    const { reflex, folder } = await ran()
    const segments = await reflex.store.segments(RUN)
    const at = segments[1]?.last ?? 0
    forgeSnapshot(folder, at, (body) => body.replace('value 3 of', 'value 4 of'))
    const found = { code: 'R5042', message: expect.stringContaining(`the snapshot after record ${at}`) as string }
    expect((await reflex.replay(RUN)).fault).toMatchObject(found)
    expect((await reflex.replay(RUN, { segment: 2 })).fault).toMatchObject(found)
    expect((await reflex.replay(RUN, { segment: 4 })).result).toBe('equal')
  })

  test('of a fork that began at a seal begins with its snapshot', async () => {
    const { reflex, file, folder } = await ran()
    const segments = await reflex.store.segments(RUN)
    const at = (segments[3]?.first ?? 0) + 2
    const forked = await reflex.fork(`${RUN}@${at}`, { id: 'newt-1abc' })
    const run = await reflex.resume(forked.id)
    await run.idle()
    expect(run.status).toBe('completed')
    const { last } = await reflex.find('newt-1abc')
    const records = last - (segments[3]?.opens ?? 0)
    expect(await reflex.replay('newt')).toMatchObject({ result: 'equal', records, equal: records })
    expect(await reflex.replay('newt', { segment: 1 })).toMatchObject({ result: 'equal', segment: 1 })

    writeFileSync(file, JSON.stringify(chain(40)).replaceAll('"e37"', '"other"'))
    const against = await reflex.replay('newt', { against: file })
    expect(against).toMatchObject({ result: 'differs', difference: { decided: { possible: false } } })
    const { code, out } = await command(['replay', 'newt', '--against', file, '--store', join(folder, 'reflex.db')], { folder })
    expect(code).toBe(1)
    expect(out).toContain(`${against.equal} records equal, record ${against.difference?.record} differs`)
  })

  test('whose first records are only in an archive is checked on a changed program from its last segment on', async () => {
    const { nodes, ...rest } = chain(40) as { nodes: Record<string, object> }
    const asks = { id: 'n38', spec: { ask: 'Go on?', options: [{ event: 'E38' }] } }
    const { reflex, file } = await ran({ ...rest, nodes: { ...nodes, n38: asks } }, 7)
    await reflex.store.pack(RUN, 1)
    await reflex.store.forget(RUN, 1, 'f00d')
    const segments = await reflex.store.segments(RUN)
    const outcomes = async (edge: string): Promise<unknown[]> => {
      writeFileSync(file, JSON.stringify({ ...rest, nodes: { ...nodes, n38: asks } }).replaceAll(`"${edge}"`, '"other"'))
      const found: unknown[] = []
      for await (const { outcome, replayed } of (await reflex.check()).runs()) found.push([outcome, replayed?.segment])
      return found
    }
    expect(await outcomes('e3')).toEqual([['equal', segments.length]])
    expect(await outcomes('e37')).toEqual([['breaks', segments.length]])
  })
})
