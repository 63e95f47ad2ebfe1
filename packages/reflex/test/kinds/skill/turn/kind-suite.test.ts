import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../../src/store/index.ts'
import { type KindSubject, kindSuite, virtualHost } from '../../../../src/testing/index.ts'
import { worldOf } from '../../../kernel/world.ts'
import { runsSettings } from '../../../policy/settings.ts'
import { TURNS } from './subject.ts'

it.each<[KindSubject, string]>(TURNS.map((one, i) => [one, ['"status":"ok"', 'partial_failure'][i] ?? '']))(
  '$0.name ends as it is meant to',
  async ({ kinds, programs, ports, script, args = null }, said) => {
    const store = memoryStore()
    const world = worldOf(kinds, { ports: ports?.(store, virtualHost()) ?? {}, store, settings: runsSettings() })
    const [turn] = programs.map(({ kind, id, source }) => world.runtime.programs.add(kind, id, source))
    if (turn === undefined) throw new Error('the subject has no program')
    const run = await world.runtime.start(turn, { args })
    for (await run.idle(); run.state.ended === undefined; await run.idle()) await script?.drive?.(run)
    expect(run.state.ended).toMatchObject({ status: 'done', value: 'over' })
    const { records } = await world.runtime.history(run.id)
    expect(JSON.stringify(records)).toContain(said)
  },
)

for (const one of TURNS) {
  describe(`a turn keeps the promises of a kind: ${one.name}`, () => {
    for (const { name, run } of kindSuite(one)) it(name, { timeout: 120_000 }, run)
  })
}
