import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

const graph = (body: string): string => `digraph walk { start [shape=Mdiamond] done [shape=Msquare] ${body} }`
const ASKS = 'ask [shape=hexagon, label="Go on?"] ask -> a [label="[Y] Yes"] ask -> done [label="[N] No"]'
const FAILS = graph(`${ASKS} a [type="gate.trust", min_tier=autonomous] start -> ask a -> done`)
const NOWHERE = graph(`${ASKS} a [type=transform, transform=constant, expression=x] start -> ask a -> done [condition="outcome=fail"]`)
const LONG =
  graph(`${ASKS} a [shape=component] b [type=transform, transform=increment, source_key=n, output_key=n] c [type=branch] join [shape=tripleoctagon]
  start -> ask a -> b b -> b [condition="context.n<5"] b -> join a -> c -> join join -> out
  out [type=gate, expression="parallel.fail_count"] out -> done [condition="outcome=success"] out -> bad bad [type="gate.trust", min_tier=autonomous]`)

/** Starts a run that waits for an answer, answers it, and carries it on in another process: how that ended. */
async function resumed(dot: string, ...flags: readonly string[]): Promise<number> {
  const folder = workFolder()
  writeFileSync(join(folder, 'walk.dot'), dot)
  await reflex(['run', 'walk.dot', '--id', 'otter', '--answers', 'none', '--no-validate', ...flags], { folder })
  return (await reflex(['answer', 'otter', 'Yes'], { folder })).code
}

describe('options of a pipeline run also apply when another process resumes it', () => {
  test('--on-unrouted-failure', async () => {
    expect([await resumed(FAILS), await resumed(FAILS, '--on-unrouted-failure', 'lenient')]).toEqual([1, 0])
  })

  test('--dead-end', async () => {
    expect([await resumed(NOWHERE), await resumed(NOWHERE, '--dead-end', 'fail')]).toEqual([0, 1])
  })

  test('--branch-steps', async () => {
    expect([await resumed(LONG), await resumed(LONG, '--branch-steps', '3')]).toEqual([1, 0])
  })
})

test('--persist-artifacts keeps small artifacts as files', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'walk.dot'), graph('a [prompt=x, simulate=true] start -> a -> done'))
  await reflex(['run', 'walk.dot', '--id', 'otter', '--persist-artifacts'], { folder })
  expect(existsSync(join(folder, '.reflex/runs/otter/manifest.json'))).toBe(true)
})

test.each([
  ['--on-unrouted-failure', 'ignore', 'fail or lenient'],
  ['--dead-end', 'stop', 'success or fail'],
  ['--branch-steps', 'many', 'is not a count'],
])('%s %s is refused', async (flag, word, says) => {
  const folder = workFolder()
  writeFileSync(join(folder, 'walk.dot'), graph('start -> done'))
  const { code, err } = await reflex(['run', 'walk.dot', flag, word], { folder })
  expect([code, err]).toEqual([2, expect.stringContaining(says)])
})

test('a limit that asks no question is not shown as a budget in the header', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'walk.dot'), graph('start -> done'))
  const { err } = await reflex(['run', 'walk.dot', '--branch-steps', '3'], { folder })
  expect(err).toMatch(/pipeline · probationary$/m)
})
