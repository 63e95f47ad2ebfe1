import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, test } from 'vitest'
import {
  createEngine,
  createRegistry,
  loadWorkflow,
  type ReflexEngine,
  restoreEngine,
  serializeWorkflow,
} from '../../../../src/kinds/workflow/index.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../../../docs/kinds/workflow.md'), 'utf8')

function blocks(language: string): string[] {
  return Array.from(page.matchAll(/```(\w+)\n([\s\S]*?)```/g), ([, name, text]) => (name === language ? (text ?? '') : '')).filter(
    (text) => text !== '',
  )
}

const identityFile = JSON.stringify({
  id: 'identity',
  entry: 'check',
  nodes: { check: { id: 'check', spec: {}, outputs: [{ key: 'verdict', guaranteed: true }] } },
  edges: [],
})

interface Programs {
  readonly registry: ReturnType<typeof createRegistry>
  readonly engine: ReflexEngine
  readonly waiting: unknown
  readonly end: unknown
}

interface Outcome extends Programs {
  readonly logged: unknown[][]
  readonly sent: string[]
}

/** Runs the programs of the page, one after the other, as they stand there. */
async function runPage(): Promise<Outcome> {
  // The example that imports `Reflex` is complete by itself: the tests of the documents run it.
  const engineBlocks = blocks('ts').filter((text) => !text.includes("from 'reflex-runtime'"))
  const [loading = '', deciding = '', events = ''] = engineBlocks.map((text) =>
    // What the snippets import stands around them here.
    stripTypeScriptTypes(text.replace(/^import .*$/gm, '').replaceAll(': DecisionAgent', '')),
  )
  // Each snippet stands alone on the page; here they share one engine.
  const listening = events.replace('const engine = createEngine(registry, agent)', '')
  const init = deciding.indexOf('await engine.init')
  const body = `${loading}\n${deciding.slice(0, init)}\n${listening}\n${deciding.slice(init)}\nreturn { registry, engine, waiting, end }`
  const logged: unknown[][] = []
  const sent: string[] = []
  const world = {
    createRegistry,
    createEngine,
    loadWorkflow,
    readFileSync: (name: string) => (name === 'identity.workflow.json' ? identityFile : blocks('json')[0]),
    console: { log: (...values: unknown[]) => logged.push(values) },
    WebSocket: class {
      send(text: string): void {
        sent.push(text)
      }
    },
  }
  const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<Programs>
  const run = new AsyncFunction(...Object.keys(world), body)
  return { ...(await run(...Object.values(world))), logged, sent }
}

describe('the page about workflows', () => {
  test('has a file that loads, verifies and is written again unchanged', async () => {
    const { registry } = await runPage()
    expect(registry.verify('refund')).toEqual({ workflowId: 'refund', valid: true, warnings: [] })
    const refund = registry.get('refund')
    if (refund === undefined) throw new Error('not registered')
    expect(JSON.parse(serializeWorkflow(refund))).toEqual(JSON.parse(blocks('json')[0] ?? ''))
  })

  test('has programs that run as described', async () => {
    const { engine, waiting, end, logged, sent } = await runPage()
    expect(waiting).toEqual({ status: 'suspended', reason: 'a person', ask: { text: 'Refund it in full?' } })
    expect([end, engine.currentNode()?.id]).toEqual([{ status: 'completed' }, 'pay'])
    expect(engine.blackboard().keys()).toEqual(['order_id', 'order', 'identity', 'verdict'])
    expect(logged).toEqual([])
    const events = sent.map((text) => (JSON.parse(text) as { event: string }).event)
    expect(events.join(' ')).toBe(
      [
        'engine:init blackboard:write node:enter',
        'node:exit edge:traverse blackboard:write node:enter',
        'execution:record workflow:push node:enter',
        'blackboard:write blackboard:write workflow:pop node:enter',
        'node:exit edge:traverse node:enter engine:suspend',
        'node:exit edge:traverse node:enter blackboard:write engine:complete',
      ].join(' '),
    )
  })

  test('describes snapshots correctly', async () => {
    const { engine, registry } = await runPage()
    const again = restoreEngine(engine.snapshot(), registry, { resolve: async () => ({ type: 'complete' }) })
    expect([again.status(), again.sessionId(), again.blackboard().keys()]).toEqual([
      'completed',
      engine.sessionId(),
      engine.blackboard().keys(),
    ])
  })
})
