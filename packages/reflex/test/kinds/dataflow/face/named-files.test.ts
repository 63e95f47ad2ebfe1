import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../../../app/folders.ts'
import { reflex as command } from '../../../cli/worlds.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../run/graphs.ts'

/** A folder with a graph, and with its adapter and hosts elsewhere. */
function folderOf(): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'ops'))
  const write = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value))
  write('counter.dataflow.json', COUNTER)
  write('ops/a.json', COUNTER_ADAPTER)
  write('ops/slow.json', { kind: 'host', constraints: { max_per_window: 1, rate_window: '3s' } })
  write('ops/never.json', { kind: 'host', constraints: { deadline: '0s' } })
  write('flow.workflow.json', { id: 'flow', entry: 'a', nodes: { a: { id: 'a', spec: {} } }, edges: [] })
  writeFileSync(
    join(folder, 'e.jsonl'),
    presses(4)
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(''),
  )
  return folder
}

const ADAPTER = ['--adapter', 'ops/a.json']
const slow = ['--host', 'ops/slow.json']

describe('--adapter FILE', () => {
  test('stands for NAME.adapter.json in run, and the run keeps what it said', async () => {
    const folder = folderOf()
    const without = await command(['run', 'counter.dataflow.json', '--events', 'e.jsonl'], { folder })
    expect([without.code === 0, without.err]).toEqual([false, expect.stringContaining('R1357')])
    const { code, err } = await command(['run', 'counter.dataflow.json', ...ADAPTER, '--events', 'e.jsonl', '--id', 'otter'], { folder })
    expect([code, err]).toEqual([0, expect.not.stringContaining('R1')])
    writeFileSync(join(folder, 'ops/a.json'), '{}')
    expect((await command(['replay', 'otter', '--strict'], { folder })).code).toBe(0)
  })

  test('comes before the file beside the graph in validate, and is the one that --write-adapter completes', async () => {
    const folder = folderOf()
    writeFileSync(join(folder, 'counter.adapter.json'), JSON.stringify({ ...COUNTER_ADAPTER, context_keys: [] }))
    expect((await command(['validate', 'counter.dataflow.json'], { folder })).code).not.toBe(0)
    expect((await command(['validate', 'counter.dataflow.json', ...ADAPTER], { folder })).code).toBe(0)
    const by = { name: 'by', type: 'Number', required: true, writable: false }
    writeFileSync(join(folder, 'ops/a.json'), JSON.stringify({ ...COUNTER_ADAPTER, context_keys: [by], accepts: { effects: [] } }))
    const completed = await command(['validate', 'counter.dataflow.json', ...ADAPTER, '--write-adapter'], { folder })
    expect([completed.code, completed.out]).toEqual([0, expect.stringContaining('1 file valid')])
    expect(JSON.parse(readFileSync(join(folder, 'ops/a.json'), 'utf8'))).toMatchObject({ accepts: { effects: [{ name: 'set_context' }] } })
  })

  test('is read by test, by diff --events, and with --against by replay and import', async () => {
    const folder = folderOf()
    const holds = ['--holds', '!refused', '--events', '50']
    expect((await command(['test', 'counter.dataflow.json', ...ADAPTER, ...holds], { folder })).code).toBe(0)
    const graphs = ['counter.dataflow.json', 'counter.dataflow.json']
    expect((await command(['diff', ...graphs, ...ADAPTER, '--events', 'e.jsonl', '--json'], { folder })).code).toBe(0)
    await command(['run', 'counter.dataflow.json', ...ADAPTER, '--events', 'e.jsonl', '--id', 'otter'], { folder })
    await command(['export', 'otter', '--format', 'bundle', '-o', 'o.bundle.json'], { folder })
    for (const verb of ['replay', 'import']) {
      const words = [verb, 'o.bundle.json', '--against', 'counter.dataflow.json']
      const { code, out } = await command([...words, '--json'], { folder })
      expect([code === 0, out]).toEqual([false, expect.stringContaining('replay.adapter_required')])
      expect((await command([...words, ...ADAPTER], { folder })).code).toBe(0)
    }
  })

  test.each([
    [['run', 'counter.dataflow.json', '--adapter', 'none.json', '--events', 'e.jsonl'], 'R1021'],
    [['validate', 'counter.dataflow.json', '--adapter', 'none.json'], 'R1021'],
    [['validate', 'flow.workflow.json', ...ADAPTER], '--adapter has no effect on flow.workflow.json'],
    [['validate', '.', ...ADAPTER], 'is one file for'],
    [['run', 'flow.workflow.json', ...ADAPTER], '--adapter has no effect on workflow:flow'],
  ])('is refused as %j', async (words, message) => {
    const { code, out, err } = await command(words, { folder: folderOf() })
    expect(code).not.toBe(0)
    expect(out + err).toContain(message)
  })
})

describe('the limits of a host file', () => {
  test('hold in test: the file that --host names, else the one beside the graph', async () => {
    const folder = folderOf()
    const words = ['test', 'counter.dataflow.json', ...ADAPTER, '--events', '200', '--json', '--holds']
    const pumped = [...words, 'event.kind != "Pump"']
    expect((await command(pumped, { folder })).code).toBe(0)
    const { code, out } = await command([...pumped, ...slow], { folder })
    expect(code).toBe(1)
    // The first event runs, the second one is deferred, and the next ones are the shortest way to the time at which it is due.
    const { broken } = JSON.parse(out) as { broken: [{ events: unknown[] }] }
    expect(broken[0].events).toHaveLength(4)
    const fired = [...words, 'fired.size() == 0']
    expect((await command(fired, { folder })).code).toBe(1)
    writeFileSync(join(folder, 'counter.host.json'), readFileSync(join(folder, 'ops/never.json')))
    expect((await command(fired, { folder })).code).toBe(0)
  })

  test('hold in diff --events, for each version its own', async () => {
    const folder = folderOf()
    for (const name of ['a', 'b']) {
      writeFileSync(join(folder, `${name}.dataflow.json`), JSON.stringify(COUNTER))
      writeFileSync(join(folder, `${name}.adapter.json`), JSON.stringify(COUNTER_ADAPTER))
    }
    const words = ['diff', 'a.dataflow.json', 'b.dataflow.json', '--events', 'e.jsonl', '--json']
    expect((await command(words, { folder })).code).toBe(0)
    writeFileSync(join(folder, 'b.host.json'), readFileSync(join(folder, 'ops/slow.json')))
    const { code, out } = await command(words, { folder })
    expect(code).toBe(1)
    const { differences } = JSON.parse(out) as { differences: { event: string; name: string }[] }
    expect(differences.filter(({ event }) => event === 'p2').map(({ name }) => name)).toEqual(['count', 'saved', 'writes n'])
    expect(differences).toContainEqual(expect.objectContaining({ event: 'p4', name: 'deferred count', other: 3 }))
    expect((await command([...words, ...slow], { folder })).code).toBe(0)
  })

  test('that cannot be kept are refused with their place', async () => {
    const folder = folderOf()
    writeFileSync(join(folder, 'ops/wrong.json'), JSON.stringify({ kind: 'host', constraints: { max_per_window: 1 } }))
    const { code, err } = await command(['test', 'counter.dataflow.json', '--holds', 'true', '--host', 'ops/wrong.json'], { folder })
    expect([code === 0, err]).toEqual([false, expect.stringContaining('R1356')])
  })
})
