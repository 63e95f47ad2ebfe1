import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Reflex } from '../../../../src/app/reflex.ts'
import { DOCUMENTS } from '../../../../src/cli/output/schema.ts'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { writeAdapter } from '../../../../src/kinds/dataflow/adapter/write-adapter.ts'
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

/** A folder with a graph and its files. */
function worldOf(graph: JsonObject, adapter: JsonObject, host: JsonObject = {}): World {
  const folder = newFolder()
  writeFileSync(join(folder, 'it.adapter.json'), JSON.stringify(adapter))
  writeFileSync(join(folder, 'it.host.json'), JSON.stringify({ kind: 'host', ...host }))
  writeFileSync(join(folder, 'it.dataflow.json'), JSON.stringify(graph))
  return { folder, life: lifeIn(folder, { dataflow: { primitives: [setHeater] } }), graph: join(folder, 'it.dataflow.json') }
}

async function ran(
  { folder, life, graph }: World,
  events: readonly Json[],
  options: { readonly contextFrom?: string } = {},
): Promise<string> {
  const source = join(folder, 'events.jsonl')
  writeFileSync(source, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return (await life.run(graph, { dataflow: { source, ...options } })).id
}

async function captured({ life }: World, run: string): Promise<string> {
  const pieces: string[] = []
  for await (const piece of life.capture(run)) pieces.push(piece)
  return pieces.join('')
}

const LEDGER = { channels: { log: { type: 'ledger', ledger: 'heater' } }, routes: { heater_command: { channel: 'log' } } }
const thermostat = () => worldOf(THERMOSTAT, THERMOSTAT_ADAPTER, LEDGER)

describe('the capture of a run', () => {
  // proves: dataflow 59
  test('replays strictly: every event, decision and effect, and sends nothing', async () => {
    const world = thermostat()
    const run = await ran(world, READINGS)
    const bundle = JSON.parse(await captured(world, run)) as { decisions: { intent_acks?: JsonObject[] }[]; events: unknown[] }
    expect(bundle.events).toHaveLength(6)
    expect(bundle.decisions.flatMap(({ intent_acks = [] }) => intent_acks)).toMatchObject(
      Array.from({ length: 3 }, () => ({ channel: 'log', status: 'accepted' })),
    )
    expect(await world.life.replayCapture({ run })).toEqual(expect.objectContaining({ findings: [], events: 6, verified: 3 }))
  })

  // proves: dataflow 64
  test('is the same for the same events, in however many records they came', async () => {
    const world = worldOf(COUNTER, COUNTER_ADAPTER)
    const run = await ran(world, presses(40))
    const handle = await world.life.start(world.graph, { dataflow: { stays: true } })
    await handle.idle()
    for (const event of [...presses(40), null]) await world.life.signal(handle.id, 'event', event)
    await handle.idle({ until: 'end' })
    expect(handle.run.state.n).toBeGreaterThan((await world.life.find(run)).last)
    expect(await captured(world, handle.id)).toBe(await captured(world, run))
  })

  test('has deferred events and their pumps', async () => {
    const world = worldOf(COUNTER, COUNTER_ADAPTER, { constraints: { max_per_window: 1, rate_window: '3s' } })
    const run = await ran(world, [...presses(6), { event_id: 'last', semantic_kind: 'press', at: 60, payload: { by: 1 } }])
    const report = await world.life.replayCapture({ run })
    expect(report.findings).toEqual([])
    expect(report.events).toBeGreaterThan(7)
  })

  test('has the values with which the context began', async () => {
    const world = worldOf(COUNTER, COUNTER_ADAPTER)
    writeFileSync(join(world.folder, 'from.json'), '{"n": 100}')
    const run = await ran(world, presses(3), { contextFrom: join(world.folder, 'from.json') })
    expect((await world.life.show(run)).board.find(({ key }) => key === 'n')?.value).toBe(106)
    expect(JSON.parse(await captured(world, run))).toMatchObject({ initial_context: { n: 100 } })
    expect((await world.life.replayCapture({ run })).findings).toEqual([])
  })

  // proves: dataflow 45
  test.skipIf(withoutCommands !== undefined)(`of a run whose source failed says so at its last event, and replays${reason}`, async () => {
    const world = worldOf(COUNTER, COUNTER_ADAPTER, { ingress: { type: 'process', command: ['node', 'driver.mjs'] } })
    const hello = { type: 'hello', protocol: 'reflex-ingress.v1' }
    const lines = [hello, ...presses(2).map((event) => ({ type: 'event', event }))].map((line) => JSON.stringify(line))
    writeFileSync(join(world.folder, 'driver.mjs'), `console.log(${JSON.stringify(lines.join('\n'))})`)
    const { id, failure } = await world.life.run(world.graph)
    expect(failure).toMatchObject({ rule: 'driver_terminated' })
    const { decisions } = JSON.parse(await captured(world, id)) as { decisions: JsonObject[] }
    expect(decisions.map(({ interruption }) => interruption)).toEqual([undefined, 'driver_terminated'])
    expect((await world.life.replayCapture({ run: id })).findings).toEqual([])
  })

  test('of a run without events does not exist', async () => {
    const world = worldOf(COUNTER, COUNTER_ADAPTER)
    const run = await ran(world, [])
    await expect(captured(world, run)).rejects.toMatchObject({ code: 'R2031' })
  })

  // proves: dataflow 59
  test('of random graphs over random events replays, and its replay is the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(
        randomDocument({ maxNodes: 12 }),
        fc.array(randomContext(), { minLength: 1, maxLength: 5 }),
        async (document, contexts) => {
          const json = { kind: 'cluster', ...document } as unknown as JsonObject
          const adapter = writeAdapter(graphOf(json), { runtime: '0.1.0' }) as unknown as JsonObject
          const world = worldOf(json, adapter)
          const fields = Object.keys(
            (adapter as { event_kinds: [{ payload_schema: { properties: object } }] }).event_kinds[0].payload_schema.properties,
          )
          const events = contexts.map((context, index) => ({
            event_id: `e${index}`,
            semantic_kind: 'event',
            at: index,
            payload: Object.fromEntries(Object.entries(context).filter(([key]) => fields.includes(key))) as JsonObject,
          }))
          const run = await ran(world, events)
          const text = await captured(world, run)
          expect(await captured(world, run)).toBe(text)
          const report = await world.life.replayCapture({ run }, { all: true })
          expect(report).toMatchObject({ findings: [], events: contexts.length })
          expect(await world.life.replayCapture({ run }, { all: true })).toEqual(report)
          await world.life.close()
        },
      ),
      { numRuns: 15, seed: 7 },
    )
  })
})

describe('reflex export --format bundle, and reflex replay', () => {
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
    const { code, err } = await command(['export', 'otter', '--format', 'bundle', '-o', 'it.bundle.json'], { folder })
    expect([code, err]).toEqual([0, expect.stringContaining('it.bundle.json')])
    return { folder, text: readFileSync(join(folder, 'it.bundle.json'), 'utf8') }
  }

  test('write the capture, and replay it without the journal', async () => {
    const { folder, text } = await exported()
    expect((await command(['export', 'otter', '--format', 'bundle'], { folder })).out).toBe(text)
    const { code, out } = await command(['replay', 'it.bundle.json', '--against', 'counter.dataflow.json'], { folder })
    expect([code, out]).toEqual([0, expect.stringContaining('4 events equal')])
    const strict = await command(['replay', 'otter', '--strict', '--json'], { folder })
    expect(DOCUMENTS.strict.parse(JSON.parse(strict.out))).toMatchObject({ result: 'equal', events: 4, effects: 0 })
  })

  test.each([
    ['capture_version', (text: string) => text.replace('reflex-dataflow/1', 'reflex-dataflow/9'), 'replay.unsupported_capture_version'],
    ['a payload', (text: string) => text.replace('{\\"by\\":2', '{\\"by\\":3'), 'replay.hash_mismatch'],
    ['an id', (text: string) => text.replaceAll('"p2"', '"p1"'), 'replay.duplicate_event_id'],
    ['an effect', (text: string) => text.replace('{"Number":3}', '{"Number":4}'), 'replay.effect_mismatch'],
    ['a decision', (text: string) => text.replace('"retry_count":0', '"retry_count":1'), 'replay.decision_mismatch'],
    ['the time of an event', (text: string) => text.replace('"secs":2', '"secs":3'), 'replay.chain_mismatch'],
    ['the limits', (text: string) => text.replace('"config":{}', '"config":{"max_retries":1}'), 'replay.chain_mismatch'],
  ])('name the tampered part: %s', async (_, tamper, rule) => {
    const { folder, text } = await exported()
    expect(tamper(text)).not.toBe(text)
    writeFileSync(join(folder, 'it.bundle.json'), tamper(text))
    const { code, out } = await command(['replay', 'it.bundle.json', '--against', 'counter.dataflow.json', '--json'], { folder })
    expect(code).toBe(1)
    expect(DOCUMENTS.strict.parse(JSON.parse(out))).toMatchObject({
      result: 'differs',
      findings: expect.arrayContaining([expect.objectContaining({ rule })]) as unknown,
    })
  })

  test('refuse another graph and another adapter', async () => {
    const { folder } = await exported()
    const nodes = { ...(COUNTER['nodes'] as object), always: { impl: 'const_bool@^0.1', params: { value: false } } }
    writeFileSync(join(folder, 'counter.dataflow.json'), JSON.stringify({ ...COUNTER, nodes }))
    writeFileSync(join(folder, 'counter.adapter.json'), JSON.stringify({ ...COUNTER_ADAPTER, version: '2.0.0' }))
    for (const what of [['it.bundle.json'], ['otter', '--strict']]) {
      const { code, out } = await command(['replay', ...what, '--against', 'counter.dataflow.json', '--json'], { folder })
      expect(code).toBe(1)
      expect(DOCUMENTS.strict.parse(JSON.parse(out)).findings.map(({ rule }) => rule)).toEqual([
        'replay.adapter_provenance_mismatch',
        'replay.runtime_provenance_mismatch',
      ])
    }
  })

  test.each([
    [['replay', 'it.bundle.json'], 'name it with --against FILE'],
    [['replay', 'e.jsonl', '--against', 'counter.dataflow.json'], 'is not a capture of the kind dataflow'],
    [['replay', 'otter', '--all'], 'add --strict'],
    [['export', 'otter', '--format', 'archive'], 'write --format bundle'],
    [['export', 'otter', '--format', 'bundle', '--forget'], 'leave the other options out'],
  ])('are refused as %j', async (words, message) => {
    const { folder } = await exported()
    const { code, err } = await command(words, { folder })
    expect(code).not.toBe(0)
    expect(err).toContain(message)
  })
})
