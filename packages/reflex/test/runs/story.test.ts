import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Cause } from '../../src/history/causes.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { faultOf, reflexOf } from './world.ts'

/** Two branches, one of which chooses a way, and a person. */
const RELEASE = `digraph release {
  start [shape=Mdiamond]; done [shape=Msquare]
  fan [shape=component]; join [shape=tripleoctagon]
  lint [type=tool, tool_command="lint"]; audit [type=tool, tool_command="audit"]
  deep [shape=diamond]; scan [type=tool, tool_command="! scan | sort"]
  approve [shape=hexagon, label="Release it?"]
  ship [type=tool, tool_command="ship it"]
  start -> fan; fan -> lint -> join; fan -> audit -> deep
  deep -> scan [condition="outcome=success", label="clean"]
  deep -> join [condition="outcome!=success"]
  scan -> join -> approve
  approve -> ship [label="[Y] Yes"]; approve -> done [label="[S] Stop"]
  ship -> done
}`

/** A run of the release that waits for its person. */
async function released(): Promise<{ readonly reflex: Reflex; readonly last: number }> {
  const reflex = reflexOf()
  const file = join(reflex.workdir, 'release.dot')
  writeFileSync(file, RELEASE)
  await reflex.run(file, { id: 'otter', simulate: true })
  return { reflex, last: (await reflex.find('otter')).last }
}

const classified = workflow({
  id: 'classified',
  entry: 'read',
  nodes: {
    read: { spec: { writes: { commits: ['feat: a', 'fix: b', 'feat: c'] } } },
    classify: {
      spec: { classify: { from: 'commits', into: 'classes', rules: [{ class: 'feature', match: '^feat' }], otherwise: 'other' } },
    },
    propose: { spec: { rules: [{ when: { type: 'above', key: 'classes.counts.feature', value: 1 }, go: 'MINOR' }, { go: 'PATCH' }] } },
    approve: {
      spec: {
        ask: 'Release {{classes.total}}?',
        options: [
          { value: 'sure', event: 'GO' },
          { value: 'never', event: 'STOP' },
        ],
      },
    },
    publish: { spec: { tool: 'file.write', args: { path: 'notes.md', text: '{{classes.total}}' } } },
    stopped: {},
    end: {},
  },
  edges: [
    { from: 'read', to: 'classify', event: 'NEXT' },
    { from: 'classify', to: 'propose', event: 'NEXT' },
    { id: 'minor', from: 'propose', to: 'approve', event: 'MINOR' },
    { id: 'patch', from: 'propose', to: 'end', event: 'PATCH' },
    { id: 'go', from: 'approve', to: 'publish', event: 'GO' },
    { id: 'stop', from: 'approve', to: 'stopped', event: 'STOP' },
  ],
})

const all = (cause: Cause): Cause[] => [cause, ...cause.from.flatMap(all)]

describe('why', () => {
  test('leads from a decision by rules to the keys that it read, and to their origins', async () => {
    const reflex = reflexOf()
    await reflex.run(classified, { id: 'otter' })
    const told = all(await reflex.why('otter', 'propose')).map(({ what, name }) => `${what} ${name}`)
    expect(told).toEqual(['decision propose', 'value classes', 'value commits'])
    // A question tells what it was made from, before anybody has answered.
    expect(all(await reflex.why('otter', 'approve')).map(({ name }) => name)).toContain('classes')
  })

  test.each(['ana', 'the fork'])('names the person who answered: %s', async (by) => {
    const reflex = reflexOf()
    const run = await reflex.run(classified, { id: 'otter' })
    if (by === 'ana') for (const question of run.questions) await run.answer(question, 'never', by)
    else await reflex.fork('otter', { id: 'crane', decide: 'never' })
    const other = by === 'ana' ? run : await reflex.resume('crane')
    await other.idle()
    expect(await reflex.why(other.id, 'approve')).toMatchObject({ what: 'decision', value: 'stop', by })
  })

  test('names a person who answered in a pipeline', async () => {
    const { reflex } = await released()
    const run = await reflex.resume('otter')
    for (const question of run.questions) await run.answer(question, 'Stop', 'ana')
    await run.idle()
    expect(await reflex.why('otter', 'approve')).toMatchObject({ what: 'decision', value: '[S] Stop', by: 'ana' })
  })

  test('reports that no answer arrived in time', async () => {
    const host = virtualHost()
    const surroundings = { host, worker: { id: 'w', host: 'here', pid: 1 }, cwd: '/', environment: {}, actor: 'ana' }
    const reflex = reflexOf({ surroundings })
    const due = workflow({
      id: 'due',
      entry: 'ask',
      nodes: { ask: { spec: { ask: 'On?', due: '1h', otherwise: 'NO' } }, on: {}, off: {} },
      edges: [
        { id: 'yes', from: 'ask', to: 'on', event: 'YES' },
        { id: 'no', from: 'ask', to: 'off', event: 'NO' },
      ],
    })
    const run = await reflex.run(due, { id: 'otter' })
    await host.advance(3_600_000)
    await run.idle()
    expect(await reflex.why('otter', 'ask')).toMatchObject({ what: 'decision', value: 'no', by: 'a default' })
  })

  test('shows every branch that was joined, by its name', async () => {
    const { reflex } = await released()
    const { from } = await reflex.why('otter', 'parallel.fail_count')
    expect(from.map(({ what, name, text }) => [what, name, text])).toEqual([
      ['call', 'fan/lint', 'ended success'],
      ['call', 'fan/audit', 'ended success'],
    ])
  })

  test('explains the node if a node and a key have the same name, and how to ask for the key', async () => {
    const reflex = reflexOf()
    const both = workflow({
      id: 'both',
      entry: 'total',
      nodes: { total: { spec: { writes: { total: 84 }, because: 'so' } }, on: {} },
      edges: [{ from: 'total', to: 'on', event: 'NEXT' }],
    })
    await reflex.run(both, { id: 'otter' })
    expect(await reflex.why('otter', 'total')).toMatchObject({ what: 'record', also: 'key:total' })
    expect(await reflex.why('otter', 'node:total')).toMatchObject({ what: 'record' })
    expect(await reflex.why('otter', 'key:total')).toMatchObject({ what: 'value', value: 84 })
    expect(await faultOf(reflex.why('otter', 'key:on'))).toMatchObject({
      code: 'R2065',
      message: 'otter has no key "on"; it is the name of a node',
    })
    expect(await faultOf(reflex.why('otter', '@99'))).toMatchObject({ code: 'R2021' })
  })
})

describe('the branches of a run', () => {
  test('are shown side by side, with the open edges of each', async () => {
    const { reflex, last } = await released()
    const views = await Promise.all(Array.from({ length: last }, (_, i) => reflex.show(`otter@${i + 1}`)))
    const beside = views.find(({ branches }) => branches.length === 2)
    expect(beside?.branches.map((stack) => stack.map(({ branch, node }) => branch ?? node))).toEqual([
      ['fan', 'lint'],
      ['fan', 'audit'],
    ])
    const ways = views.flatMap(({ branches, choices }) => (branches.length === 0 ? [] : choices.map(({ id }) => id)))
    expect([...new Set(ways)]).toEqual(['lint->join', 'audit->deep', 'deep->scan', 'deep->join', 'scan->join'])
    expect(views.at(-1)?.branches).toEqual([])
  })
})

describe('a record with an open question', () => {
  test('shows the question, also after its answer, and its edges can be decided', async () => {
    const { reflex, last } = await released()
    const run = await reflex.resume('otter')
    for (const question of run.questions) await run.answer(question, 'Yes', 'ana')
    await run.idle()
    const { choices, questions } = await reflex.show(`otter@${last}`)
    expect(questions.map(({ path, question }) => [path, question.text])).toEqual([['approve', 'Release it?']])
    expect((await reflex.show('otter')).questions).toEqual([])
    for (const { id } of choices) expect((await reflex.fork(`otter@${last}`, { decide: id })).decided?.place, id).toBe('approve')
    expect(choices.map(({ id }) => id)).toEqual(['approve->ship', 'approve->done'])
  })

  test('of a workflow does too, whatever the names of the options are', async () => {
    const reflex = reflexOf()
    await reflex.run(classified, { id: 'otter' })
    const { choices } = await reflex.show('otter')
    for (const { id } of choices) expect((await reflex.fork('otter', { decide: id })).decided?.place).toBe('approve')
    expect((await reflex.fork('otter', { decide: 'stop' })).decided?.chose).toBe('never')
  })
})

describe('the next effects of a fork', () => {
  test('exclude the answered question and the effects on other edges', async () => {
    const reflex = reflexOf()
    await reflex.run(classified, { id: 'otter' })
    expect((await reflex.fork('otter')).next).toEqual({ first: ['a question'], later: ['file.write'] })
    expect((await reflex.fork('otter', { decide: 'sure' })).next).toEqual({ first: ['file.write'], later: [] })
    expect((await reflex.fork('otter', { decide: 'never' })).next).toEqual({ first: [], later: [] })
  })

  test('after a choice are not certain', async () => {
    const reflex = reflexOf()
    await reflex.run(classified, { id: 'otter' })
    expect((await reflex.fork('otter@4')).next).toEqual({ first: [], later: ['a question', 'file.write'] })
  })

  test('show a command in full, and the id of the node for a single word', async () => {
    const { reflex, last } = await released()
    expect((await reflex.fork(`otter@${last}`, { decide: 'Yes' })).next).toEqual({ first: ['ship it'], later: [] })
    expect((await reflex.fork(`otter@${last}`, { decide: 'Stop' })).next).toEqual({ first: [], later: [] })
    const { next } = await reflex.fork('otter@3')
    expect([...next.first, ...next.later]).toEqual(['fan', 'lint', 'audit', 'join', 'a question', '! scan | sort', 'ship it'])
  })
})

describe('values set for a fork', () => {
  const typed = workflow({
    id: 'typed',
    entry: 'ask',
    board: { limit: { type: 'number' } },
    nodes: { ask: { spec: { ask: 'go on?' } }, on: {} },
    edges: [{ from: 'ask', to: 'on', event: 'YES' }],
  })

  test('are attributed to the fork, also in its own fork', async () => {
    const reflex = reflexOf()
    await reflex.run(typed, { id: 'otter' })
    await reflex.fork('otter', { id: 'crane', set: { limit: 5 } })
    await reflex.fork('crane', { id: 'heron' })
    for (const run of ['crane', 'heron'])
      expect((await reflex.show(run)).board).toContainEqual(expect.objectContaining({ key: 'limit', node: undefined, by: 'the fork' }))
  })

  test('are attributed to the fork if the board refuses them', async () => {
    const reflex = reflexOf()
    await reflex.run(typed, { id: 'otter' })
    const refused = await faultOf(reflex.fork('otter', { set: { limit: 'much' } }))
    expect(refused.code).toBe('R2007')
    expect(refused.message).toMatch(/^the fork wrote limit as "much"/)
  })
})

test('a run that has ended names the fork that continues it', async () => {
  const { reflex, last } = await released()
  const run = await reflex.resume('otter')
  for (const question of run.questions) await run.answer(question, 'Stop')
  await run.idle()
  const end = (await reflex.find('otter')).last
  const refused = await reflex.resume('otter').catch((thrown: unknown) => thrown)
  expect(refused).toMatchObject({ code: 'R2001', fix: `reflex fork otter@${end - 1}` })
  expect((await reflex.fork(`otter@${end - 1}`)).from.record).toBeGreaterThan(last)
})
