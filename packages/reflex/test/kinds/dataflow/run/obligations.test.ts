import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Reflex } from '../../../../src/app/reflex.ts'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { definePrimitive } from '../../../../src/kinds/dataflow/manifests/define-primitive.ts'
import type { Primitive } from '../../../../src/kinds/dataflow/model/primitive.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { COUNTER, COUNTER_ADAPTER, presses, READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from './graphs.ts'
import { reason, withoutCommands } from '../commands.ts'

interface World {
  readonly folder: string
  readonly graph: string
  readonly events: string
  readonly life: Reflex
}

/** A folder with a graph, its adapter, its host file and a file of events. */
function world(
  graph: JsonObject,
  adapter: JsonObject,
  events: readonly JsonObject[],
  { host = {}, primitives = [] }: { readonly host?: JsonObject; readonly primitives?: readonly Primitive[] } = {},
): World {
  const folder = newFolder()
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  write('it.adapter.json', JSON.stringify(adapter))
  write('it.host.json', JSON.stringify({ kind: 'host', ...host }))
  return {
    folder,
    graph: write('it.dataflow.json', JSON.stringify(graph)),
    events: write('events.jsonl', events.map((event) => `${JSON.stringify(event)}\n`).join('')),
    life: lifeIn(folder, { dataflow: { primitives } }),
  }
}

const LEDGER: JsonObject = {
  channels: { log: { type: 'ledger', ledger: 'heater' } },
  routes: { heater_command: { channel: 'log' } },
}

/** Returns the number of intents that a run has sent to its ledger. */
async function entries({ store }: Reflex): Promise<number> {
  return (await store.ledger('heater')).length
}

/** A compute that returns no output in its first call: the mechanical failure after which a supervisor retries. */
function failsFirst(failures: number): Primitive {
  let calls = 0
  return definePrimitive(
    {
      kind: 'compute',
      id: 'same',
      version: '1.0.0',
      inputs: [{ name: 'value', type: 'Number' }],
      outputs: [{ name: 'result', type: 'Number' }],
      parameters: [],
      execution: { deterministic: true, cadence: 'continuous' },
      state: { allowed: false },
      side_effects: false,
    },
    (({ value }: { value: number }) => (++calls <= failures ? {} : { result: value })) as never,
  )
}

/** The counter with a node that every pass evaluates after the action that writes. */
const COUNTER_WITH_SAME: JsonObject = {
  ...COUNTER,
  nodes: { ...(COUNTER.nodes as JsonObject), same: { impl: 'same@^1' } },
  edges: [...(COUNTER.edges as string[]), 'by.value -> same.value'],
  outputs: { ...(COUNTER.outputs as JsonObject), same: 'same.result' },
}

/** The thermostat with such a node. */
const THERMOSTAT_WITH_SAME: JsonObject = {
  ...THERMOSTAT,
  nodes: { ...(THERMOSTAT.nodes as JsonObject), same: { impl: 'same@^1' } },
  edges: [...(THERMOSTAT.edges as string[]), 'temp.value -> same.value'],
  outputs: { ...(THERMOSTAT.outputs as JsonObject), same: 'same.result' },
}

describe('a pass that fails mechanically', () => {
  // proves: dataflow 41, dataflow HST-4
  test('is repeated, and only the effects of the last attempt are realized', async () => {
    const { life, graph, events } = world(THERMOSTAT_WITH_SAME, THERMOSTAT_ADAPTER, READINGS, {
      host: { ...LEDGER, constraints: { max_retries: 2 } },
      primitives: [setHeater, failsFirst(2)],
    })
    const run = await life.run(graph, { dataflow: { source: events } })
    expect(run.value).toEqual({ events: 6, refused: 0, failed: 0, sent: { heater_command: 3 } })
    expect(await entries(life)).toBe(3)
  })

  // proves: dataflow SUP-6
  test('leaves nothing if no attempt is left, and the next event runs as if it had not been there', async () => {
    const { life, graph, events } = world(COUNTER_WITH_SAME, COUNTER_ADAPTER, presses(3), {
      host: { constraints: { max_retries: 1 } },
      primitives: [failsFirst(2)],
    })
    const run = await life.run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ events: 3, failed: 1 })
    expect(run.get('n')).toBe(2 + 3)
  })
})

describe('the effects of a pass', () => {
  // proves: dataflow 42, dataflow HST-7
  test('are realized once: a later pass, a process that continues the run and a replay realize none of them again', async () => {
    const { folder, life, graph } = world(THERMOSTAT, THERMOSTAT_ADAPTER, [], { host: LEDGER, primitives: [setHeater] })
    const [warm, cold, same, ...rest] = READINGS
    const run = await life.run(graph, { dataflow: { stays: true } })
    for (const event of [warm, cold, same]) await life.signal(run.id, 'event', event)
    await life.close()
    const again = lifeIn(folder, { dataflow: { primitives: [setHeater] } })
    expect(await entries(again)).toBe(1)
    for (const event of rest) await again.signal(run.id, 'event', event)
    const { handle } = await again.signal(run.id, 'event', null)
    await handle?.idle({ until: 'end' })
    expect(await again.replay(run.id)).toMatchObject({ result: 'equal' })
    expect(await entries(again)).toBe(3)
  })
})

describe('an action', () => {
  // proves: dataflow ACT-13
  test.each([[undefined], [{}], [{ writes: [], intents: [] }]])('with the effects %j asks for nothing', async (effects) => {
    const { folder, life, graph, events } = world(
      {
        ...COUNTER,
        nodes: { ...(COUNTER.nodes as JsonObject), idle: { impl: 'idle@^1' } },
        edges: [...(COUNTER.edges as string[]), 'gate.event -> idle.event'],
      },
      COUNTER_ADAPTER,
      presses(3),
    )
    const manifest = {
      kind: 'action',
      id: 'idle',
      version: '1.0.0',
      inputs: [{ name: 'event', type: 'Event' }],
      outputs: [{ name: 'outcome', type: 'Event' }],
      parameters: [],
      execution: { deterministic: true },
      state: { allowed: false },
      side_effects: true,
      effects,
    }
    writeFileSync(join(folder, 'idle.primitive.json'), JSON.stringify(manifest))
    const run = await life.run(graph, { dataflow: { source: events } })
    expect(run.value).toEqual({ events: 3, refused: 0, failed: 0, sent: {} })
    expect((await life.why(run.id, 'E0', 'idle')).text).toBe('ran because gate emitted')
  })
})

describe('a run of a graph', () => {
  // proves: dataflow RUN-CANON-1
  test('says where its events come from: without a source and without inputs it does not begin', async () => {
    const { life, graph } = world(COUNTER, COUNTER_ADAPTER, [])
    await expect(life.run(graph)).rejects.toMatchObject({
      code: 'R1337',
      rule: 'RUN-CANON-1',
      fix: 'add --events FILE for a file, --events - for standard input, --stays for events of other processes, or --input by=VALUE for a single event',
    })
    expect(await life.runs()).toEqual([])
    expect((await life.run(graph, { input: { by: 4 } })).value).toMatchObject({ count: 4 })
  })

  // proves: dataflow SUP-1
  test('keeps its graph: a change of the file reaches no event of it', async () => {
    const { folder, life, graph } = world(COUNTER, COUNTER_ADAPTER, [])
    const run = await life.run(graph, { dataflow: { stays: true } })
    await life.signal(run.id, 'event', presses(1)[0])
    await life.close()
    writeFileSync(graph, JSON.stringify({ ...COUNTER, nodes: { ...(COUNTER.nodes as JsonObject), next: { impl: 'multiply@^0.1' } } }))
    const again = lifeIn(folder)
    await again.signal(run.id, 'event', presses(2)[1])
    const { handle } = await again.signal(run.id, 'event', null)
    await handle?.idle({ until: 'end' })
    expect(handle?.get('n')).toBe(1 + 2)
  })

  // proves: dataflow RTHANDLE-ERRKIND-1
  test('does not begin if its graph breaks a rule: there is a finding and no run, so no pass has to fail for it', async () => {
    const broken = { ...COUNTER, nodes: { ...(COUNTER.nodes as JsonObject), next: { impl: 'ad@^0.1' } } }
    const { life, graph, events } = world(broken, COUNTER_ADAPTER, presses(2))
    await expect(life.run(graph, { dataflow: { source: events } })).rejects.toMatchObject({ code: 'R1320', rule: 'V.8' })
    expect(await life.runs()).toEqual([])
  })
})

describe('one path of events', () => {
  const DRIVER = `
    import { createInterface } from 'node:readline'
    import { readFileSync } from 'node:fs'
    const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n')
    say({ type: 'hello', protocol: 'reflex-ingress.v1' })
    for await (const _ of createInterface({ input: process.stdin })) {
      for (const line of readFileSync('events.jsonl', 'utf8').trim().split('\\n')) say({ type: 'event', event: JSON.parse(line) })
      say({ type: 'end' })
      process.exit(0)
    }
  `

  // proves: dataflow SDK-CANON-1, dataflow SDK-CANON-2
  test.skipIf(withoutCommands !== undefined)(
    `takes what a file, a process, and messages of a library bring: equal decisions, effects and context${reason}`,
    async () => {
      const [file, messages, driven] = [
        world(COUNTER, COUNTER_ADAPTER, presses(9)),
        world(COUNTER, COUNTER_ADAPTER, []),
        world(COUNTER, COUNTER_ADAPTER, presses(9), { host: { ingress: { type: 'process', command: ['node', 'driver.mjs'] } } }),
      ]
      writeFileSync(join(driven.folder, 'driver.mjs'), DRIVER)
      const read = await file.life.run(file.graph, { id: 'it', dataflow: { source: file.events } })
      await messages.life.run(messages.graph, { id: 'it', dataflow: { stays: true } })
      for (const event of [...presses(9), null]) await messages.life.signal('it', 'event', event)
      const told = await messages.life.run(messages.graph, { id: 'other', dataflow: { source: file.events } })
      const sent = await driven.life.run(driven.graph, { id: 'it' })
      expect(read.value).toMatchObject({ events: 9, refused: 0 })
      for (const run of [told, sent]) expect([run.value, run.get('n')]).toEqual([read.value, read.get('n')])
      const why = async ({ life }: World): Promise<unknown> => {
        const { text, from } = await life.why('it', 'E8', 'save')
        return [text, from.map(({ name, value }) => [name, value])]
      }
      expect(await why(messages)).toEqual(await why(file))
      expect(await why(driven)).toEqual(await why(file))
    },
  )

  // proves: dataflow SDK-CANON-3
  test('of registration: a primitive of a library obeys the rules that a file obeys', async () => {
    const twice = world(COUNTER, COUNTER_ADAPTER, presses(1), { primitives: [setHeater, setHeater] })
    await expect(twice.life.run(twice.graph, { dataflow: { source: twice.events } })).rejects.toMatchObject({ rule: 'ACT-18' })
    const manifest = { ...(setHeater.manifest as unknown as JsonObject), side_effects: false }
    const idle = world(COUNTER, COUNTER_ADAPTER, presses(1))
    writeFileSync(join(idle.folder, 'set_heater.primitive.json'), JSON.stringify(manifest))
    const library = world(COUNTER, COUNTER_ADAPTER, presses(1), {
      primitives: [definePrimitive(manifest as never, (() => 'Attempted') as never)],
    })
    await expect(library.life.run(library.graph, { dataflow: { source: library.events } })).rejects.toMatchObject({ rule: 'ACT-11' })
  })
})
