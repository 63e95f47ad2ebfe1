import { describe, expect, test } from 'vitest'
import type { JsonObject, Port } from '../../../../src/kernel/index.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

/** Two stages of a minute each, then what it ends with. */
const child = (end = 'done [shape=Msquare]'): string => `digraph child {
  start [shape=Mdiamond]
  one [type="wait.timer", duration="60s"]
  two [type="wait.timer", duration="60s"]
  ${end}
  start -> one -> two -> done
}`
const FAILS = 'bad [type="gate.trust", min_tier=autonomous] done [shape=Msquare] two -> bad -> done [weight=9]'

const managing = (attributes: string, behind = ''): string => `digraph g {
  goal="win" "stack.child_dotfile"="child"
  start [shape=Mdiamond]
  boss [shape=house, prompt="do $goal" ${attributes === '' ? '' : `, ${attributes}`}]
  done [shape=Msquare]
  start -> boss -> ${behind === '' ? 'done' : `fork\n${behind}`}
}`

const run = (attributes = '', world: World = {}, behind = ''): Promise<Went> =>
  runDot(managing(attributes, behind), { programs: { child: child() }, until: 100_000_000, ...world })

describe('what ends it, in this order', () => {
  // proves: pipeline 3.9.7a, pipeline 3.9.7b
  test('the child is done', async () => {
    const went = await run()
    expect(went.status).toBe('success')
    expect(went.took).toBe(135_000)
    expect(went.context).toMatchObject({
      'stack.child.dotfile': 'child',
      'stack.child.status': 'completed',
      'stack.child.outcome': 'success',
      'stack.child.completed_count': 4,
      'manager.cycle': 4,
    })
    expect(told(went, 'stage_completed').find(({ node_id }) => node_id === 'boss')?.['notes']).toBe('Child completed')
  })

  // proves: pipeline 3.9.7b
  test('the child has failed', async () => {
    const went = await run('', { programs: { child: child(FAILS) } })
    expect(went.reason).toMatch(/Child failed: .*autonomous/)
    expect(went.context).toMatchObject({ 'stack.child.status': 'failed', 'stack.child.outcome': 'fail' })
  })

  // proves: pipeline 3.9.7b, pipeline 3.9.7d
  test.each([
    'stack.child.active_stage=two',
    'context.stack.child.active_stage=two',
    'context.manager.cycle>=3',
    'stack.child.completed_count=2',
  ])('the stop condition %s, and the child with it', async (condition) => {
    const went = await run(`manager.stop_condition="${condition}"`)
    expect(went.status).toBe('success')
    expect(went.took).toBe(90_000)
    expect(went.trail).toEqual(['start', 'boss', 'start', 'one', 'two', 'done'])
    expect(told(went, 'stage_completed').find(({ node_id }) => node_id === 'boss')?.['notes']).toBe('Stop condition satisfied')
  })

  test('a child that is done goes before a stop condition', async () => {
    const went = await run('manager.poll_interval="10m", manager.stop_condition="manager.cycle=2"')
    expect(told(went, 'stage_completed').find(({ node_id }) => node_id === 'boss')?.['notes']).toBe('Child completed')
  })

  // proves: pipeline 3.9.7b
  test('cycles are used up, and time', async () => {
    expect((await run('manager.max_cycles=2')).reason).toContain('Max cycles exceeded')
    const late = await run('timeout="50s"')
    expect(late.reason).toContain('timeout')
    expect(late.took).toBe(50_000)
  })

  test('a condition that is none, and a program that is not there', async () => {
    expect((await run('manager.stop_condition="a = = b"')).reason).toContain('manager.stop_condition')
    expect((await run('', { programs: {} })).reason).toContain('R2010')
  })
})

test('it tells each look', async () => {
  const went = await run('manager.stop_condition="manager.cycle=2"')
  expect(told(went, 'manager_cycle')).toEqual([
    { node_id: 'boss', cycle: 1, status: 'running' },
    { node_id: 'boss', cycle: 2, status: 'running' },
  ])
})

test('a thousand looks cost as much each as the first', async () => {
  const went = await run('stack.child_autostart=false')
  expect(went.context['manager.cycle']).toBe(1_000)
  expect(went.run.records).toHaveLength(1_003)
  expect(
    went.run.state.root
      .reader()
      .keys()
      .filter((key) => key.startsWith('#a/')).length,
  ).toBeLessThan(5)
})

test('a child that was stopped does not stand among the branches behind it', async () => {
  const behind = `fork [shape=component] join [shape=tripleoctagon]
    l [type=transform, transform=constant, expression=l, output_key=l] r [type=transform, transform=constant, expression=r, output_key=r]
    fork -> l -> join; fork -> r -> join; join -> done`
  const went = await run('manager.stop_condition="manager.cycle=2"', {}, behind)
  expect(went.context['parallel.results']).toMatchObject([
    { id: 'l', status: 'success', context_updates: { l: 'l' } },
    { id: 'r', status: 'success', context_updates: { r: 'r' } },
  ])
})

test('its pipeline is pinned when the run starts', () => {
  expect(calledPrograms(loadPipeline({ dot: managing('') }))).toEqual(['pipeline:child'])
})

describe('advice', () => {
  const written: JsonObject[] = []
  const tool: Port = {
    leaves: true,
    repeat: 'keyed',
    perform: ({ args }) => {
      written.push((args as JsonObject)['args'] as JsonObject)
      return { path: 'steer.md', bytes: 1, lines: 1 }
    },
  }

  // proves: pipeline 3.9.7c
  test('is written into the folder of the stage, as often as it has cooled down', async () => {
    const steer = '"manager.actions"="observe,steer,wait"'
    const went = await run(steer, { ports: { tool } })
    expect(went.status).toBe('success')
    expect(written.splice(0)).toEqual([
      { path: '4s/one/steer.md', text: 'do win\n' },
      { path: '4s/two/steer.md', text: 'do win\n' },
    ])
    await run(`${steer}, manager.steer_cooldown="90s"`, { ports: { tool } })
    expect(written.splice(0)).toHaveLength(1)
  })

  test('that cannot be written is a warning', async () => {
    const broken: Port = { ...tool, perform: () => Promise.reject(new Error('no room')) }
    const went = await run('"manager.actions"="observe,steer,wait"', { ports: { tool: broken } })
    expect(went.status).toBe('success')
    expect(told(went, 'stage_warning')[0]?.['warning']).toContain('no advice was given')
  })
})

// proves: pipeline 3.9.7e
test('a child that its manager detaches runs on, and the pipeline ends once it has ended', async () => {
  const stop = 'manager.stop_condition="manager.cycle>=1", manager.detach'
  const left = await run(`${stop}=true`)
  expect([left.status, left.took, told(left, 'stage_warning')]).toEqual(['success', 120_000, []])
  expect(left.trail).toEqual(['start', 'boss', 'done', 'start', 'one', 'two', 'done'])
  const stopped = await run(`${stop}=false`)
  expect([stopped.status, stopped.took, stopped.trail.includes('two')]).toEqual(['success', 0, false])
})

test('a run that is cancelled stops what its managers have left running', async () => {
  const went = await run('manager.stop_condition="manager.cycle>=1", manager.detach=true', { until: 30_000 })
  expect(went.run.state.ended).toBeUndefined()
  await went.run.cancel('enough')
  await went.host.drain()
  expect(went.run.state.ended?.status).toBe('cancelled')
})
