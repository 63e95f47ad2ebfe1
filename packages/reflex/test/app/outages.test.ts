import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { postgresFaults } from '../../src/store/postgres/faults.ts'
import { defineTool } from '../../src/tools/index.ts'
import { failingStore } from '../store/failing-store.ts'
import { newFolder } from './folders.ts'

const NOTE_TWICE = `return BT.tree("walk", { root = BT.sequence({ BT.tool("note", { step = "1" }), BT.tool("note", { step = "2" }) }) })`

const SKILL = {
  schema: 'reflex.capability/1',
  id: 'round',
  version: '1.0.0',
  owner: 'writers',
  description: 'Notes two steps.',
  compat: {},
  signature: { inputs: [{ name: 'name', type: 'string', description: 'The name of its run' }], outputs: [] },
  preconditions: { tools_available: ['note'] },
  plan: {
    idempotence_key: 'round:{{name}}',
    budget: { max_latency_ms: 600_000 },
    steps: ['1', '2'].map((step) => ({ id: `s${step}`, tool: 'note', args: { step } })),
    compensation: 'none',
    irreversible_reason: 'A note does no harm.',
  },
  effects: { writes: [], external: ['created:note'] },
  activation: { keywords_any: ['round'], score_weights: { keyword_hit: 1 }, tau: 1 },
}

/** Where the store fails: the bookkeeping of a tool's call, before and after it, and the registry of skills. */
const PLACES = [
  ['walk.lua', 'labels are read', 'ledger', []],
  ['walk.lua', 'labels are written', 'append', []],
  ['round.skill.json', 'labels are read', 'ledger', []],
  ['round.skill.json', 'the registry is read', 'latest', []],
  ['round.skill.json', 'the registry is written', 'appendAll', []],
] as const

/** Starts the program, or continues its run if the outage came after its start. */
async function carryOn(reflex: Reflex, file: string): Promise<string> {
  const isThere = (await reflex.store.runs()).length > 0
  const options = { id: 'otter', ...(file === 'walk.lua' ? {} : { input: { name: 'otter' }, skill: { draft: true } }) }
  const handle = isThere ? await reflex.resume('otter') : await reflex.start(join(reflex.workdir, file), options)
  await handle.idle({ until: 'end' })
  return handle.status
}

it.each(PLACES)('%s: an outage while %s is not the outcome of an effect', async (file, _, method) => {
  // The store fails from its first call on, then from its second one, until the run has ended before.
  for (let first = 1, isOver = false; !isOver; first++) {
    const workdir = newFolder()
    writeFileSync(join(workdir, 'walk.lua'), NOTE_TWICE)
    writeFileSync(join(workdir, 'round.skill.json'), JSON.stringify(SKILL))
    let calls = 0
    const lost = () => postgresFaults.make('R5069', 'lost')
    const { store, mend } = failingStore(memoryStore(), method, lost, { isHit: () => ++calls >= first })
    const keys = new Set<string>()
    const run = (_args: unknown, { key }: { readonly key: string }) => (keys.add(key), {})
    const note = defineTool({ name: 'note', description: 'Notes.', leaves: true, repeat: 'keyed', needs: () => [], run })
    const reflex = new Reflex({ store, workdir, tools: [note] })
    onTestFinished(() => reflex.close())
    const outcome = await carryOn(reflex, file).catch((thrown: unknown) => thrown)
    isOver = calls < first
    expect(outcome).toEqual(isOver ? 'completed' : expect.objectContaining({ code: 'R5069' }))
    mend()
    if (!isOver) expect(await carryOn(reflex, file)).toBe('completed')
    expect(keys.size).toBe(2)
    expect(first).toBeLessThan(100)
  }
})
