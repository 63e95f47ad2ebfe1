import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../../../src/kernel/index.ts'
import { reflex } from '../../../cli/worlds.ts'
import { lifeIn } from '../../../app/folders.ts'
import { callsIn, place, Process } from './processes.ts'

const LONGEST = 300_000
const tagged = (folder: string): readonly string[] => callsIn(folder).filter((call) => call.startsWith('set_tag'))

describe('processes with one store', () => {
  // proves: skill 127-processes
  it('run a key once, and answer later from its result', { timeout: LONGEST }, async () => {
    const folder = await place({ set: { '/activation/max_concurrency': 4 } })
    const first = new Process({ folder, what: 'run', waits: 'go' })
    await first.called()
    const second = await new Process({ folder, what: 'run' }).ended
    expect([second.error, second.said]).toEqual(['', 'Done.'])
    expect(second.trace).toContain('admission.idempotence_in_progress')
    writeFileSync(join(folder, 'go'), '')
    expect((await first.ended).said).toBe('Done.')
    const third = await new Process({ folder, what: 'run' }).ended
    expect(third.trace).toContain('noop')
    expect(tagged(folder)).toEqual(['set_tag v1'])
  })

  // proves: skill 127-processes
  it('run a key once when they begin at the same moment', { timeout: LONGEST }, async () => {
    const folder = await place({ set: { '/activation/max_concurrency': 4 } })
    const all = await Promise.all([1, 2, 3].map(() => new Process({ folder, what: 'run' }).ended))
    expect(all.map(({ error, said }) => [error, said])).toEqual(all.map(() => ['', 'Done.']))
    expect(tagged(folder)).toEqual(['set_tag v1'])
  })

  // proves: skill 133-processes, skill 128, skill 129
  it('keep the number of executions, and do not count one whose process was killed', { timeout: LONGEST }, async () => {
    const folder = await place()
    const first = new Process({ folder, what: 'run', run: 'otter', waits: 'never' })
    await first.called()
    const second = await new Process({ folder, what: 'run', tag: 'v2' }).ended
    expect(second.trace).toContain('admission.concurrency')
    first.kill()
    await first.ended
    const third = await new Process({ folder, what: 'run', tag: 'v3' }).ended
    expect([third.said, tagged(folder)]).toEqual(['Done.', ['set_tag v1', 'set_tag v3']])
    // What became of the killed one is unknown: nobody repeats it, and the doctor names its turn.
    const again = await new Process({ folder, what: 'run' }).ended
    expect(again.trace).toContain('admission.idempotence_unknown')
    expect(tagged(folder)).toEqual(['set_tag v1', 'set_tag v3'])
    const { out } = await reflex(['doctor', '--store', join(folder, 'reflex.db')], { folder, alive: false })
    expect(out).toMatch(/interrupted turn.*otter/)
  })
})

describe('a turn whose process is killed with -9', () => {
  // proves: skill 144
  // The calls are: a tool of the agent, its model, the tool of the skill, the model again.
  it.each([
    { at: 1, after: false },
    { at: 2, after: true },
    { at: 3, after: false },
    { at: 3, after: true },
    { at: 4, after: true },
  ])(
    'loses no decision of a step that has begun, and is finished by the next one: call $at, after it: $after',
    { timeout: LONGEST },
    async (dies) => {
      const folder = await place()
      const killed = await new Process({ folder, what: 'run', run: 'otter', dies }).ended
      expect([killed.said, killed.error]).toEqual([undefined, ''])
      const before = lifeIn(folder)
      const records = await before.runtime.journal('otter')
      const begun = records.some(({ requests = [] }) => requests.some(([port]) => port === 'tool'))
      const decided = records.some(({ more }) => isObject(more?.note) && more.note['decision'] !== undefined)
      expect(begun && !decided).toBe(false)
      if (tagged(folder).length > 0) expect(begun).toBe(true)
      await before.close()
      // A run of which nothing is durable is not there: it has changed nothing.
      const what = records.length === 0 ? 'run' : 'resume'
      const resumed = await new Process({ folder, what, run: 'otter' }).ended
      expect([resumed.said, resumed.error]).toEqual(['Done.', ''])
      // The tool gets the same key again, and nothing but that may be repeated.
      expect(new Set(tagged(folder))).toEqual(new Set(['set_tag v1']))
      const after = lifeIn(folder)
      expect((await after.replay('otter')).result).toBe('equal')
    },
  )
})
