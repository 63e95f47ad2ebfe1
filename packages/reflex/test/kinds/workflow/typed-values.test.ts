import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { encodeRecord, type Rec, Runtime } from '../../../src/kernel/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import {
  decisionPort,
  restoreEngine,
  serializeWorkflow,
  type Workflow,
  workflowKind,
  WorkflowValidationError,
} from '../../../src/kinds/workflow/index.ts'
import { workflowSource } from '../../../src/kinds/workflow/model/compile.ts'
import { loadWorkflow } from '../../../src/kinds/workflow/file/load.ts'
import { agentOf, caught, engineOf, flow, log, onward, registryOf, stepAll, writing } from './engine/kit.ts'

const board = { order: z.object({ id: z.string(), total: z.number() }), note: { type: 'string' } } as const
const order = { id: 'A-1', total: 84 }

const typed = (workflow: Workflow, schemas: NonNullable<Workflow['board']> = board): Workflow => ({ ...workflow, board: schemas })

// proves: workflow 6.3a
describe('a write to a key with a schema', () => {
  // proves: workflow 6.3a
  test('is kept as given, including fields that the schema does not have', async () => {
    const engine = engineOf(
      [typed(flow('main', { a: {}, z: {} }, [['a', 'z']]))],
      agentOf({ a: writing({ order: { ...order, more: 1 } }) }),
    )
    await engine.init('main')
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.blackboard().get('order')).toEqual({ ...order, more: 1 })
  })

  test.each([
    ['an advance', flow('main', { a: {}, z: {} }, [['a', 'z']]), (writes: object) => writing({ note: 'kept?', ...writes })],
    ['a completion', flow('main', { a: {} }, []), (writes: object) => writing({ note: 'kept?', ...writes })],
    [
      'a suspension',
      flow('main', { a: {}, z: {} }, [['a', 'z']]),
      (writes: object) => async () => ({
        type: 'suspend',
        reason: 'later',
        writes: Object.entries({ note: 'kept?', ...writes }).map(([key, value]) => ({ key, value })),
      }),
    ],
  ])('that does not fit suspends at %s, and nothing of the decision is written', async (_, workflow, deciding) => {
    let given: object = { order: { id: 1 } }
    const engine = engineOf([typed(workflow)], agentOf({ a: (it) => deciding(given)(it) }))
    const lines = log(engine)
    await engine.init('main')
    const result = await engine.step()
    expect(result).toMatchObject({ status: 'suspended', reason: expect.stringContaining('main/a wrote order as {"id":1}') as string })
    expect(lines.filter((line) => !/^(init|enter)/.test(line))).toEqual([expect.stringMatching(/^error a: main\/a wrote order/)])
    expect([engine.status(), engine.currentNode()?.id, engine.blackboard().keys()]).toEqual(['suspended', 'a', []])
    given = { order }
    await engine.step()
    expect(engine.blackboard().keys()).toEqual(['note', 'order'])
  })

  test('with an asynchronous or failing validator is refused with the reason', async () => {
    const later = { '~standard': { version: 1, vendor: 'mine', validate: async (value: unknown) => ({ value }) } } as const
    const broken = {
      '~standard': {
        version: 1,
        vendor: 'mine',
        validate: () => {
          throw new Error('out of order')
        },
      },
    } as const
    for (const [schema, reason] of [
      [later, 'answers later'],
      [broken, 'out of order'],
    ] as const) {
      const engine = engineOf([typed(flow('main', { a: {} }, []), { order: schema })], agentOf({ a: writing({ order }) }))
      await engine.init('main')
      expect(await engine.step()).toMatchObject({ status: 'suspended', reason: expect.stringContaining(reason) as string })
    }
  })
})

test('that fits is recorded unchanged, so that a journal has it once', async () => {
  const runtime = new Runtime({
    kinds: [workflowKind({ load: (source) => loadWorkflow(source as object) })],
    ports: { decide: decisionPort(agentOf({ a: writing({ order, free: [1] }) })) },
    host: virtualHost(),
  })
  const workflow = typed(flow('main', { a: {}, z: {} }, [['a', 'z']]))
  const run = await runtime.start(runtime.programs.add('workflow', 'main', workflowSource(workflow).source))
  await run.idle()
  const [decision] = run.records.filter(({ writes }) => writes !== undefined)
  expect(decision?.writes).toEqual(['order', order, 'free', [1]])
  expect(decision?.input).toEqual(['ok', 2, ['a-z', decision?.writes]])
  expect(encodeRecord(decision as Rec).text.split('A-1')).toHaveLength(2)
})

describe('values from outside a decision', () => {
  const child = typed(flow('child', { c: {} }, []), { total: { type: 'number' } })

  test('seeds that do not fit are refused, and the earlier session continues', async () => {
    const engine = engineOf([typed(flow('main', { a: {} }, []))])
    const before = await engine.init('main', { blackboard: [{ key: 'order', value: order }] })
    const refused = await caught(() => engine.init('main', { blackboard: [{ key: 'order', value: { id: 'A-1' } }] }))
    expect(refused).toMatchObject({ code: 'R2045', path: 'main', message: expect.stringContaining('order.total') as string })
    expect(engine.sessionId()).toBe(before)
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test('a returned value that does not fit fails the call: nothing is returned, and the call can be repeated', async () => {
    const main = typed(flow('main', { a: { calls: 'child', map: { note: 'said', also: 'said' } }, z: {} }, [['a', 'z']]))
    let said: unknown = 1
    const engine = engineOf([flow('child', { c: {} }, []), main], agentOf({ c: async (it) => onward(it, { said }) }))
    await engine.init('main')
    expect(await engine.step()).toMatchObject({ status: 'invoked' })
    const failed = await engine.step()
    expect(failed).toMatchObject({ status: 'suspended', reason: expect.stringContaining('must be a string') as string })
    expect([engine.currentWorkflow()?.id, engine.currentNode()?.id, engine.blackboard().keys()]).toEqual(['main', 'a', []])
    said = 'fine'
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.blackboard().keys()).toEqual(['note', 'also'])
  })

  test('the same holds for a child in the middle of a call that the host pops', async () => {
    const engine = engineOf(
      [flow('child', { c: {}, d: {} }, [['c', 'd']]), typed(flow('main', { a: {} }, []))],
      agentOf({ c: writing({ said: 1 }) }),
    )
    await engine.init('main')
    engine.pushWorkflow('child', { returnMap: [{ parentKey: 'note', childKey: 'said' }] })
    await engine.step()
    expect(engine.popWorkflow()).toMatchObject({ status: 'suspended', reason: expect.stringContaining('must be a string') as string })
    expect([engine.stack(), engine.blackboard().keys()]).toEqual([[], []])
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test('a value from the host that does not fit a pushed workflow is refused before the push', async () => {
    const engine = engineOf([child, flow('main', { a: {} }, [])])
    await engine.init('main', { blackboard: [{ key: 'sum', value: 'much' }] })
    const lines = log(engine)
    const refused = await caught(() => engine.pushWorkflow('child', { inputMap: [{ from: 'sum', to: 'total' }] }))
    expect(refused).toMatchObject({ code: 'R2045' })
    expect([lines, engine.stack()]).toEqual([[], []])
  })

  test('a restored snapshot keeps the schemas of the registry', async () => {
    const main = typed(flow('main', { a: {}, z: {} }, [['a', 'z']]))
    const engine = engineOf([main])
    await engine.init('main')
    const again = restoreEngine(engine.snapshot(), registryOf(main), agentOf({ a: writing({ note: 1 }) }))
    expect(await stepAll(again)).toEqual(['suspended main/a wrote note as 1: must be a string'])
    expect(again.blackboard().keys()).toEqual([])
  })
})

describe('a board in a file', () => {
  const text = `{
  "id": "refund",
  "entry": "read",
  "board": {
    "total": { "type": "number" },
    "code": { "pattern": "^a" },
    "free": { "x-unit": "EUR" }
  },
  "nodes": { "read": { "id": "read", "spec": {} } },
  "edges": []
}`

  test('is loaded, checked, and written again', async () => {
    const workflow = loadWorkflow(text)
    expect(JSON.parse(serializeWorkflow(workflow))).toEqual(JSON.parse(text))
    const engine = engineOf([workflow], agentOf({ read: writing({ total: '84' }) }))
    await engine.init('refund')
    expect(await engine.step()).toMatchObject({ reason: 'refund/read wrote total as "84": must be a number' })
  })

  test('that is invalid is refused by the loader and by the registry', async () => {
    const base = flow('main', { a: {} }, [])
    for (const wrong of [5, { total: 5 }]) {
      expect(await caught(() => loadWorkflow({ ...base, board: wrong }))).toBeInstanceOf(WorkflowValidationError)
      expect(await caught(() => registryOf({ ...base, board: wrong as never }))).toMatchObject({ finding: { code: 'R1058' } })
    }
    expect(await caught(() => registryOf({ ...base, board: { total: { type: 'nubmer' } } }))).toMatchObject({
      code: 'SCHEMA_VIOLATION',
      finding: { code: 'R1059' },
    })
  })
})

describe('validators as data', () => {
  test('are represented by their JSON Schema, which accepts the same values', () => {
    const { source, local } = workflowSource(typed(flow('main', { a: {} }, [])))
    expect(local).toBeUndefined()
    expect(loadWorkflow(source as object).board).toMatchObject({
      order: { type: 'object', required: ['id', 'total'] },
      note: { type: 'string' },
    })
    expect(serializeWorkflow(typed(flow('main', { a: {} }, [])))).toContain('"required"')
  })

  test('that JSON Schema cannot express keep the program in its process, with the reason', async () => {
    const workflow = typed(flow('main', { a: {} }, []), { even: z.number().refine((n) => n % 2 === 0) })
    expect(workflowSource(workflow).local).toBe('JSON Schema cannot express the schema of even: it has a refinement')
    expect(await caught(() => serializeWorkflow(workflow))).toMatchObject({ code: 'SCHEMA_VIOLATION', finding: { code: 'R1056' } })
    const engine = engineOf([workflow], agentOf({ a: writing({ even: 3 }) }))
    await engine.init('main')
    expect(await engine.step()).toMatchObject({ status: 'suspended' })
  })
})
