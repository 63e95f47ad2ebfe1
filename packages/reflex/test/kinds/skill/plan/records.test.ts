import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../../../../src/history/archive/import.ts'
import { isObject, type Json, type Rec, replay } from '../../../../src/kernel/index.ts'
import { recordSchema, skillNote, skillOutcome, turnInput } from '../../../../src/kinds/skill/face/record-schema.ts'
import { faults } from '../../../../src/kinds/skill/plan/faults.ts'
import { newFolder } from '../../../app/folders.ts'
import { activate, type ChatRequest, life, propose, RELEASE, ScriptedModel } from '../../../wrap/session/world.ts'
import { type Calls, manifestOf, noted, onDisk } from './hidden.ts'
import { AGENT, PlanWorld } from './world.ts'

/** The calls of tools in records: what was called, and by what. */
function callsIn(records: readonly Rec[]): unknown[] {
  return records.flatMap(({ requests = [] }) =>
    requests.flatMap(([port, args]) =>
      port.endsWith('tool') && isObject(args ?? null)
        ? [[(args as Record<string, Json>)['tool'], (args as Record<string, Json>)['via']]]
        : [],
    ),
  )
}

/** A turn of an agent that calls a tool, and whose model proposes a skill. */
async function turnOf({ reflex, store, host }: ReturnType<typeof life>): Promise<string> {
  await activate({ store, host }, RELEASE, ['set_tag'])
  const model = new ScriptedModel(propose({ tag: 'v1' }), 'done')
  const agent = reflex.wrap({
    agent: async (
      text: string,
      { llm, tools }: { llm: (request: ChatRequest) => Promise<unknown>; tools: { look: (what: object) => Promise<unknown> } },
    ) => {
      await tools.look({ at: 'v0' })
      return llm({ messages: [{ role: 'user', content: text }] })
    },
    tools: { set_tag: () => 'ok', look: async () => 'nothing' },
    llm: model.create,
  })
  let run = ''
  await agent.run('please release v1', { onStart: (id) => (run = id) })
  return run
}

describe('the records of a skill', () => {
  // proves: skill 114
  it('say of each call what has issued it', async () => {
    const there = life()
    const { records } = await there.reflex.runtime.history(await turnOf(there))
    expect(callsIn(records)).toEqual([
      ['look', 'agent'],
      ['set_tag', 'skill'],
    ])
    const world = new PlanWorld({ b: new Error('404'), verify: true })
    const source = { steps: [{ id: 'a' }, { id: 'b' }], undos: [{ id: 'undo-a', of: 'a' }] }
    const run = await world.start(source, AGENT)
    expect(callsIn((await world.world.runtime.history(run.id)).records)).toEqual([
      ['a', 'skill'],
      ['b', 'skill'],
      ['undo-a', 'compensation'],
    ])
    await world.start({ steps: [{ id: 'a' }], keyed: true, verify: true }, AGENT)
    const again = await world.start({ steps: [{ id: 'a' }], keyed: true, verify: true }, AGENT)
    expect(callsIn((await world.world.runtime.history(again.id)).records)).toEqual([['verify', 'verify']])
  })

  // proves: skill 116
  it('have a late result, and nothing uses it', async () => {
    const late = Promise.withResolvers<Json>()
    const world = new PlanWorld({ a: (() => late.promise) as never, 'undo-a': 'hangs' })
    const source = { steps: [{ id: 'a', timeout: 1000, capture: 'work.endpoint' }], undos: [{ id: 'undo-a', of: 'a', timeout: 5000 }] }
    const run = await world.startUntil('a', source, AGENT)
    await world.world.host.advance(1000)
    for (let turn = 0; turn < 1000 && !world.calls.includes('undo-a'); turn++) await new Promise(setImmediate)
    late.resolve('too late')
    await world.world.host.advance(5000)
    await run.idle()
    const { records } = await world.world.runtime.history(run.id)
    const notes = records.flatMap(({ input }) => (input?.[0] === 'kernel' && input[1] === 'late' ? [input[2]] : []))
    expect(notes).toMatchObject([{ port: 'tool', result: 'too late' }])
    expect(run.state.root.reader().get('work.endpoint')).toBeUndefined()
    expect(run.state.ended?.value).toMatchObject({ status: 'partial_failure', reason: 'timeout' })
  })

  // proves: skill 118-time
  it('end a plan whose time runs out between two tries of a step', async () => {
    const busy = faults.make('R1473', 'busy')
    const world = new PlanWorld({ a: busy })
    const run = await world.start({ steps: [{ id: 'a', free: true, retries: 3 }, { id: 'b' }], latency: 250 }, AGENT)
    for (const pause of [100, 200]) {
      await world.world.host.advance(pause)
      await run.idle()
    }
    expect(world.calls).toEqual(['a', 'a'])
    expect(run.state.ended?.value).toMatchObject({ status: 'failed', reason: 'budget_exceeded' })
  })

  // proves: skill 123
  it('have the undo of what was done before a denial began to hold', async () => {
    const calls: Calls = []
    let isFrozen = false
    const tools = [
      noted(calls, 'mail.login', () => ((isFrozen = true), { session: 's' })),
      noted(calls, 'mail.post', () => {
        throw new Error('the post is closed')
      }),
      noted(calls, 'mail.undo', () => null),
    ]
    const functions = [{ name: 'frozen', params: [], returns: 'boolean' as const, call: () => isFrozen }]
    const { reflex } = onDisk({ tools, secretOf: () => 'a long secret', skill: { functions } })
    const manifest = manifestOf({ policy: { deny_if: ['frozen()'] } })
    const run = await reflex.run(manifest, { input: { to: 'ana' }, skill: { draft: true } })
    expect(run.failure?.message).toContain('the post is closed')
    expect([run.failure?.code, calls.map(([tool]) => tool)]).toEqual(['R1472', ['mail.login', 'mail.post', 'mail.undo']])
    expect((await reflex.run(manifest, { input: { to: 'bob' }, skill: { draft: true } })).failure?.rule).toBe('policy.deny_if')
  })

  // proves: skill 141
  it('have notes, outcomes and inputs of agents that fit closed schemas', async () => {
    const there = life()
    const { records } = await there.reflex.runtime.history(await turnOf(there))
    const world = new PlanWorld({ b: new Error('404') })
    const others = []
    for (const source of [
      { steps: [{ id: 'a' }, { id: 'b' }] },
      { steps: [{ id: 'a' }], deny: true },
      { steps: [{ id: 'a' }], asks: 'app' },
    ]) {
      const run = await world.start(source, AGENT)
      others.push(...(await world.world.runtime.history(run.id)).records)
      expect(skillOutcome().parse(run.state.ended?.value)).toEqual(run.state.ended?.value)
    }
    const notes = [...records, ...others].flatMap(({ more }) => (more?.note === undefined ? [] : [more.note]))
    expect(notes.length).toBeGreaterThan(3)
    for (const note of notes) expect(skillNote().parse(note)).toEqual(note)
    const inputs = records.flatMap(({ input }) => (input?.[0] === 'host' ? [input[1]] : []))
    expect(inputs.length).toBeGreaterThan(2)
    for (const input of inputs) expect(turnInput().parse(input)).toEqual(input)
    const [decided] = notes.filter((note) => isObject(note) && isObject(note['decision']))
    const { decision } = decided as { readonly decision: object }
    expect(skillNote().safeParse({ decision: { ...decision, more: 1 } }).success).toBe(false)
    expect(JSON.stringify(recordSchema())).toContain('"additionalProperties":false')
  })

  // proves: skill 139
  it('lead to the same blackboard when they are replayed', async () => {
    const there = life()
    const { runtime } = there.reflex
    const run = await turnOf(there)
    const { records } = await runtime.history(run)
    const { state, difference } = replay(records, runtime.programs)
    const { state: again } = replay(JSON.parse(JSON.stringify(records)) as readonly Rec[], runtime.programs)
    expect(difference).toBeUndefined()
    expect(state.root.reader().snapshot()).toMatchObject({ 'work.url': 'https://x.test/v1' })
    expect(again.root.reader().snapshot()).toEqual(state.root.reader().snapshot())
  })

  // proves: skill 140
  it('have no gap, and a changed byte and a torn end of their archive are found', async () => {
    const there = life()
    const run = await turnOf(there)
    const lines: string[] = []
    for await (const line of there.reflex.export(run)) lines.push(line)
    const { records } = await there.reflex.runtime.history(run)
    const numbers = lines.flatMap((line) => (line.startsWith('{"record":') ? [(JSON.parse(line) as { record: number }).record] : []))
    expect(numbers).toEqual(records.map((_, i) => i + 1))
    const other = life()
    const refusal = async (changed: readonly string[]): Promise<unknown> =>
      other.reflex.import(changed, { id: 'copy' }).then(
        () => undefined,
        (thrown: unknown) => (thrown as { readonly code: string }).code,
      )
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at] ?? ''
      const middle = Math.floor(line.length / 2)
      const flipped = `${line.slice(0, middle)}${line[middle] === 'a' ? 'b' : 'a'}${line.slice(middle + 1)}`
      expect(await refusal(lines.with(at, flipped)), `line ${at}`).toMatch(/^R20[78]\d$/)
    }
    expect(await refusal([...lines.slice(0, -2), (lines.at(-2) ?? '').slice(0, 40)])).toBe('R2075')
  })

  // proves: skill 151
  it('are one span for a turn, with its calls and steps below it', async () => {
    const there = life()
    const run = await turnOf(there)
    const spans = await there.reflex.spans(run)
    const { trace } = await there.reflex.find(run)
    const roots = spans.filter(({ parent }) => parent === undefined)
    expect(roots.map(({ what, name }) => [what, name])).toEqual([['run', 'run turn:agent']])
    const names = spans.filter(({ parent }) => parent !== undefined).map(({ name }) => name)
    for (const name of ['wrap.model', 'wrap.tool', 'tool set', 'skills.admit']) expect(names.join('\n')).toContain(name)
    expect(new Set(spans.map((span) => span.trace))).toEqual(new Set([trace]))
    const ids = new Set(spans.map(({ id }) => id))
    expect(spans.every(({ parent }) => parent === undefined || ids.has(parent))).toBe(true)
  })

  // proves: skill 152
  it('have the same rows in tables of Parquet', async () => {
    const there = life()
    const run = await turnOf(there)
    const folder = newFolder()
    const jsonl = await there.reflex.exportTables(join(folder, 'out'))
    const parquet = await there.reflex.exportTables(join(folder, 'out'), 'parquet')
    const plain = (rows: unknown): unknown =>
      JSON.parse(JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)))
    for (const [i, { file, table }] of jsonl.entries()) {
      const rows: unknown[] = []
      for await (const line of linesOf(createReadStream(file))) rows.push(JSON.parse(line))
      expect(plain(await parquetReadObjects({ file: await asyncBufferFromFile(parquet[i]?.file ?? '') })), table).toEqual(plain(rows))
      if (table === 'records') expect(rows).toHaveLength((await there.reflex.runtime.history(run)).records.length)
    }
  })
})
