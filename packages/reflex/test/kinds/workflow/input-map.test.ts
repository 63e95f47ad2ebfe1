import { describe, expect, test } from 'vitest'
import { type Kind, Runtime } from '../../../src/kernel/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { decisionPort, restoreEngine, serializeWorkflow, type Workflow, workflowKind } from '../../../src/kinds/workflow/index.ts'
import { loadWorkflow } from '../../../src/kinds/workflow/file/load.ts'
import { agentOf, boardText, engineOf, flow, log, registryOf, stepAll, writing } from './engine/kit.ts'

const invokes = {
  workflowId: 'child',
  returnMap: [{ parentKey: 'out', childKey: 'got' }],
  inputMap: [
    { from: 'in', to: 'given' },
    { from: 'never', to: 'x' },
    { from: 'outer', to: 'got' },
  ],
}
const child = flow('child', { c: {} }, [])
const main = flow('main', { a: {}, go: { invokes }, z: {} }, [
  ['a', 'go'],
  ['go', 'z'],
])

describe('an input map', () => {
  // proves: workflow 6.3c, workflow r13b
  test('copies values that the caller can read to the own board of the child, in one batch, before its entry', async () => {
    const outermost = flow('outermost', { o: { calls: 'main' } }, [])
    const engine = engineOf([child, main, outermost], agentOf({ a: writing({ in: { deep: 1 } }) }))
    await engine.init('outermost', { blackboard: [{ key: 'outer', value: 'from far' }] })
    await engine.step()
    await engine.step()
    const lines = log(engine)
    expect(await engine.step()).toMatchObject({ status: 'invoked', workflow: { id: 'child' }, node: { id: 'c' } })
    expect(lines).toEqual([
      'record main/go > child active',
      'push child on main/go(in={"deep":1} main/a@1)',
      'write child: given={"deep":1} child/__push__@2, got="from far" child/__push__@2',
      'enter child/c',
    ])
    expect(boardText(engine.blackboard().local())).toBe('given={"deep":1} child/__push__@2, got="from far" child/__push__@2')
    const again = restoreEngine(engine.snapshot(), registryOf(child, main, outermost), agentOf())
    for (const it of [engine, again]) {
      expect(await it.run()).toEqual({ status: 'completed' })
      expect(it.executionTree().records.map(({ status }) => status)).toEqual(['completed', 'completed'])
    }
  })

  test('ends with the child, and a return map can return its values like those that the child wrote', async () => {
    const engine = engineOf([child, main], agentOf({ a: writing({ in: 1, outer: 2 }) }))
    await engine.init('main')
    expect(await stepAll(engine)).toEqual(['advanced go', 'invoked child/c', 'popped main/go', 'advanced z', 'completed'])
    expect(boardText(engine.blackboard().entries())).toBe('in=1 main/a@0, outer=2 main/a@0, out=2 main/go@0')
  })

  test('without values begins the child with an empty board and no write', async () => {
    const engine = engineOf([child, main])
    await engine.init('main')
    const lines = log(engine)
    await engine.step()
    await engine.step()
    expect(lines.filter((line) => line.startsWith('write'))).toEqual([])
  })

  test('suspends at the node if a value does not fit the board of the child', async () => {
    const strict: Workflow = { ...child, board: { given: { type: 'number' } } }
    const engine = engineOf([strict, main], agentOf({ a: writing({ in: 'much' }) }))
    await engine.init('main')
    await engine.step()
    const lines = log(engine)
    const failed = await engine.step()
    expect(failed).toMatchObject({ status: 'suspended', reason: expect.stringContaining('workflow:child failed') as string })
    expect([engine.status(), engine.currentWorkflow()?.id, engine.currentNode()?.id]).toEqual(['suspended', 'main', 'go'])
    expect(lines.at(-1)).toMatch(/^error go: .*must be a number/)
    expect([engine.activeExecutions(), engine.blackboard().keys()]).toEqual([[], ['in']])
  })

  test('can be written as JSON', () => {
    expect(loadWorkflow(serializeWorkflow(main)).nodes['go']?.invokes).toEqual(invokes)
  })

  test('passes named inputs to a program of another kind', async () => {
    const guest: Kind = {
      name: 'guest',
      rev: 1,
      compile: (source) => source,
      step: (x) => {
        x.set('got', x.args ?? null)
        x.done()
      },
    }
    const calling = flow('calling', { go: { invokes: { ...invokes, workflowId: 'guest:g' } } }, [])
    const runtime = new Runtime({
      kinds: [guest, workflowKind({ load: (source) => loadWorkflow(source as object) })],
      ports: { decide: decisionPort(agentOf()) },
      host: virtualHost(),
    })
    runtime.programs.add('guest', 'g', {})
    const run = await runtime.start(runtime.programs.add('workflow', 'calling', calling as never), { args: { in: [1], outer: 'o' } })
    await run.idle()
    expect(run.state.root.reader().get('out')).toEqual({ given: [1], got: 'o' })
  })
})
