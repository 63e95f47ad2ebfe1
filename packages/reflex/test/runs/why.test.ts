import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Cause } from '../../src/history/causes.ts'
import { countsOf } from '../counts.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { reflexOf } from './world.ts'

/** How many causes stand behind each other, and the last of them. */
function followed(cause: Cause): { readonly deep: number; readonly last: Cause } {
  const ends = cause.from.map(followed)
  const deepest = ends.toSorted((a, b) => b.deep - a.deep)[0]
  return deepest === undefined ? { deep: 0, last: cause } : { deep: deepest.deep + 1, last: deepest.last }
}

describe('why', () => {
  test('shows the value of a long loop up to a limit, and then the command that continues', async () => {
    const reflex = reflexOf({ trust: 'trusted' })
    const laps = 1_200
    const file = join(reflex.workdir, 'laps.dot')
    const dot = `digraph laps { graph [max_node_visits="100000"]; start [shape=Mdiamond]; done [shape=Msquare]
      count [type="transform", transform="increment", source_key="n", output_key="n"]; more [shape=diamond]
      start -> count -> more; more -> count [condition="context.n<${laps}"]; more -> done [condition="context.n>=${laps}"] }`
    writeFileSync(file, dot)
    await reflex.run(file, { id: 'otter' })
    const cause = await reflex.why('otter', 'n')
    expect(cause).toMatchObject({ what: 'value', value: laps })
    const { deep, last } = followed(cause)
    expect(deep).toBeLessThan(100)
    expect(last).toMatchObject({ name: 'further back', text: `why @${last.record}`, from: [] })
    const further = followed(await reflex.why('otter', `@${last.record}`))
    expect(further.last.record).toBeLessThan(last.record)
    expect(followed(await reflex.why('otter', 'more')).deep).toBeLessThan(100)
  })

  test('decides few steps of a long run again, and reads none of its records twice', async () => {
    const reflex = reflexOf({ trust: 'trusted' })
    const rounds = 3_000
    const file = join(reflex.workdir, 'rounds.dot')
    const dot = `digraph rounds { graph [max_node_visits="100000"]; start [shape=Mdiamond]; done [shape=Msquare]
      count [type="transform", transform="increment", source_key="n", output_key="n"]
      start -> count; count -> count [condition="context.n<${rounds}"]; count -> done [condition="context.n>=${rounds}"] }`
    writeFileSync(file, dot)
    const { run } = await reflex.run(file, { id: 'otter' })
    let cause: Cause | undefined
    const decided = await countsOf('kernel/step/read-watcher.ts', async () => void (cause = await reflex.why('otter', 'n')))
    expect(cause && followed(cause).last.name).toBe('further back')
    expect(decided.get('readsOf')).toBeLessThan(1_100)
    const walked = await countsOf('history/chronology.ts', async () => void (await reflex.why('otter', 'n')))
    expect(walked.get('#previous')).toBeLessThan(run.state.n + 1)
  })

  test('shows a question that has no answer yet', async () => {
    const reflex = reflexOf()
    const ask = workflow({
      id: 'ask',
      entry: 'read',
      nodes: { read: { spec: { writes: { total: 84 } } }, approve: { spec: { ask: 'Refund {{total}}?' } }, pay: {} },
      edges: [
        { from: 'read', to: 'approve', event: 'NEXT' },
        { from: 'approve', to: 'pay', event: 'YES' },
      ],
    })
    await reflex.run(ask, { id: 'otter' })
    const cause = await reflex.why('otter', 'approve')
    expect(cause).toMatchObject({ what: 'record', name: 'approve', text: 'asks "Refund 84?"' })
    expect(cause.by).toBeUndefined()
  })
})
