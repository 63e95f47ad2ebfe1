import { appendFileSync, mkdirSync, openSync, readFileSync, writeSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Reflex } from '../../../../src/app/reflex.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../run/graphs.ts'

/** A folder with the counter and a file of these lines. */
function world(lines: readonly (string | object)[], name = 'presses.jsonl') {
  const folder = newFolder()
  const events = join(folder, 'events', name)
  mkdirSync(join(folder, 'events'))
  writeFileSync(join(folder, 'counter.adapter.json'), JSON.stringify(COUNTER_ADAPTER))
  writeFileSync(join(folder, 'counter.dataflow.json'), JSON.stringify(COUNTER))
  writeFileSync(events, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  return { folder, events, graph: join(folder, 'counter.dataflow.json') }
}

async function refusals(reflex: Reflex, run: string): Promise<string[]> {
  const { lines } = await reflex.trace(run)
  return lines.flatMap(({ event }) => (event.mark === 'warn' ? [`${event.node} ${event.text}`] : []))
}

const [first, second, third] = presses(3)

describe('lines that no record can hold are refused at their places', () => {
  test.each([
    ['a number that JSON does not have', '{"event_id":"x","semantic_kind":"press","payload":{"by":1e999}}', 'R1380'],
    ['a time after the year 9999', '{"event_id":"x","semantic_kind":"press","at":{"secs":9007199254740991},"payload":{"by":1}}', 'R1380'],
    ['100,000 levels', `{"event_id":"x","payload":{"by":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`, 'R1380'],
    ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'R1380'],
    ['levels without an end', '['.repeat(100_000), 'R1380'],
    ['more than a million characters', `{"event_id":"x","payload":{"by":"${'x'.repeat(1_000_001)}"}}`, 'R1381'],
    ['a line longer than any event', `{"event_id":"x","payload":{"by":"${'x'.repeat(3_000_000)}"}}`, 'R1381'],
  ])('%s', async (_, line, code) => {
    const { folder, graph, events } = world([first ?? {}, line, second ?? {}])
    const reflex = lifeIn(folder)
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ events: 2, refused: 1 })
    expect(await refusals(reflex, run.id)).toEqual([expect.stringContaining(`presses.jsonl:2 refused ${code}`)])
  })

  test('a line of 100 MB, of which little is ever in memory', async () => {
    const { folder, graph, events } = world([first ?? {}])
    const file = openSync(events, 'a')
    for (let i = 0; i < 100; i++) writeSync(file, 'x'.repeat(1_000_000))
    appendFileSync(events, `\n${JSON.stringify(second)}\n`)
    const run = await lifeIn(folder).run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ events: 2, refused: 1 })
  })
})

test('a byte order mark and other ends of lines are no part of an event', async () => {
  const { folder, graph, events } = world([`\ufeff${JSON.stringify(first)}\r`, `${JSON.stringify(second)}\r`])
  const run = await lifeIn(folder).run(graph, { dataflow: { source: events } })
  expect(run.value).toMatchObject({ events: 2, refused: 0 })
})

test.each(['constructor', '__proto__', 'toString'])('a file may have the name %s', async (name) => {
  const { folder, graph, events } = world([first ?? {}, second ?? {}], name)
  const run = await lifeIn(folder).run(graph, { dataflow: { source: events } })
  expect(run.value).toMatchObject({ events: 2, refused: 0 })
  expect(run.get('n')).toBe(3)
})

test('a store that fails for a moment loses no event and fails no run', async () => {
  const { folder, graph, events } = world([...presses(600)])
  const store = memoryStore()
  let calls = 0
  const failing = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== 'posted' && name !== 'post') return typeof value === 'function' ? (value.bind(target) as unknown) : value
      return (...args: unknown[]): unknown => {
        if ([3, 4, 300, 700].includes(++calls)) throw new Error('the store does not answer')
        return (value as (...given: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  const reflex = new Reflex({ store: failing, workdir: folder })
  const run = await reflex.run(graph, { dataflow: { source: events } })
  expect(calls).toBeGreaterThan(100)
  expect(run.value).toMatchObject({ events: 600, refused: 0 })
  expect(run.get('n')).toBe(180_300)
  await reflex.close()
})

test('a file that has become shorter while no process read it fails the run', async () => {
  const { folder, graph, events } = world([...presses(3000)])
  const life = lifeIn(folder)
  const handle = await life.start(graph, { dataflow: { source: events } })
  handle.onRecord((_, n) => {
    if (n === 4) void life.close()
  })
  await handle.idle({ until: 'end' }).catch(() => undefined)
  await life.close()
  const text = readFileSync(events, 'utf8')
  writeFileSync(events, text.slice(0, 200))
  const again = await lifeIn(folder).resume(handle.id)
  await again.idle({ until: 'end' })
  expect(again.failure).toMatchObject({ code: 'R1387', rule: 'driver_io' })
})

test('a sender cannot pose as a source that the run reads itself', async () => {
  const { folder, graph } = world([])
  const reflex = lifeIn(folder)
  const handle = await reflex.start(graph, { dataflow: { stays: true } })
  await handle.idle()
  await reflex.signal(handle.id, 'event', { source: ['presses.jsonl', 999, 1], event: third ?? {} })
  await reflex.signal(handle.id, 'event', { source: ['presses.jsonl', 999, 1] })
  await reflex.signal(handle.id, 'event', null)
  await handle.idle({ until: 'end' })
  expect(handle.value).toMatchObject({ events: 0, refused: 2 })
})
