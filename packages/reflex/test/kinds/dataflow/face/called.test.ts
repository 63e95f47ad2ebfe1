import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Reflex } from '../../../../src/app/reflex.ts'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'
import { reason, withoutCommands } from '../commands.ts'

interface World {
  readonly folder: string
  readonly life: Reflex
  readonly flow: string
}

/** Calls a graph with the temperature of its board, and takes the outcome. */
function caller(
  nodes: readonly string[] = ['thermostat'],
  inputs: readonly (readonly [from: string, to: string])[] = [['temp', 'temp']],
): object {
  const called = nodes.map((id) => ({
    id,
    spec: {},
    invokes: {
      workflowId: `dataflow:${id}`,
      inputMap: inputs.map(([from, to]) => ({ from, to })),
      returnMap: [{ parentKey: `${id} outcome`, childKey: 'outcome' }],
    },
  }))
  const all = [{ id: 'ask', spec: { ask: 'Go on?', options: [{ event: 'E0', label: 'Yes' }] } }, ...called]
  return {
    id: 'flow',
    entry: 'ask',
    nodes: Object.fromEntries(all.map((node) => [node.id, node])),
    edges: nodes.map((id, index) => ({ id: `e${index}`, from: all[index]?.id, to: id, event: `E${index}` })),
  }
}

function worldOf(files: Readonly<Record<string, unknown>>, flow: object = caller()): World {
  const folder = newFolder()
  const all = {
    'thermostat.dataflow.json': THERMOSTAT,
    'thermostat.adapter.json': THERMOSTAT_ADAPTER,
    'flow.workflow.json': flow,
    ...files,
  }
  for (const [name, value] of Object.entries(all))
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  const life = lifeIn(folder, { dataflow: { primitives: [setHeater] } })
  return { folder, life, flow: join(folder, 'flow.workflow.json') }
}

const ledger = (name = 'heater'): JsonObject => ({
  kind: 'host',
  channels: { out: { type: 'ledger', ledger: name } },
  routes: { heater_command: { channel: 'out' } },
})

/** Starts the workflow and answers its first question. Returns its id. */
async function ran({ life, flow }: World, input: JsonObject = { temp: 10 }): Promise<string> {
  const { id, questions } = await life.run(flow, { trust: 'trusted', input })
  const { handle } = await life.answer(questions[0]?.id ?? '', 'E0')
  await handle?.idle()
  return id
}

async function entries(life: Reflex, name = 'heater'): Promise<readonly unknown[]> {
  return (await life.store.ledger(name, 0)).map(({ value }) => value)
}

async function ending(life: Reflex, run: string): Promise<object | undefined> {
  return (await life.runtime.peek(run)).state.ended
}

/** Returns the failures of called programs. */
async function failures(life: Reflex, run: string): Promise<readonly unknown[]> {
  const { records } = await life.runtime.history(run)
  return records.flatMap(({ more }) => (more?.return?.[0] === 'failed' ? [more.return[1]] : []))
}

describe('a workflow that calls a graph with an intent', () => {
  test('sends it by the route of the host file beside the graph, and replays without sending', async () => {
    const world = worldOf({ 'thermostat.host.json': ledger() })
    const run = await ran(world)
    expect(await ending(world.life, run)).toMatchObject({ status: 'done' })
    expect(await entries(world.life)).toMatchObject([{ kind: 'heater_command', fields: { on: true, zone: 'hall' } }])
    expect((await world.life.replay(run)).result).toBe('equal')
    expect(await entries(world.life)).toHaveLength(1)
  })

  test.skipIf(withoutCommands !== undefined)(
    `sends it to a process; two graphs of one run have channels of their own under one name${reason}`,
    async () => {
      const channel = `
      import { appendFileSync } from 'node:fs'
      import { createInterface } from 'node:readline'
      const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n')
      say({ type: 'ready', protocol: 'reflex-egress.v1', handled_kinds: ['heater_command'] })
      for await (const line of createInterface({ input: process.stdin })) {
        const { type, intent_id } = JSON.parse(line)
        if (type === 'end') break
        appendFileSync(process.argv[2], intent_id + '\\n')
        say({ type: 'intent_ack', intent_id, status: 'accepted', acceptance: 'durable' })
      }`
      const host = (file: string): JsonObject => ({
        kind: 'host',
        channels: { hvac: { type: 'process', command: ['node', 'hvac.mjs', file] } },
        routes: { heater_command: { channel: 'hvac', keyed: true } },
      })
      const world = worldOf(
        {
          'hvac.mjs': channel,
          'thermostat.host.json': host('one.txt'),
          'other.dataflow.json': { ...THERMOSTAT, id: 'other' },
          'other.adapter.json': THERMOSTAT_ADAPTER,
          'other.host.json': host('two.txt'),
        },
        caller(['thermostat', 'other']),
      )
      expect(await ending(world.life, await ran(world))).toMatchObject({ status: 'done' })
      const [one, two] = ['one.txt', 'two.txt'].map((file) => readFileSync(join(world.folder, file), 'utf8').trim())
      expect(one).toMatch(/^eid1:sha256:[0-9a-f]{64}$/)
      expect(two).toMatch(/^eid1:sha256:[0-9a-f]{64}$/)
      expect(one).not.toBe(two)
    },
  )

  test('starts a program, which is loaded before the run begins, and has its own host file', async () => {
    const host = {
      kind: 'host',
      channels: { desk: { type: 'program', start: 'dataflow:second', map: { temp: 'temp' } } },
      routes: { heater_command: { channel: 'desk' } },
    }
    const second = {
      kind: 'host',
      channels: { note: { type: 'program', start: 'workflow:note', map: { zone: 'zone', on: 'on' } } },
      routes: { heater_command: { channel: 'note' } },
    }
    const note = { id: 'note', entry: 'n', nodes: { n: { id: 'n', spec: { writes: { noted: { from: 'zone' } } } } }, edges: [] }
    const world = worldOf({ 'thermostat.host.json': second, 'note.workflow.json': note })
    const run = await ran(world)
    const { state } = await world.life.runtime.peek(run)
    expect([state.ended?.status, state.pins.map(([name]) => name)]).toEqual([
      'done',
      ['workflow:flow', 'dataflow:thermostat', 'workflow:note'],
    ])
    expect((await world.life.replay(run)).result).toBe('equal')
    // A program that nothing can find: the run does not begin.
    writeFileSync(join(world.folder, 'thermostat.host.json'), JSON.stringify(host))
    await expect(world.life.start(world.flow, { input: { temp: 10 } })).rejects.toMatchObject({ code: 'R2010', path: 'dataflow:second' })
  })

  test('fails before the pass of the graph if no route takes the intent, and says what to write', async () => {
    const world = worldOf({})
    expect(await failures(world.life, await ran(world))).toMatchObject([
      { code: 'R1357', fix: expect.stringContaining('NAME.host.json') as unknown },
    ])
    expect(await entries(world.life)).toEqual([])
  })

  test('cannot give the graph routes: what it names _host is an input that the graph refuses', async () => {
    const evil = {
      ...ledger('evil'),
      dedupe: 'segment',
      constraints: {},
      routes: { heater_command: { channel: 'out', keyed: true, on_failure: 'fail', ack_timeout: 1 } },
    }
    for (const files of [{}, { 'thermostat.host.json': ledger() }]) {
      const world = worldOf(
        files,
        caller(
          ['thermostat'],
          [
            ['temp', 'temp'],
            ['evil', '_host'],
          ],
        ),
      )
      expect(await failures(world.life, await ran(world, { temp: 10, evil }))).toHaveLength(1)
      expect([await entries(world.life, 'evil'), await entries(world.life)]).toEqual([[], []])
    }
  })

  test('uses what the host file said when the run began, also after a restart', async () => {
    const world = worldOf({ 'thermostat.host.json': ledger() })
    const { id, questions } = await world.life.run(world.flow, { input: { temp: 10 } })
    await world.life.close()
    rmSync(join(world.folder, 'thermostat.host.json'))
    expect(existsSync(join(world.folder, 'thermostat.host.json'))).toBe(false)
    const life = lifeIn(world.folder, { dataflow: { primitives: [setHeater] } })
    const { handle } = await life.answer(questions[0]?.id ?? '', 'E0')
    await handle?.idle()
    expect(await ending(life, id)).toMatchObject({ status: 'done' })
    expect(await entries(life)).toHaveLength(1)
  })

  test('keeps the limits of the host file, and refuses one that does not fit before the run begins', async () => {
    const world = worldOf({ 'thermostat.host.json': { ...ledger(), constraints: { deadline: '0s' } } })
    await ran(world)
    expect(await entries(world.life)).toEqual([])
    writeFileSync(join(world.folder, 'thermostat.host.json'), JSON.stringify({ ...ledger(), routes: { heater: { channel: 'out' } } }))
    await expect(world.life.start(world.flow, { input: { temp: 10 } })).rejects.toMatchObject({ code: 'R1357' })
  })

  test('is forked and imported under another name with the ids of its intents', async () => {
    const world = worldOf({ 'thermostat.host.json': ledger() })
    const { life } = world
    const run = await ran(world)
    const lines: string[] = []
    for await (const line of life.export(run)) lines.push(line)
    const { row } = await life.import(lines, { id: 'elsewhere' })
    expect((await life.replay(row.id)).result).toBe('equal')
    const { last } = await life.find(run)
    const { id: fork } = await life.fork(`${run}@${last - 1}`, { id: 'fork' })
    expect((await life.replay(fork)).result).toBe('equal')
  })
})
