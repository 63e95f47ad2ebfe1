import { describe, expect, test } from 'vitest'
import { isFault } from '../../src/kernel/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { PLACES } from './workers.ts'

describe.each(PLACES)('names, %s', (_, place) => {
  test('of forks that are made at once are given once', async () => {
    const { reflex, program } = place().live(virtualHost())
    await reflex.run(program('waits', { questions: ['approve'] }), { id: 'otter' })
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => reflex.fork('otter', { id: 'crane' })))
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [isFault(one.reason) ? one.reason.code : String(one.reason)] : []))
    expect(refused).toEqual(['R5007', 'R5007', 'R5007', 'R5007', 'R5007'])
    expect((await reflex.runs()).map(({ id }) => id).sort()).toEqual(['crane', 'otter'])
  })

  test('of keys may be those that objects have of their own', async () => {
    const { reflex } = place().live(virtualHost())
    const writes = JSON.parse('{"constructor": "a", "__proto__": "b", "toString": "c"}') as Record<string, string>
    const nodes = { a: { id: 'a', spec: { set: writes } } }
    const run = await reflex.run({ id: 'keys', entry: 'a', nodes, edges: [] }, { id: 'otter' })
    expect(run.failure).toBeUndefined()
    expect(await reflex.replay('otter')).toMatchObject({ result: 'equal' })
  })
})
