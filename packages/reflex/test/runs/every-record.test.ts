import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { casesOf } from '../cases.ts'
import { reflex, workFolder, type WorldOptions } from '../cli/worlds.ts'

/** Programs that a command can run as they stand. */
const CASES = casesOf('pipeline-dialect').filter(({ name }) =>
  ['children-above', 'fan-out-barrier', 'goal-gate-restart', 'map-children', 'quorum-met', 'rework-by-person', 'tool-cycle'].includes(name),
)

/** Branches, one of which fails, a choice in another, and a program that is called. */
const BRANCHES = `digraph branches {
  start [shape=Mdiamond]; done [shape=Msquare]
  fan [shape=component]; join [shape=tripleoctagon]
  one [type=tool, tool_command="one"]; two [type=tool, tool_command="two"]
  deep [shape=diamond]; good [type=tool, tool_command="! good | sort"]
  ask [shape=hexagon, label="On?"]
  call [type="graph.invoke", program="workflow:refund"]
  start -> fan; fan -> one -> join; fan -> two -> deep
  deep -> good [condition="outcome=success", label="clean"]
  deep -> join [condition="outcome!=success"]
  good -> join -> ask
  ask -> call [label="[Y] Yes"]; ask -> done [label="[N] No"]
  call -> done
}`

/** Looks in every way at every record of a run, and tells what did not go well. */
async function looksOf(run: string, world: WorldOptions): Promise<{ readonly records: number; readonly failed: string[] }> {
  const { run: row } = JSON.parse((await reflex(['show', run, '--json'], world)).out) as { run: { records: number } }
  const failed: string[] = []
  for (let n = 1; n <= row.records; n++) {
    const looks = [
      ['show', `${run}@${n}`],
      ['trace', `${run}@${n}`],
      ['graph', `${run}@${n}`],
      ['why', run, `@${n}`],
    ]
    for (const argv of looks) {
      const { code, out, err } = await reflex(argv, world)
      if (code !== 0 || out.trim() === '') failed.push(`${argv.join(' ')}: ${code} ${err}`)
    }
  }
  return { records: row.records, failed }
}

describe('every record of a run can be viewed', () => {
  test.each(CASES)('of the pipeline $name', async (it) => {
    const world = { folder: workFolder(), host: virtualHost() }
    cpSync(it.folder, world.folder, { recursive: true })
    await reflex(
      ['run', 'program.dot', '--id', 'otter', '--simulate', '--trust', 'trusted', '--answers', 'auto', '--max-steps', '60'],
      world,
    )
    const { records, failed } = await looksOf('otter', world)
    expect(failed).toEqual([])
    expect(records).toBeGreaterThan(5)
  })

  test('of a pipeline with branches that calls a workflow', async () => {
    const world = { folder: workFolder(), host: virtualHost(), columns: 80, keyboard: false }
    writeFileSync(join(world.folder, 'branches.dot'), BRANCHES)
    await reflex(['run', 'branches.dot', '--id', 'otter', '--simulate', '--answers', 'auto'], world)
    const { records, failed } = await looksOf('otter', world)
    expect(failed).toEqual([])
    expect(records).toBeGreaterThan(20)
  })

  test.each(['YES', 'NO'])('of a workflow that was answered %s, and of its fork', async (answer) => {
    const world = { folder: workFolder(), host: virtualHost(), columns: 80, keyboard: false }
    await reflex(['run', 'refund.workflow.json', '--id', 'otter', '--answers', 'none'], world)
    await reflex(['fork', 'otter', '--set', 'note=careful', '--decide', answer, '--id', 'crane'], world)
    await reflex(['answer', 'otter', answer], world)
    for (const run of ['otter', 'crane']) expect((await looksOf(run, world)).failed).toEqual([])
  })
})

test('the picture of a run shows the edges that its branches took, chose and left', async () => {
  const world = { folder: workFolder(), host: virtualHost() }
  writeFileSync(join(world.folder, 'branches.dot'), BRANCHES)
  await reflex(['run', 'branches.dot', '--id', 'otter', '--simulate', '--answers', 'none'], world)
  const { programs } = JSON.parse((await reflex(['graph', 'otter', '--json'], world)).out) as {
    programs: [{ nodes: { id: string; standing?: string }[]; edges: { id: string; standing?: string }[] }]
  }
  const [{ nodes, edges }] = programs
  expect(Object.fromEntries(edges.map(({ id, standing }) => [id, standing]))).toEqual({
    'start->fan': 'taken',
    'fan->one': 'taken',
    'one->join': 'taken',
    'fan->two': 'taken',
    'two->deep': 'taken',
    'deep->good': 'taken',
    'deep->join': 'closed',
    'good->join': 'taken',
    'join->ask': 'taken',
    'ask->call': 'open',
    'ask->done': 'open',
  })
  expect(nodes.filter(({ standing }) => standing === 'passed').map(({ id }) => id)).toEqual([
    'start',
    'fan',
    'join',
    'one',
    'two',
    'deep',
    'good',
  ])
  expect(nodes.find(({ id }) => id === 'ask')?.standing).toBe('asks')
})
