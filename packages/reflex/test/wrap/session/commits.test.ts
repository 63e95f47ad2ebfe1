import { expect, test } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import { connection, life } from './world.ts'

const CALLS = 10

/** Calls a tool ten times in one turn of a wrapped agent, and returns how often the store has committed between the first call and the last one. */
async function commitsOf(sideEffects: 'none' | 'external'): Promise<number> {
  let commits = 0
  const store = connection(memoryStore(), (name, act) => {
    if (name !== 'commit') return undefined
    return (...args: never[]) => {
      commits++
      return act(...args)
    }
  })
  const { reflex } = life({ store })
  const agent = reflex.wrap({
    name: 'counted',
    tools: { call: { sideEffects, execute: async () => 'done' } },
    async agent(_: string, context: { readonly tools: unknown }) {
      const { call } = context.tools as { readonly call: { execute(args: object): Promise<string> } }
      await call.execute({ i: 'first' })
      const before = commits
      for (let i = 0; i < CALLS; i++) await call.execute({ i })
      return commits - before
    },
  })
  return agent.run('go')
}

test('a wrapped tool that reads waits for no commit, and one that leaves for one', async () => {
  expect(await commitsOf('none')).toBe(0)
  expect(await commitsOf('external')).toBe(CALLS)
})
