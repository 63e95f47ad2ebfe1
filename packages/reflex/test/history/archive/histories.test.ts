import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeBatch, type Json, type Rec, RunPrograms, State } from '../../../src/kernel/index.ts'
import type { Reflex } from '../../../src/app/reflex.ts'
import { withoutLocalSettings } from '../../../src/history/archive/change-start.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { lifeIn, newFolder } from '../../app/folders.ts'
import { historyNames, portrait, readHistory, restore } from '../../histories/history.ts'
import { ticking } from '../../histories/ticking.ts'
import { elsewhere, exported } from './lines.ts'

/** Opens a process with a history in its store. */
async function processWith(name: string): Promise<Reflex> {
  const history = readHistory(name)
  const store = memoryStore()
  const reflex = lifeIn(newFolder(), { store })
  reflex.runtime.programs.addKind(ticking)
  const state = new State()
  for (const { version, body } of history.batches)
    for (const record of decodeBatch(version, body, (hash) => history.blobs.get(hash) ?? 'null')) state.apply(record)
  const known = reflex.runtime.programs.copyKinds()
  for (const pin of state.pins) {
    await known.load(pin[1])
    known.restore(pin, JSON.parse(history.programs.find(({ hash }) => hash === pin[3])?.source ?? '{}') as Json)
  }
  await restore(history, store, state, new RunPrograms(known, state))
  return reflex
}

/** Returns a record without what an import adds: the record after which permissions count. */
function withoutLocal(record: Rec): Rec {
  const { more } = record
  return more?.start === undefined ? record : { ...record, more: { ...more, start: withoutLocalSettings(more.start, 0) } }
}

describe.each(historyNames())('the history %s', (name) => {
  const { run } = readHistory(name)

  test('is unchanged after an export and an import', async () => {
    const reflex = await processWith(name)
    const there = elsewhere(memoryStore())
    there.runtime.programs.addKind(ticking)
    await there.import(reflex.export(run))
    expect((await there.runtime.journal(run)).map(withoutLocal)).toEqual(await reflex.runtime.journal(run))
    expect(await exported(there, run)).toEqual(await exported(reflex, run))
    expect(await there.replay(run)).toMatchObject({ result: 'equal' })
  })

  test('has spans with unique ids, existing parents and times inside those of their parents', async () => {
    const reflex = await processWith(name)
    const spans = await reflex.spans(run)
    const byId = new Map(spans.map((span) => [span.id, span]))
    expect(byId.size).toBe(spans.length)
    expect(spans.filter(({ parent }) => parent === undefined).map(({ what }) => what)).toEqual(['run'])
    for (const { parent, start, end = Number.POSITIVE_INFINITY } of spans) {
      expect(end).toBeGreaterThanOrEqual(start)
      if (parent === undefined) continue
      const above = byId.get(parent)
      expect(above?.start).toBeLessThanOrEqual(start)
      if (Number.isFinite(end)) expect(above?.end ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(end)
    }
    const { state } = await reflex.runtime.peek(run)
    const open = spans.filter(({ end }) => end === undefined)
    expect(open.filter(({ what }) => what === 'wait')).toHaveLength(state.waits.size)
    expect(open.filter(({ what }) => what === 'effect')).toHaveLength([...state.pendingEffects()].length)
  })

  const sealed = readHistory(name).seals.size === 0 ? undefined : test
  sealed?.('is imported from an archive without its first segment', async () => {
    const reflex = await processWith(name)
    await reflex.forget(run, reflex.export(run, { through: 1 }), { through: 1 })
    const there = elsewhere(memoryStore())
    there.runtime.programs.addKind(ticking)
    await there.import(reflex.export(run))
    expect(portrait((await there.runtime.peek(run)).state)).toEqual(portrait((await reflex.runtime.peek(run)).state))
  })

  test('becomes tables', async () => {
    const reflex = await processWith(name)
    const folder = newFolder()
    const [runs, records] = await reflex.exportTables(folder)
    expect([runs?.rows, records?.rows, readdirSync(folder).length]).toEqual([1, (await reflex.find(run)).last, 4])
    expect(readdirSync(join(folder))).toContain('entries.jsonl')
  })
})
