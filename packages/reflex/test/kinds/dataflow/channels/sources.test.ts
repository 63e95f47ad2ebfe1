import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { fileBatchOf } from '../../../../src/kinds/dataflow/run/file-batch.ts'
import { COUNTER, COUNTER_ADAPTER, presses, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'
import { reason, withoutCommands } from '../commands.ts'

/** A folder with the counter and a file of so many presses. */
function counter(count: number, host?: JsonObject): { readonly folder: string; readonly graph: string; readonly events: string } {
  const folder = newFolder()
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  write('counter.adapter.json', JSON.stringify(COUNTER_ADAPTER))
  if (host !== undefined) write('counter.host.json', JSON.stringify({ kind: 'host', ...host }))
  return {
    folder,
    graph: write('counter.dataflow.json', JSON.stringify(COUNTER)),
    events: write(
      'presses.jsonl',
      presses(count)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    ),
  }
}

const sum = (count: number): number => (count * (count + 1)) / 2

describe('a file of events', () => {
  test('is read to its end in few records, and the context has the effect of each', async () => {
    const { folder, graph, events } = counter(1000)
    const run = await lifeIn(folder).run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ events: 1000, refused: 0 })
    expect(run.get('n')).toBe(sum(1000))
    expect(run.run.state.n).toBeLessThan(20)
  })

  test('is read on after the process has left, each line exactly once', async () => {
    const { folder, graph, events } = counter(3000)
    const first = lifeIn(folder)
    let id = ''
    let taken = 0
    const left = first.start(graph, { dataflow: { source: events } }).then(async (handle) => {
      id = handle.id
      handle.onRecord((_, n) => {
        taken = n
        if (n === 5) void first.close()
      })
      await handle.idle({ until: 'end' }).catch(() => undefined)
    })
    await left
    await first.close()
    expect(taken).toBeGreaterThanOrEqual(5)
    const again = await lifeIn(folder).resume(id)
    await again.idle({ until: 'end' })
    expect(again.value).toMatchObject({ events: 3000, refused: 0 })
    expect(again.get('n')).toBe(sum(3000))
  })

  // proves: dataflow 57, dataflow HST-9
  test('may have lines that are refused, each with its place; the others run', async () => {
    const { folder, graph, events } = counter(2)
    appendFileSync(
      events,
      'not json\n{"event_id":"p1","semantic_kind":"press","payload":{"by":7}}\n\n{"event_id":"p9","semantic_kind":"press","at":9,"payload":{"buy":1}}\n',
    )
    appendFileSync(events, JSON.stringify(presses(3)[2]))
    const reflex = lifeIn(folder)
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ events: 3, refused: 3 })
    const { lines } = await reflex.trace(run.id)
    expect(lines.flatMap(({ event }) => (event.mark === 'warn' ? [`${event.node} ${event.text}`] : []))).toEqual([
      'presses.jsonl:3 refused R1380: the event cannot be read: it is not JSON: "not json"',
      'presses.jsonl:4 refused R1334: event id p1 was taken before, at presses.jsonl:1',
      'presses.jsonl:6 refused R1331: no field "buy"; did you mean "by"?',
    ])
  })

  test('may have empty lines, lines of any length and none at its end: each event is named after its line', async () => {
    const { folder, graph, events } = counter(0)
    const line = (by: number, name?: string) => JSON.stringify({ event_id: name, semantic_kind: 'press', payload: { by } })
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const tail = [line(1), '', line(2, 'long'.repeat(80_000)), '\r', deep, line(3, 'ä'.repeat(90)), '\u2028 ', line(-0)]
    writeFileSync(events, tail.join('\n'))
    const reflex = lifeIn(folder)
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ events: 3, refused: 2 })
    expect(run.get('n')).toBe(4)
    const { lines } = await reflex.trace(run.id)
    const refused = lines.flatMap(({ event }) => (event.mark === 'warn' ? [event.node] : []))
    expect(refused).toEqual(['presses.jsonl:3', 'presses.jsonl:5'])
  })

  test.each([1, 7, 100])('with an intent after every %i events is read in parts that fit, and each event runs once', async (every) => {
    const folder = newFolder()
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const graph = write('thermostat.dataflow.json', JSON.stringify(THERMOSTAT))
    write('thermostat.adapter.json', JSON.stringify(THERMOSTAT_ADAPTER))
    const host = { kind: 'host', channels: { out: { type: 'ledger', ledger: 'heater' } }, routes: { heater_command: { channel: 'out' } } }
    write('thermostat.host.json', JSON.stringify(host))
    const reading = (i: number) => ({ at: i, semantic_kind: 'reading', payload: { temp: Math.floor(i / every) % 2 === 0 ? 10 : 30 } })
    const source = write('readings.jsonl', Array.from({ length: 300 }, (_, i) => JSON.stringify(reading(i))).join('\n'))
    const reflex = lifeIn(folder, { dataflow: { primitives: [setHeater] } })
    const run = await reflex.run(graph, { dataflow: { source } })
    expect(run.value).toEqual({ events: 300, refused: 0, failed: 0, sent: { heater_command: Math.ceil(300 / every) } })
    const { records } = await reflex.runtime.history(run.id)
    const read = records.map(({ input }) => (input?.[0] === 'ok' ? (fileBatchOf(input[2])?.events.length ?? 0) : 0))
    // What a pass leaves of a part is read again, in smaller parts.
    expect(read.reduce((sum, count) => sum + count, 0)).toBeLessThan(3 * 300 + 256)
    expect(await reflex.replay(run.id)).toMatchObject({ result: 'equal' })
  })

  test('that does not exist is refused before the run, with a name that is near', async () => {
    const { folder, graph, events } = counter(0)
    const reflex = lifeIn(folder)
    const refusal = (source: string): Promise<unknown> =>
      reflex.run(graph, { dataflow: { source } }).then(
        () => undefined,
        (fault: unknown) => fault,
      )
    expect(await refusal(join(folder, 'preses.jsonl'))).toMatchObject({
      code: 'R1387',
      rule: 'driver_io',
      message: `the events cannot be read from ${join(folder, 'preses.jsonl')}: there is no such file; did you mean "presses.jsonl"?`,
      fix: `write --events ${events}`,
    })
    expect(await refusal(folder)).toMatchObject({ code: 'R1387', message: `the events cannot be read from ${folder}: it is a folder` })
    expect(await reflex.runs()).toEqual([])
  })
})

/** A process that sends presses from the number that it is told on. */
const DRIVER = `
import { createInterface } from 'node:readline'
const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n')
say({ type: 'hello', protocol: 'reflex-ingress.v1' })
for await (const line of createInterface({ input: process.stdin })) {
  const { events } = JSON.parse(line)
  for (let i = events + 1; i <= 40; i++) say({ type: 'event', event: { event_id: 'p' + i, semantic_kind: 'press', at: i, payload: { by: i } } })
  const last = process.argv[2]
  if (last === 'crash') process.exit(4)
  if (last === 'noise') console.log('what?')
  const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve))
  if (last === 'flood') await write('x'.repeat(3_000_000))
  if (last === 'deep') await write('{"type":"event","event":' + '['.repeat(100_000) + ']'.repeat(100_000) + '}\\n')
  if (last === 'empty') say({ type: 'event' })
  say({ type: 'end' })
  if (last === 'more') say({ type: 'event', event: {} })
  process.exit(0)
}
`

describe.skipIf(withoutCommands !== undefined)(`a process that sends events${reason}`, () => {
  const world = (last: string): { readonly folder: string; readonly graph: string } => {
    const made = counter(0, { ingress: { type: 'process', command: ['node', 'driver.mjs', last] } })
    writeFileSync(join(made.folder, 'driver.mjs'), DRIVER)
    return made
  }

  test('is read until it says that it ends', async () => {
    const { folder, graph } = world('well')
    const run = await lifeIn(folder).run(graph)
    expect(run.value).toMatchObject({ events: 40 })
    expect(run.get('n')).toBe(sum(40))
  })

  test('and a file of its name are two sources', async () => {
    const { folder, graph } = world('well')
    const source = join(folder, 'ingress')
    writeFileSync(source, '{"event_id":"f1","semantic_kind":"press","at":1,"payload":{"by":1000}}')
    const run = await lifeIn(folder).run(graph, { dataflow: { source } })
    expect(run.value).toMatchObject({ events: 41, refused: 0 })
    expect(run.get('n')).toBe(sum(40) + 1000)
  })

  test.each(['deep', 'empty'])('that sends an event that is %s has it refused; the others are handled', async (last) => {
    const { folder, graph } = world(last)
    const run = await lifeIn(folder).run(graph)
    expect(run.value).toMatchObject({ events: 40, refused: 1 })
  })

  test.each([
    ['crash', 'driver_terminated'],
    ['noise', 'protocol_violation'],
    ['more', 'protocol_violation'],
    ['flood', 'driver_terminated'],
  ])('that ends with %s fails the run with %s; the events before are handled', async (last, rule) => {
    const { folder, graph } = world(last)
    const run = await lifeIn(folder).run(graph)
    expect(run.failure).toMatchObject({ code: 'R1387', rule })
    expect(run.get('n')).toBe(sum(40))
  })
})
