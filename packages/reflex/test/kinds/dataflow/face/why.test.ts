import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Cause } from '../../../../src/history/causes.ts'
import type { Reflex } from '../../../../src/app/reflex.ts'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { reflex as command } from '../../../cli/worlds.ts'
import { COUNTER, COUNTER_ADAPTER, presses, READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'

/** A folder with a graph, its adapter and events, and a run of it. */
async function ran(
  graph: JsonObject,
  adapter: JsonObject,
  events: readonly JsonObject[],
  host: JsonObject = {},
): Promise<{ folder: string; life: Reflex; run: string }> {
  const folder = newFolder()
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  write('it.adapter.json', JSON.stringify(adapter))
  write('it.host.json', JSON.stringify({ kind: 'host', ...host }))
  const file = write('it.dataflow.json', JSON.stringify(graph))
  const source = write('events.jsonl', events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const life = lifeIn(folder, { dataflow: { primitives: [setHeater] } })
  const { id } = await life.run(file, { dataflow: { source } })
  return { folder, life, run: id }
}

const thermostat = () =>
  ran(THERMOSTAT, THERMOSTAT_ADAPTER, READINGS, {
    channels: { log: { type: 'ledger', ledger: 'heater' } },
    routes: { heater_command: { channel: 'log' } },
  })

/** Chooses one of two numbers, and divides them. */
const CHOICE: JsonObject = {
  kind: 'cluster',
  id: 'choice',
  version: '0.1.0',
  nodes: {
    flag: { impl: 'context_bool_source@^0.1', params: { key: 'on' } },
    on: { impl: 'and@^0.1' },
    x: { impl: 'context_number_source@^0.1', params: { key: 'x' } },
    y: { impl: 'context_number_source@^0.1', params: { key: 'y' } },
    part: { impl: 'divide@^0.2' },
    pick: { impl: 'select@^0.1' },
  },
  edges: [
    'flag.value -> on.a',
    'flag.value -> on.b',
    'x.value -> part.a',
    'y.value -> part.b',
    'on.result -> pick.cond',
    'x.value -> pick.when_true',
    'y.value -> pick.when_false',
  ],
  outputs: { result: 'pick.result', part: 'part.result' },
}

const CHOICE_ADAPTER: JsonObject = {
  kind: 'adapter',
  id: 'choice',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: [
    { name: 'on', type: 'Bool', required: true, writable: false },
    { name: 'x', type: 'Number', required: true, writable: false },
    { name: 'y', type: 'Number', required: true, writable: false },
  ],
  event_kinds: [
    {
      name: 'pair',
      payload_schema: {
        type: 'object',
        properties: { on: { type: 'boolean' }, x: { type: 'number' }, y: { type: 'number' } },
        required: ['on', 'x', 'y'],
        additionalProperties: false,
      },
    },
  ],
  capture: { format_version: '1', fields: ['event.pair'] },
}

const event = (event_id: string, payload: JsonObject, at = 1): JsonObject => ({ event_id, semantic_kind: 'pair', at, payload })

/** Returns the lines of an explanation. */
function told({ name, value, text, again, failed, from }: Cause, depth = 0): string[] {
  const parts = [
    name,
    ...(value === undefined ? [] : [JSON.stringify(value)]),
    ...(failed ? ['failed'] : []),
    ...(again ? ['again'] : []),
    ...(text === undefined ? [] : [`(${text})`]),
  ]
  return [`${'  '.repeat(depth)}${parts.join(' ')}`, ...from.flatMap((inner) => told(inner, depth + 1))]
}

describe('why a node of an episode', () => {
  // proves: dataflow S7
  test('leads back to fields of the event, parameters, and keys of the context with the episode that wrote them', async () => {
    const { life, run } = await thermostat()
    expect(told(await life.why(run, 'E3', 'act'))).toEqual([
      'act (asked for heater_command because gate emitted)',
      '  gate (emitted)',
      '    changed true',
      '      either true',
      '        q true (context key heater_on, written in E1)',
      '      notboth true',
      '        both false',
      '          want false',
      '            cold false',
      '              temp 21 (event t4, field temp)',
      '              lo 19 (a parameter of the node)',
      // Of two operands the one that is false.
      '            hold false',
      '              below false',
      '                temp 21 (event t4, field temp)',
      '                hi 21 (a parameter of the node)',
      '  want false again',
    ])
  })

  test('that was skipped names the gate that held it', async () => {
    const { life, run } = await thermostat()
    expect(told(await life.why(run, 'E0', 'act')).slice(0, 5)).toEqual([
      'act (was skipped because gate did not emit)',
      '  gate (did not emit)',
      '    changed false',
      '      either false',
      '        want false',
    ])
    expect(told(await life.why(run, 'E0', 'q'))).toEqual(['q false (context key heater_on, absent: the default of its type)'])
  })

  test('may be named by an output, by the effect that it asks for, or by the place of its pass', async () => {
    const { life, run } = await thermostat()
    const cause = await life.why(run, 'E1', 'act')
    expect(cause).toMatchObject({ what: 'node', name: 'act', part: 2 })
    for (const name of ['outcome', 'heater_command']) expect(await life.why(run, 'E1', name)).toEqual(cause)
    expect(await life.why(`${run}@${cause.record}.${cause.part}`, 'act')).toEqual(cause)
  })

  test('is part of the explanation of the whole episode', async () => {
    const { life, run } = await thermostat()
    expect(told(await life.why(run, 'E1')).slice(0, 3)).toEqual([
      'E1 (ran for event t2)',
      '  act (asked for heater_command because gate emitted)',
      '    gate (emitted)',
    ])
    expect(told(await life.why(run, 'E2'))).toEqual(['E2 (ran for event t3; no action ran)'])
  })

  test('that chooses follows the branch that it took', async () => {
    const { life, run } = await ran(CHOICE, CHOICE_ADAPTER, [event('a', { on: true, x: 1, y: 2 }), event('b', { on: false, x: 1, y: 2 })])
    expect(told(await life.why(run, 'E0', 'pick'))).toEqual([
      'pick 1',
      '  on true',
      '    flag true (event a, field on)',
      '  x 1 (event a, field x)',
    ])
    expect(told(await life.why(run, 'E1', 'result'))[3]).toBe('  y 2 (event b, field y)')
  })

  test('that failed, or that the pass did not reach after a failure', async () => {
    const { life, run } = await ran(CHOICE, CHOICE_ADAPTER, [event('a', { on: true, x: 1, y: 0 })])
    const failed = told(await life.why(run, 'E0', 'part'))
    expect(failed).toEqual([
      expect.stringMatching(/^part failed \(.*DivisionByZero/),
      '  x 1 (event a, field x)',
      '  y 0 (event a, field y)',
    ])
    expect(told(await life.why(run, 'E0', 'pick'))[0]).toBe('pick (was not reached: the pass failed before it)')
    expect(told(await life.why(run, 'E0')).slice(0, 2)).toEqual(['E0 failed (ran for event a)', `  ${failed[0]}`])
  })

  test('that was deferred is explained where it ran', async () => {
    const events = [
      event('a', { on: true, x: 1, y: 2 }, 1),
      event('b', { on: true, x: 3, y: 2 }, 2),
      event('c', { on: true, x: 4, y: 2 }, 60),
    ]
    const { life, run } = await ran(CHOICE, CHOICE_ADAPTER, events, { constraints: { max_per_window: 1, rate_window: '10s' } })
    expect(told(await life.why(run, 'E1', 'x'))).toEqual(['x 3 (field x of a deferred event, as it arrived)'])
  })

  test('that read a key of an earlier record names the episode that wrote it', async () => {
    const { life, run } = await ran(COUNTER, COUNTER_ADAPTER, presses(600))
    expect(told(await life.why(run, 'E300', 'count'))).toEqual([
      'next 45451',
      '  n 45150 (context key n, written in E299)',
      '  by 301 (event p301, field by)',
    ])
    // The first event of a later record reads what an earlier record wrote.
    const { record } = await life.why(run, 'E300', 'count')
    const [head, key] = told(await life.why(`${run}@${record}.1`, 'count'))
    expect(head).toMatch(/^next \d+$/)
    expect(key).toMatch(/written in E\d+\)$/)
  })

  test.each([
    ['E99', 'act', 'has no episode E99; the last one is E5'],
    ['E1', 'acts', 'has no node "acts"; did you mean "act"?'],
    ['E1', 'zzzzzz', 'has no node "zzzzzz"'],
    ['Q1', 'act', 'has no episode Q1; the last one is E5'],
  ])('that does not exist is R2065: %s %s', async (episode, node, message) => {
    const { life, run } = await thermostat()
    await expect(life.why(run, episode, node)).rejects.toMatchObject({ code: 'R2065', message: expect.stringContaining(message) as string })
  })

  test('by a place that does not exist is R2065', async () => {
    const { life, run } = await thermostat()
    const { record } = await life.why(run, 'E0')
    await expect(life.why(`${run}@${record}.9`, 'act')).rejects.toMatchObject({
      code: 'R2065',
      message: expect.stringMatching(/has \d episodes?, and no part 9/) as string,
    })
    await expect(life.why(`${run}@1.1`, 'act')).rejects.toMatchObject({ code: 'R2065', message: `record 1 of ${run} has no parts` })
    await expect(life.why(run)).rejects.toMatchObject({ code: 'R2031' })
  })
})

describe('reflex why RUN EPISODE NODE', () => {
  const folderWithRun = async (): Promise<string> => {
    const folder = newFolder()
    writeFileSync(join(folder, 'counter.adapter.json'), JSON.stringify(COUNTER_ADAPTER))
    writeFileSync(join(folder, 'counter.dataflow.json'), JSON.stringify(COUNTER))
    writeFileSync(
      join(folder, 'e.jsonl'),
      presses(4)
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(''),
    )
    const { code } = await command(['run', 'counter.dataflow.json', '--events', 'e.jsonl', '--id', 'otter'], { folder })
    expect(code).toBe(0)
    return folder
  }

  test('prints the tree on a terminal, a table in a pipe, and JSON', async () => {
    const folder = await folderWithRun()
    expect(
      (await command(['why', 'otter', 'E3', 'save'], { folder, columns: 80 })).screen.split('\n').map((line) => line.trimEnd()),
    ).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^save {8}wrote n = 10 because gate emitted +@3\.4$/),
        expect.stringMatching(/^ {4}n {11}6, context key n, written in E2 +@3\.4$/),
        expect.stringMatching(/^ {4}by {10}4, event p4, field by +@3\.4$/),
      ]),
    )
    expect((await command(['why', 'otter', 'E3', 'count'], { folder })).out).toBe(
      '0\t@3.4\tnode\tnext\t10\t\t\t\n1\t@3.4\tnode\tn\t6\tcontext key n, written in E2\t\t\n1\t@3.4\tnode\tby\t4\tevent p4, field by\t\t\n',
    )
    const { out } = await command(['why', 'otter@3.4', 'count', '--json'], { folder })
    expect(JSON.parse(out)).toMatchObject({ v: 1, run: 'otter', cause: { what: 'node', name: 'next', value: 10, record: 3, part: 4 } })
  })

  test('says what it did not find', async () => {
    const folder = await folderWithRun()
    const { code, screen } = await command(['why', 'otter', 'E2', 'saves'], { folder, columns: 80 })
    expect(screen).toContain('otter has no node "saves"; did you mean "save"?')
    expect(code).toBe(2)
  })
})
