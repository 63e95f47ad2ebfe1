import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { LuaTimeoutError } from '../../../../src/kinds/tree/board/errors.ts'
import type { BehaviorTree } from '../../../../src/kinds/tree/seed/behavior-tree.ts'
import { TreeLoader } from '../../../../src/kinds/tree/seed/tree-loader.ts'
import { n } from '../tick/tree-world.ts'
import { reasonOf, world } from './seed-world.ts'

const trees: BehaviorTree[] = []
afterEach(() => {
  for (const tree of trees.splice(0)) tree.cancel()
})

async function ended(tree: BehaviorTree): Promise<string> {
  trees.push(tree)
  for (let result = tree.tick(); ; result = tree.tick()) {
    if (result.status !== 'RUNNING') return result.status
    await tree.settled()
  }
}
const script = (code: string, more: JsonObject = {}): ReturnType<typeof n> => n('script', { id: 'script', code, ...more })

test('a script runs in memory without any service: the tick returns RUNNING, and the answer ticks again', async () => {
  const { tree } = world({ board: { n: { type: 'int', default: 20 } }, root: script('bb.set("n", bb.n + 1)') })
  expect(tree.tick().status).toBe('RUNNING')
  await tree.settled()
  expect([tree.tick().status, tree.blackboard.get('n')]).toEqual(['SUCCESS', 21])
})

test('a condition that is no expression runs in Lua', async () => {
  const condition = 'local sum = bb.n; while sum > 10 do sum = sum - 1 end; return sum == 10'
  const { tree } = world({ board: { n: { type: 'int', default: 20 } }, root: n('condition', { id: 'c', condition }) })
  expect(await ended(tree)).toBe('SUCCESS')
})

// proves: tree UB-03
test('an error of a script stands on the blackboard of the host, with its traceback and line', async () => {
  const { tree, events } = world({ root: script('local a = 1\n\nerror("oh no")') })
  expect(await ended(tree)).toBe('FAILURE')
  const { line, message, traceback } = tree.blackboard.get('_last_script_error') as JsonObject
  expect([line, message, traceback]).toEqual([3, expect.stringContaining('oh no'), expect.stringContaining('script')])
  expect(events.filter(({ type }) => type === 'script.error').map(({ severity, priority }) => [severity, priority])).toEqual([
    ['error', 'high'],
  ])
  expect(reasonOf(tree)).toContain('oh no')
})

// proves: tree 64
test('the eleventh script of a user in a second waits for the next one, whichever tree runs it', async () => {
  const made = world({ root: script('return true') })
  for (let i = 0; i < 10; i++) expect(await ended(made.tree)).toBe('SUCCESS')
  made.tree.tick()
  await Promise.resolve()
  expect([made.tree.tick().status, made.types().includes('security.rate.exceeded')]).toEqual(['RUNNING', true])
  await made.clock.advance(1000)
  expect(await ended(made.tree)).toBe('SUCCESS')
})

test('the loader has a limit for files of Lua that its host sets', async () => {
  const endless = 'while true do end'
  const error = await new TreeLoader({ sandboxTimeoutMs: 20 }).loadString(endless).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(LuaTimeoutError)
  expect(error).toMatchObject({ rule: 'E5003' })
})
