import { describe, expect, test } from 'vitest'
import { decodeBatch, type Json, type JsonObject, type Programs, replay, RunPrograms, State } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { type VirtualHost, virtualHost } from '../../src/testing/index.ts'
import { KINDS } from '../../src/app/kinds.ts'
import { newFolder } from '../app/folders.ts'
import { ticking } from './ticking.ts'
import { type Continuation, historyNames, portrait, readHistory, restore, type StoredHistory } from './history.ts'

/** The records of a history, and their fold. */
function folded({ batches, blobs }: StoredHistory) {
  const records = batches.flatMap(({ version, body }) => decodeBatch(version, body, (hash) => blobs.get(hash) ?? 'null'))
  const state = new State()
  for (const record of records) state.apply(record)
  return { records, state }
}

/** The kinds of this release, without programs. */
const { programs: kinds } = new Reflex({ store: memoryStore() }).runtime
for (const { name } of KINDS) await kinds.load(name)
kinds.addKind(ticking)

/** The programs that stand beside a history, and nothing else. */
function programsOf({ programs }: StoredHistory, { pins }: State): Programs {
  const known = kinds.copyKinds()
  for (const pin of pins) {
    const stored = programs.find(({ hash }) => hash === pin[3])
    if (stored === undefined) throw new Error(`${pin[0]} does not stand beside its history`)
    known.restore(pin, JSON.parse(stored.source) as Json)
  }
  return known
}

/** A process that has a history in its store. */
async function processWith(history: StoredHistory, { after = 0, tools = {} }: Partial<Continuation> = {}): Promise<Reflex> {
  const { state } = folded(history)
  const store = memoryStore()
  await restore(history, store, state, new RunPrograms(programsOf(history, state), state))
  const host = virtualHost({ at: history.end.time + after })
  const folder = newFolder()
  const worker = { id: 'now', host: 'now.example.org', pid: 1 }
  const reflex = new Reflex({
    store,
    workdir: folder,
    surroundings: { host, worker, cwd: folder, environment: {}, actor: 'bea' },
    tools: Object.entries(tools).map(([name, result]) => ({
      name,
      description: name,
      leaves: true,
      repeat: 'ask',
      run: () => result as JsonObject,
    })),
  })
  reflex.runtime.programs.addKind(ticking)
  return reflex
}

describe.each(historyNames())('the history %s', (name) => {
  const history = readHistory(name)

  test('folds to the state that it ended with', () => {
    expect(portrait(folded(history).state)).toEqual(history.end)
  })

  test('is decided again, record by record, on the programs beside it', () => {
    const { records, state } = folded(history)
    const again = replay(records, programsOf(history, state))
    expect(again.difference).toBeUndefined()
    expect(portrait(again.state)).toEqual(history.end)
  })

  test('is read from a store: replayed, told and shown', async () => {
    const reflex = await processWith(history)
    expect(await reflex.replay(history.run)).toMatchObject({ result: 'equal', records: history.end.records })
    // A kind without a view has no lines.
    expect((await reflex.trace(history.run)).lines.length).toBeGreaterThan(history.program[1] === ticking.name ? -1 : 1)
    expect((await reflex.show(history.run)).at).toBe(history.end.records)
  })

  const imported = history.archive.length === 0 ? undefined : test
  imported?.('is imported from its archive, with its segments', async () => {
    const reflex = new Reflex({ store: memoryStore(), workdir: newFolder() })
    reflex.runtime.programs.addKind(ticking)
    await reflex.import(history.archive)
    const { state } = await reflex.runtime.peek(history.run)
    expect(portrait(state)).toEqual(history.end)
    const segments = await reflex.store.segments(history.run)
    expect(segments.filter(({ sealed }) => sealed).map(({ last }) => last)).toEqual([...history.seals.keys()])
    await reflex.close()
  })

  test(history.then === undefined ? 'is final' : 'goes on where it was left', async () => {
    const { then } = history
    const reflex = await processWith(history, then)
    if (then === undefined) return expect(reflex.resume(history.run)).rejects.toMatchObject({ code: 'R2001' })
    const run = await reflex.resume(history.run)
    if (then.advance !== undefined) await (reflex.host as VirtualHost).advance(then.advance)
    await run.idle()
    for (const [question, answer] of then.answers) {
      await run.answer(await reflex.question(`${history.run}/${question}`), answer)
      await run.idle()
    }
    expect({ status: run.status, value: run.value }).toEqual({ status: then.status, value: 'value' in then ? then.value : run.value })
    expect(await reflex.replay(history.run)).toMatchObject({ result: 'equal' })
    await reflex.close()
  })
})

test('there are histories', () => {
  expect(historyNames().length).toBeGreaterThanOrEqual(13)
})
