import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { type KindSubject, kindSuite, virtualHost } from '../../../../src/testing/index.ts'
import { worldOf } from '../../../kernel/world.ts'
import { runsSettings } from '../../../policy/settings.ts'
import { PLANS } from './subjects.ts'

it.each<[KindSubject, string, Json]>(
  PLANS.map((one, index) => [
    one,
    index === 1 ? 'failed' : 'done',
    index === 1 ? { code: 'R1472', data: { outcome: { compensated: 'full' } } } : { seen: expect.stringMatching(/^[0-9a-f]{8}/) as Json },
  ]),
)('$0.name ends as it is meant to', async ({ kinds, programs, ports, script, args }, status, value) => {
  const store = memoryStore()
  const world = worldOf(kinds, { ports: ports?.(store, virtualHost()) ?? {}, store, settings: runsSettings() })
  for (const { kind, id, source } of programs) world.runtime.programs.add(kind, id, source)
  const [{ kind, id, source } = { kind: '', id: '', source: null }] = programs
  const run = await world.runtime.start(world.runtime.programs.add(kind, id, source), { args: args ?? null })
  await run.idle()
  for (const wait of run.state.waits.values()) await run.answer(wait.id, script?.answer?.(wait) ?? null)
  await run.idle()
  expect(run.state.ended).toMatchObject({ status, value })
})

for (const one of PLANS) {
  // proves: skill 129-crash, skill 148
  describe(`a plan keeps the promises of a kind: ${one.name}`, () => {
    for (const { name, run } of kindSuite(one)) it(name, { timeout: 120_000 }, run)
  })
}
