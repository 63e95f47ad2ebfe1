import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, openSync, readFileSync, writeSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Reflex } from '../../../../src/app/reflex.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../run/graphs.ts'
import { reason, withoutCommands } from '../commands.ts'

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
    const [refusal = '', ...others] = await refusals(reflex, run.id)
    expect(refusal).toContain(`presses.jsonl:2 refused ${code}`)
    expect(refusal.length).toBeLessThan(200)
    expect(others).toEqual([])
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

/** A store in memory of which calls with one of these names fail: those with these numbers. Counts them. */
function failingStore(names: readonly string[], failures: readonly number[]) {
  const calls = { count: 0 }
  const store = new Proxy(memoryStore(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (!names.includes(String(name))) return typeof value === 'function' ? (value.bind(target) as unknown) : value
      return (...args: unknown[]): unknown => {
        if (failures.includes(++calls.count)) throw new Error('the store does not answer')
        return (value as (...given: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  return { store, calls }
}

/** A process that sends the events of the file. */
const SENDER = `
  import { createInterface } from 'node:readline'
  import { readFileSync } from 'node:fs'
  const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n')
  say({ type: 'hello', protocol: 'reflex-ingress.v1' })
  for await (const line of createInterface({ input: process.stdin })) {
    const { events } = JSON.parse(line)
    for (const event of readFileSync('events/presses.jsonl', 'utf8').trim().split('\\n').slice(events)) say({ type: 'event', event: JSON.parse(event) })
    say({ type: 'end' })
    process.stdout.write('', () => process.exit(0))
  }
`

test.skipIf(withoutCommands !== undefined)(
  `a store that fails for a moment loses no event of a process and fails no run${reason}`,
  async () => {
    const { folder, graph } = world([...presses(600)])
    writeFileSync(join(folder, 'sender.mjs'), SENDER)
    writeFileSync(join(folder, 'counter.host.json'), '{"kind":"host","ingress":{"type":"process","command":["node","sender.mjs"]}}')
    const { store, calls } = failingStore(['posted', 'post'], [3, 4, 300, 700])
    const reflex = new Reflex({ store, workdir: folder })
    const run = await reflex.run(graph)
    expect(calls.count).toBeGreaterThan(100)
    expect(run.value).toMatchObject({ events: 600, refused: 0 })
    expect(run.get('n')).toBe(180_300)
    await reflex.close()
  },
)

test.each([2, 3])('a store that does not take the records of a file loses no event: commit %i', async (failure) => {
  const { folder, graph, events } = world([...presses(6000)])
  const { store, calls } = failingStore(['commit'], [failure])
  const reflex = new Reflex({ store, workdir: folder })
  const handle = await reflex.start(graph, { id: 'broken', dataflow: { source: events } })
  await expect(handle.idle({ until: 'end' })).rejects.toMatchObject({ code: 'R5005' })
  expect(calls.count).toBeGreaterThanOrEqual(failure)
  await reflex.close()
  const again = new Reflex({ store, workdir: folder })
  const resumed = await again.resume('broken')
  await resumed.idle({ until: 'end' })
  expect(resumed.value).toMatchObject({ events: 6000, refused: 0 })
  expect(resumed.get('n')).toBe(18_003_000)
  await again.close()
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

test('kill -9 in the middle of a file: each line is taken exactly once, in its order', { timeout: 120_000 }, async () => {
  const { folder } = world([...presses(1500)])
  const { signal } = spawnSync(process.execPath, [join(import.meta.dirname, 'killed-reader.ts'), folder, '4'])
  expect(signal).toBe('SIGKILL')
  const reflex = lifeIn(folder)
  const handle = await reflex.resume('killed')
  await handle.idle({ until: 'end' })
  expect(handle.value).toMatchObject({ events: 1500, refused: 0 })
  expect(handle.get('n')).toBe(1_125_750)
  expect(await reflex.replay('killed')).toMatchObject({ result: 'equal' })
  expect(await reflex.replayCapture({ run: 'killed' })).toMatchObject({ findings: [], events: 1500 })
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

test('a sender cannot take the id of an event of the run itself', async () => {
  const { folder, graph } = world([])
  writeFileSync(
    join(folder, 'counter.host.json'),
    '{"kind":"host","ingress":{"type":"timer","every":"1h","semantic_kind":"press","field":"by"}}',
  )
  const reflex = lifeIn(folder)
  const handle = await reflex.start(graph)
  await handle.idle()
  for (const id of ['timer/3', 'eid1:sha256:0/end', 'pump/0/1.0']) await reflex.signal(handle.id, 'event', { ...first, event_id: id })
  await reflex.signal(handle.id, 'event', { ...first, event_id: 'orders/3' })
  await reflex.signal(handle.id, 'event', null)
  await handle.idle({ until: 'end' })
  expect(handle.value).toMatchObject({ events: 1, refused: 3 })
})

test.each([
  ['{"n": "seven"}', 'n'],
  ['{"n": null}', 'n'],
  ['{"n": [1]}', 'n'],
  ['{"m": 1}', 'm'],
  ['{"__proto__": 1}', '__proto__'],
])('a context %s of the wrong type or key is refused before the run', async (text, path) => {
  const { folder, graph, events } = world([first ?? {}])
  writeFileSync(join(folder, 'context.json'), text)
  const begun = lifeIn(folder).run(graph, { dataflow: { source: events, contextFrom: join(folder, 'context.json') } })
  await expect(begun).rejects.toMatchObject({ code: 'R1388', path })
})

test('two processes cannot have one run; what the other one sends arrives', async () => {
  const { folder, graph } = world([])
  const [mine, other] = [lifeIn(folder), lifeIn(folder)]
  const handle = await mine.start(graph, { dataflow: { stays: true } })
  await handle.idle()
  await expect(other.resume(handle.id)).rejects.toMatchObject({ code: 'R5001' })
  await other.signal(handle.id, 'event', first)
  await mine.signal(handle.id, 'event', second)
  await handle.idle()
  await other.signal(handle.id, 'event', null)
  await handle.idle({ until: 'end' })
  expect(handle.value).toMatchObject({ events: 2, refused: 0 })
})
