import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Reflex } from '../../../../src/app/reflex.ts'
import type { RunHandle } from '../../../../src/runs/handle.ts'
import { type Json, type JsonObject, topOf } from '../../../../src/kernel/index.ts'
import { writeAdapter } from '../../../../src/kinds/dataflow/adapter/write-adapter.ts'
import { readPosition } from '../../../../src/kinds/dataflow/run/position.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { reflex as command } from '../../../cli/worlds.ts'
import { graphOf } from '../compile.ts'
import { randomContext, randomDocument } from '../random-graph.ts'
import { COUNTER, COUNTER_ADAPTER, presses, READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'
import { reason, withoutCommands } from '../commands.ts'

interface World {
  readonly folder: string
  readonly life: Reflex
  readonly graph: string
}

function worldOf(graph: JsonObject, adapter: JsonObject, host: JsonObject = {}): World {
  const folder = newFolder()
  writeFileSync(join(folder, 'it.adapter.json'), JSON.stringify(adapter))
  writeFileSync(join(folder, 'it.host.json'), JSON.stringify({ kind: 'host', ...host }))
  writeFileSync(join(folder, 'it.dataflow.json'), JSON.stringify(graph))
  return { folder, life: lifeIn(folder, { dataflow: { primitives: [setHeater] } }), graph: join(folder, 'it.dataflow.json') }
}

async function ran({ folder, life, graph }: World, events: readonly Json[]): Promise<string> {
  const source = join(folder, 'events.jsonl')
  writeFileSync(source, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return (await life.run(graph, { dataflow: { source } })).id
}

async function captured(life: Reflex, run: string): Promise<string> {
  const pieces: string[] = []
  for await (const piece of life.capture(run)) pieces.push(piece)
  return pieces.join('')
}

/** Imports a capture, and returns the name of its run. */
async function imported({ folder, life, graph }: World, text: string, id?: string): Promise<string> {
  const file = join(folder, 'it.bundle.json')
  writeFileSync(file, text)
  return (await life.importCapture(file, { against: graph, id })).row.id
}

/** The ids of accepted events, without the lines of their source: an import reads them from the capture. */
function idsOf(value: Json | undefined): Json[] {
  return (value as Json[]).filter((entry) => typeof entry === 'string')
}

/** What a run remembers: its context with the parts of the supervisor, and what it counted. Refused events are not in a capture. */
async function folded(life: Reflex, run: string): Promise<object> {
  const { state } = await life.runtime.peek(run)
  const frame = topOf(state.root)
  const { read: _read, refused: _refused, started: _started, ...position } = readPosition(frame.position)
  const board = Object.fromEntries(
    [...frame.scope.liveEntries()].map(([key, { value }]) => [key, key.startsWith('~ids/') ? idsOf(value) : value]),
  )
  return { position, board, status: state.ended?.status }
}

async function failureOf(life: Reflex, run: string): Promise<Json | undefined> {
  return (await life.runtime.peek(run)).state.ended?.value
}

/** Checks both round trips of a run, and that the import replays as a run. */
async function roundTrips(world: World, run: string): Promise<string> {
  const { life } = world
  const bundle = await captured(life, run)
  const copy = await imported(world, bundle)
  expect(await captured(life, copy)).toBe(bundle)
  expect(await folded(life, copy)).toEqual(await folded(life, run))
  expect((await life.replay(copy)).result).toBe('equal')
  expect((await life.replayCapture({ run: copy })).findings).toEqual([])
  return copy
}

const LEDGER = { channels: { log: { type: 'ledger', ledger: 'heater' } }, routes: { heater_command: { channel: 'log' } } }
const thermostat = (): World => worldOf(THERMOSTAT, THERMOSTAT_ADAPTER, LEDGER)

describe('the import of a capture', () => {
  test('gives a run with the same capture, state and journal, and sends nothing', async () => {
    const world = thermostat()
    const run = await ran(world, [...READINGS, { event_id: 't1', semantic_kind: 'reading', at: 9, payload: { temp: 1 } }])
    await roundTrips(world, run)
    const sent = await world.life.store.ledger('heater', 0)
    expect(sent).toHaveLength(3)
  })

  test('keeps deferred events, and runs them when the captured run did', async () => {
    const world = worldOf(COUNTER, COUNTER_ADAPTER, { constraints: { max_per_window: 1, rate_window: '3s' } })
    const last = { event_id: 'last', semantic_kind: 'press', at: 60, payload: { by: 1 } }
    await roundTrips(world, await ran(world, presses(6)))
    await roundTrips(world, await ran(world, [...presses(6), last]))
  })

  test('keeps the ids of intents of a fork, and those that its source had sent before', async () => {
    const world = thermostat()
    const { life, graph } = world
    const handle = await life.start(graph, { dataflow: { stays: true } })
    await handle.idle()
    for (const event of READINGS.slice(0, 3)) await life.signal(handle.id, 'event', event)
    await handle.idle()
    const { id: fork } = await life.fork(handle.id, { id: 'fork' })
    const resumed = await life.resume(fork)
    for (const event of [...READINGS.slice(3), null]) await life.signal(fork, 'event', event)
    await resumed.idle({ until: 'end' })
    const bundle = JSON.parse(await captured(life, fork)) as { decisions: { fork?: string }[] }
    expect(bundle.decisions.map((decision) => decision.fork === undefined)).toEqual([true, true, true, false, false, false])
    expect((await life.replayCapture({ run: fork })).findings).toEqual([])
    await roundTrips(world, fork)
  })
})

describe('both round trips', () => {
  // proves: dataflow 64
  test('hold for random graphs over random events', async () => {
    await fc.assert(
      fc.asyncProperty(
        randomDocument({ maxNodes: 12 }),
        fc.array(randomContext(), { minLength: 1, maxLength: 5 }),
        async (document, contexts) => {
          const json = { kind: 'cluster', ...document } as unknown as JsonObject
          const adapter = writeAdapter(graphOf(json), { runtime: '0.1.0' }) as unknown as JsonObject
          const world = worldOf(json, adapter)
          const [form] = (adapter as unknown as { event_kinds: { payload_schema: { properties: object } }[] }).event_kinds
          const fields = Object.keys(form?.payload_schema.properties ?? {})
          const events = contexts.map((context, index) => ({
            event_id: `e${index}`,
            semantic_kind: 'event',
            at: index,
            payload: Object.fromEntries(Object.entries(context).filter(([key]) => fields.includes(key))) as JsonObject,
          }))
          await roundTrips(world, await ran(world, events))
          await world.life.close()
        },
      ),
      { numRuns: 8, seed: 20 },
    )
  })

  test('hold for intents of events that were deferred, late, repeated or refused', async () => {
    const event = fc.record({
      event_id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      semantic_kind: fc.constantFrom('reading', 'reading', 'reading', 'unknown'),
      kind: fc.constantFrom('DataAvailable', 'DataAvailable', 'Command', 'Pump'),
      at: fc.integer({ min: 0, max: 12 }),
      payload: fc.record({ temp: fc.constantFrom(10, 18, 20, 22, 30) }),
    })
    const limits = fc.constantFrom(
      {},
      { max_per_window: 1, rate_window: '2s' },
      { max_per_window: 2, rate_window: '5s' },
      { deadline: '0s' },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 9 }), limits, async (events, constraints) => {
        const world = worldOf(THERMOSTAT, THERMOSTAT_ADAPTER, { ...LEDGER, constraints })
        const first = { event_id: 'first', semantic_kind: 'reading', at: 0, payload: { temp: 10 } }
        await roundTrips(world, await ran(world, [first, ...(events as unknown as Json[])]))
        await world.life.close()
      }),
      { numRuns: 15, seed: 21 },
    )
  })
})

/** A channel in a process that behaves as its argument says, or refuses one intent in between. */
const CHANNEL = `
import { createInterface } from 'node:readline'
const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n')
say({ type: 'ready', protocol: 'reflex-egress.v1', handled_kinds: ['heater_command'] })
let count = 0
for await (const line of createInterface({ input: process.stdin })) {
  const { type, intent_id } = JSON.parse(line)
  if (type === 'end') break
  if (++count === 2) say({ type: 'nonsense' })
  say({ type: 'intent_ack', intent_id, status: 'accepted', acceptance: 'durable', egress_ref: 'ref-' + count })
}
`

describe.skipIf(withoutCommands !== undefined)(`the import of an interrupted run${reason}`, () => {
  const hvac = (more: JsonObject = {}): World => {
    const world = worldOf(THERMOSTAT, THERMOSTAT_ADAPTER, {
      channels: { hvac: { type: 'process', command: ['node', 'hvac.mjs'] } },
      routes: { heater_command: { channel: 'hvac', ...more } },
    })
    writeFileSync(join(world.folder, 'hvac.mjs'), CHANNEL)
    return world
  }
  const started = async ({ folder, life, graph }: World): Promise<RunHandle> => {
    writeFileSync(join(folder, 'events.jsonl'), READINGS.map((event) => `${JSON.stringify(event)}\n`).join(''))
    return life.run(graph, { trust: 'trusted', dataflow: { source: join(folder, 'events.jsonl') } })
  }

  // proves: dataflow 65
  test('fails where a channel broke the protocol, with what it had acknowledged before', async () => {
    const world = hvac()
    const copy = await roundTrips(world, (await started(world)).id)
    expect(await failureOf(world.life, copy)).toMatchObject({ code: 'R1389', rule: 'egress_protocol_violation' })
    const { decisions } = JSON.parse(await captured(world.life, copy)) as { decisions: { intent_acks?: JsonObject[] }[] }
    expect(decisions.flatMap(({ intent_acks = [] }) => intent_acks)).toMatchObject([{ egress_ref: 'ref-1' }])
  })

  test('leaves out the intent that a person had left out', async () => {
    const world = hvac({ on_failure: 'ask' })
    const { id: run, questions } = await started(world)
    const { handle } = await world.life.answer(questions[0]?.id ?? '', 'leave out')
    await handle?.idle({ until: 'end' })
    const { decisions } = JSON.parse(await captured(world.life, run)) as { decisions: JsonObject[] }
    expect(decisions.filter(({ intent_acks }) => intent_acks !== undefined)).toHaveLength(2)
    await roundTrips(world, run)
  })

  test('is cancelled as its run was, and waits for no acknowledgement', async () => {
    const world = hvac({ on_failure: 'ask' })
    const { id: run } = await started(world)
    await world.life.cancel(run)
    const copy = await roundTrips(world, run)
    expect((await world.life.find(copy)).status).toBe('cancelled')
  })

  test('ends where the capture of a run ends that was still waiting', async () => {
    const world = hvac({ on_failure: 'ask' })
    const { id: run } = await started(world)
    const bundle = await captured(world.life, run)
    const copy = await imported(world, bundle)
    expect(await captured(world.life, copy)).toBe(bundle)
    expect(await failureOf(world.life, copy)).toMatchObject({ code: 'R1389' })
  })

  test('fails as its source did', async () => {
    const world = worldOf(COUNTER, COUNTER_ADAPTER, { ingress: { type: 'process', command: ['node', 'driver.mjs'] } })
    const hello = { type: 'hello', protocol: 'reflex-ingress.v1' }
    const lines = [hello, ...presses(2).map((event) => ({ type: 'event', event }))].map((line) => JSON.stringify(line))
    writeFileSync(join(world.folder, 'driver.mjs'), `console.log(${JSON.stringify(lines.join('\n'))})`)
    const { id } = await world.life.run(world.graph, { trust: 'trusted' })
    const copy = await roundTrips(world, id)
    expect(await failureOf(world.life, copy)).toMatchObject({ code: 'R1389', rule: 'driver_terminated' })
  })
})

describe('reflex import BUNDLE --against GRAPH', () => {
  const exported = async (): Promise<{ folder: string; text: string }> => {
    const folder = newFolder()
    writeFileSync(join(folder, 'counter.adapter.json'), JSON.stringify(COUNTER_ADAPTER))
    writeFileSync(join(folder, 'counter.dataflow.json'), JSON.stringify(COUNTER))
    writeFileSync(
      join(folder, 'e.jsonl'),
      presses(4)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(''),
    )
    await command(['run', 'counter.dataflow.json', '--events', 'e.jsonl', '--id', 'otter'], { folder })
    await command(['export', 'otter', '--format', 'bundle', '-o', 'it.bundle.json'], { folder })
    return { folder, text: readFileSync(join(folder, 'it.bundle.json'), 'utf8') }
  }
  const WORDS = ['import', 'it.bundle.json', '--against', 'counter.dataflow.json']

  test('stores the run, which gives the same file again', async () => {
    const { folder, text } = await exported()
    const { code, out } = await command([...WORDS, '--id', 'beaver'], { folder })
    expect([code, out]).toEqual([0, expect.stringMatching(/beaver.*counter.*completed/s)])
    expect((await command(['export', 'beaver', '--format', 'bundle'], { folder })).out).toBe(text)
    expect((await command(['replay', 'beaver', '--strict'], { folder })).code).toBe(0)
    expect((await command([...WORDS, '--id', 'beaver'], { folder })).err).toContain('R5007')
  })

  // proves: dataflow 60
  test.each([
    ['capture_version', (text: string) => text.replace('reflex-dataflow/1', 'reflex-dataflow/9'), 'replay.unsupported_capture_version'],
    ['a payload', (text: string) => text.replace('{\\"by\\":2', '{\\"by\\":3'), 'replay.hash_mismatch'],
    ['an id', (text: string) => text.replaceAll('"p2"', '"p1"'), 'replay.duplicate_event_id'],
    ['an effect', (text: string) => text.replace('{"Number":3}', '{"Number":4}'), 'replay.effect_mismatch'],
    ['a decision', (text: string) => text.replace('"retry_count":0', '"retry_count":1'), 'replay.decision_mismatch'],
    ['the time of an event', (text: string) => text.replace('"secs":2', '"secs":3'), 'replay.chain_mismatch'],
    ['a fork', (text: string) => text.replace('"outputs_hash"', '"fork":"0123456789abcdef","outputs_hash"'), 'replay.chain_mismatch'],
    ['the egress', (text: string) => text.replace('"graph_id"', '"egress_provenance":"rxe1:none","graph_id"'), 'replay.chain_mismatch'],
    ['the graph', (text: string) => text.replace('rxr1:sha256:', 'rxr1:sha256:0'), 'replay.runtime_provenance_mismatch'],
    ['the adapter', (text: string) => text.replace('adapter:counter@', 'adapter:other@'), 'replay.adapter_provenance_mismatch'],
  ])('names the tampered part: %s', async (_, tamper, rule) => {
    const { folder, text } = await exported()
    expect(tamper(text)).not.toBe(text)
    writeFileSync(join(folder, 'it.bundle.json'), tamper(text))
    const { code, out } = await command([...WORDS, '--json', '--id', 'beaver'], { folder })
    expect(code).not.toBe(0)
    expect(JSON.parse(out)).toMatchObject({ error: { rule } })
    expect((await command(['show', 'beaver'], { folder })).err).toContain('R2016')
  })

  test.each([
    [['import', 'it.bundle.json'], '--against FILE'],
    [['import', 'e.jsonl', '--against', 'counter.dataflow.json'], 'is not a capture of the kind dataflow'],
    [['import', '-', '--against', 'counter.dataflow.json'], 'is imported from a file'],
    [[...WORDS, '--secret-file', 'e.jsonl'], 'leave --secret-file out'],
  ])('is refused as %j', async (words, message) => {
    const { folder } = await exported()
    const { code, err } = await command(words, { folder })
    expect(code).not.toBe(0)
    expect(err).toContain(message)
  })
})
