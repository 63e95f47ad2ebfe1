import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { defineTool, type Tool } from '../../src/tools/index.ts'
import type { DecisionAgent } from '../../src/kinds/workflow/types/index.ts'
import { newFolder } from './folders.ts'

let lives = 0

/** A process that has some tools and agents, on a store that others have had before. */
function life(store: Store, { tools = [], agents = {} }: { tools?: readonly Tool[]; agents?: Record<string, DecisionAgent> }): Reflex {
  const pid = 2 ** 22 + ++lives
  const cwd = newFolder()
  const surroundings = { host: virtualHost(), worker: { id: `m${pid}`, host: 'test', pid }, cwd, environment: {}, actor: 'ana' }
  const reflex = new Reflex({ workdir: cwd, store, tools, surroundings, workflow: { agents } })
  onTestFinished(() => reflex.close())
  return reflex
}

const never = (): Promise<never> => new Promise(() => undefined)
const node = (spec: Record<string, unknown>, metadata: object = {}) => ({
  id: 'pays',
  entry: 'a',
  nodes: { a: { id: 'a', spec } },
  edges: [],
  ...metadata,
})

test.each<[string, object, Parameters<typeof life>[1]]>([
  [
    'a tool',
    node({ tool: 'pay' }),
    { tools: [defineTool({ name: 'pay', description: 'Pays.', leaves: true, repeat: 'ask', needs: () => [], run: never })] },
  ],
  ['an agent', node({ agent: 'payer' }), { agents: { payer: { resolve: never } } }],
])('what %s may have done before a crash is asked about where it is missing now', async (_, program, has) => {
  const store = memoryStore()
  const first = life(store, has)
  const run = await first.start(program as never, { id: 'otter' })
  await (first.host as ReturnType<typeof virtualHost>).drain()
  expect(run.run.atRest).toBe(false)
  await first.close()
  const second = life(store, {})
  const again = await second.resume('otter')
  await again.idle()
  expect(again.questions.map(({ name }) => name)).toEqual(['outcome'])
})

test('what never began fails where it is missing', async () => {
  const run = await life(memoryStore(), {}).run(node({ tool: 'pay' }), { id: 'otter' })
  expect(run.questions).toMatchObject([{ name: 'engine:error', fault: { code: 'R4100' } }])
})
