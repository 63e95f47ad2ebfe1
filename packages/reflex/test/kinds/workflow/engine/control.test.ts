import { describe, expect, test } from 'vitest'
import { agentOf, boardText, engineOf, flow, log, messageOf, onward, stackText, stepAll, writing } from './kit.ts'

const leaf = flow('leaf', { l: {}, m: {} }, [['l', 'm']])
const child = flow('child', { c: { calls: 'leaf' }, d: {} }, [['c', 'd']])
const main = flow('main', { a: {}, go: { calls: 'child', map: { got: 'made' } }, z: {} }, [
  ['a', 'go'],
  ['go', 'z'],
])
const all = [leaf, child, main]

describe('pushWorkflow', () => {
  // proves: workflow 1.1b, workflow r3g, workflow r8f, workflow r13a, workflow r13b, workflow r13c, workflow r15e, workflow C17
  // proves: workflow D11
  test('calls at once: seeds from the scopes of the caller, events in order, the agent after the return', async () => {
    const agent = agentOf({ l: writing({ r: 'result' }) })
    const engine = engineOf(all, agent)
    await engine.init('main', { blackboard: [{ key: 'in', value: { deep: 1 } }] })
    const events = log(engine)
    const result = engine.pushWorkflow('leaf', {
      inputMap: [
        { from: 'in', to: 'given' },
        { from: 'never', to: 'x' },
      ],
      returnMap: [{ parentKey: 'out', childKey: 'r' }],
    })
    expect(result).toEqual({ status: 'invoked', workflow: leaf, node: leaf.nodes.l })
    expect(events).toEqual([
      'record main/a > leaf active',
      'push leaf on main/a(in={"deep":1} main/__init__@0)',
      'write leaf: given={"deep":1} leaf/__push__@1',
      'enter leaf/l',
    ])
    expect([engine.status(), engine.currentNode()?.id, boardText(engine.blackboard().local())]).toEqual([
      'running',
      'l',
      'given={"deep":1} leaf/__push__@1',
    ])
    expect(engine.snapshot().stack[0]?.returnMap).toEqual([{ parentKey: 'out', childKey: 'r' }])
    expect(await stepAll(engine)).toEqual([
      'advanced m',
      'popped main/a',
      'advanced go',
      'invoked child/c',
      'invoked leaf/l',
      'advanced m',
      'popped child/c',
      'advanced d',
      'popped main/go',
      'advanced z',
      'completed',
    ])
    expect(boardText(engine.blackboard().getAll('out'))).toBe('out="result" main/a@0')
  })

  // proves: workflow r13d
  test('at a node with a pending call replaces that call', async () => {
    const agent = agentOf()
    const engine = engineOf(all, agent)
    await engine.init('main')
    await engine.step()
    engine.pushWorkflow('leaf')
    expect(await stepAll(engine)).toEqual(['advanced m', 'popped main/go', 'advanced z', 'completed'])
  })

  // proves: workflow r13d
  test('at a node whose call has returned asks the agent again afterwards', async () => {
    const engine = engineOf(all)
    await engine.init('main')
    while (!engine.snapshot().skipInvocation || engine.currentNode()?.id !== 'go') await engine.step()
    engine.pushWorkflow('leaf')
    expect(await stepAll(engine)).toEqual(['advanced m', 'popped main/go', 'advanced z', 'completed'])
  })

  // proves: workflow r3g, workflow r13c
  test('keeps a suspended engine suspended, drops its question, and the next step continues in the child', async () => {
    let asked = 0
    const engine = engineOf(all, agentOf({ a: async (it) => (asked++ === 0 ? { type: 'suspend', reason: 'q' } : onward(it)) }))
    await engine.init('main')
    await engine.run()
    engine.pushWorkflow('leaf')
    expect([engine.status(), engine.currentWorkflow()?.id]).toEqual(['suspended', 'leaf'])
    expect(await messageOf(() => engine.resume('an answer to the dropped question'))).toContain('no node waits for it')
    expect(await engine.step()).toMatchObject({ status: 'advanced', node: { id: 'm' } })
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  // proves: workflow r7h
  test('of an unknown workflow is refused and changes nothing', async () => {
    const engine = engineOf(all)
    await engine.init('main')
    expect(await messageOf(() => engine.pushWorkflow('nope'))).toBe("EngineError: pushWorkflow() failed: workflow 'nope' is not registered")
    expect(engine.stack()).toEqual([])
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})

describe('popWorkflow', () => {
  // proves: workflow r3g, workflow r5.8b, workflow r13e, workflow r13f, workflow r13g
  test('returns from any node, with the return map, as a return does', async () => {
    const engine = engineOf(all, agentOf({ c: writing({ made: 'half' }), l: writing({ leafed: 1 }) }))
    await engine.init('main')
    for (let i = 0; i < 6; i++) await engine.step()
    expect(engine.currentNode()?.id).toBe('d')
    const events = log(engine)
    expect(engine.popWorkflow()).toEqual({ status: 'popped', workflow: main, node: main.nodes.go })
    expect(events).toEqual(['write main: got="half" main/go@0', 'pop to main main/go()', 'enter main/go'])
    expect([engine.status(), engine.activeExecutions(), engine.completedExecutionsAt('main', 'go')]).toMatchObject([
      'running',
      [],
      [{ status: 'completed' }],
    ])
    expect(await stepAll(engine)).toEqual(['advanced z', 'completed'])
  })

  // proves: workflow r7i
  test('with an empty stack is refused', async () => {
    const engine = engineOf(all)
    await engine.init('main')
    expect(await messageOf(() => engine.popWorkflow())).toBe('EngineError: popWorkflow() called with empty stack — nothing to pop')
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  // proves: workflow r3g, workflow r13g
  test('of a suspended child: still suspended, then the agent at the invoking node', async () => {
    const agent = agentOf({ l: async () => ({ type: 'suspend', reason: 'stuck' }) })
    const engine = engineOf(all, agent)
    await engine.init('main')
    await engine.run()
    expect(engine.popWorkflow()).toMatchObject({ status: 'popped', node: { id: 'c' } })
    expect(engine.status()).toBe('suspended')
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test('works at a child that is about to call', async () => {
    const engine = engineOf(all)
    await engine.init('main')
    await engine.step()
    await engine.step()
    expect(engine.currentNode()?.id).toBe('c')
    engine.popWorkflow()
    expect(await stepAll(engine)).toEqual(['advanced z', 'completed'])
  })
})

describe('unwindToDepth', () => {
  async function deep(): Promise<ReturnType<typeof engineOf>> {
    let suspended = false
    const suspend = async () => {
      suspended = true
      return { type: 'suspend', reason: 'stuck', writes: [{ key: 'lost', value: 1 }] }
    }
    const engine = engineOf(all, agentOf({ a: writing({ kept: 1 }), l: (it) => (suspended ? onward(it) : suspend()) }))
    await engine.init('main')
    await engine.run()
    expect(stackText(engine.stack())).toBe('child/c() < main/go(kept=1 main/a@0)')
    return engine
  }

  // proves: workflow r3f, workflow r5.8b, workflow r14c, workflow r14d, workflow r14e, workflow r14f, workflow r14g, workflow r16j
  // proves: workflow C6
  test('discards the callees and restores their caller, suspended, without entering it', async () => {
    const engine = await deep()
    const events = log(engine)
    engine.unwindToDepth(0)
    expect(events).toEqual(['invalidate 2', 'unwind to 0 main/go: leaf/l(lost=1 leaf/l@2) < child/c()'])
    expect([engine.status(), engine.currentNode()?.id, engine.stack(), boardText(engine.blackboard().entries())]).toEqual([
      'suspended',
      'go',
      [],
      'kept=1 main/a@0',
    ])
    expect(engine.snapshot()).toMatchObject({ skipInvocation: true })
    expect(await stepAll2(engine)).toEqual(['advanced', 'completed'])
    expect(engine.executionTree().records.map(({ status }) => status)).toEqual(['invalidated', 'invalidated'])
  })

  // proves: workflow r15c
  test('to a depth in the middle keeps the call of the restored frame active', async () => {
    const engine = await deep()
    engine.unwindToDepth(1)
    expect([engine.currentNode()?.id, stackText(engine.stack())]).toEqual(['c', 'main/go(kept=1 main/a@0)'])
    expect(engine.executionTree().records.map(({ status }) => status)).toEqual(['active', 'invalidated'])
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.executionTree().records.map(({ status }) => status)).toEqual(['completed', 'invalidated'])
  })

  // proves: workflow r14e, workflow r15c, workflow r16j
  test('with reinvoke repeats the call', async () => {
    const engine = await deep()
    const events = log(engine)
    engine.unwindToDepth(1, { reinvoke: true })
    expect(events.at(-1)).toBe('unwind to 1 child/c again: leaf/l(lost=1 leaf/l@2)')
    expect([engine.status(), engine.snapshot().skipInvocation]).toEqual(['suspended', false])
    expect(await engine.step()).toMatchObject({ status: 'invoked', node: { id: 'l' } })
    expect(engine.executionTree().records.map(({ status }) => status)).toEqual(['active', 'invalidated', 'active'])
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  // proves: workflow r14b
  test('to the current depth changes nothing, with any options', async () => {
    const engine = await deep()
    const events = log(engine)
    const before = JSON.stringify({ ...engine.snapshot(), createdAt: '' })
    engine.unwindToDepth(2, { reinvoke: true })
    expect([JSON.stringify({ ...engine.snapshot(), createdAt: '' }), events]).toEqual([before, []])
  })

  // proves: workflow r7g, workflow r14a, workflow D7
  test.each([-1, 3, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1' as unknown as number])(
    'to %s is refused and changes nothing (D7)',
    async (depth) => {
      const engine = await deep()
      const events = log(engine)
      expect(await messageOf(() => engine.unwindToDepth(depth))).toBe(
        `EngineError: unwindToDepth(${depth}) out of range — valid range is 0..2`,
      )
      expect([events, engine.activeExecutions().length, engine.stack().length]).toEqual([[], 2, 2])
    },
  )

  // proves: workflow r7g, workflow r14a
  test('needs a suspended engine', async () => {
    const engine = engineOf(all)
    await engine.init('main')
    expect(await messageOf(() => engine.unwindToDepth(0))).toBe(
      "EngineError: unwindToDepth() requires engine to be suspended, but status is 'running'",
    )
  })

  test('of a pushed workflow returns to the node from which it was pushed', async () => {
    const engine = engineOf(all, agentOf({ l: async () => ({ type: 'suspend', reason: 'stuck' }) }))
    await engine.init('main')
    engine.pushWorkflow('leaf')
    await engine.run()
    engine.unwindToDepth(0, { reinvoke: true })
    expect(await engine.step()).toMatchObject({ status: 'advanced', node: { id: 'go' } })
  })

  test('works at a node whose call is pending', async () => {
    const engine = await deep()
    engine.unwindToDepth(1, { reinvoke: true })
    engine.unwindToDepth(0)
    expect([engine.currentNode()?.id, engine.stack(), engine.activeExecutions()]).toEqual(['go', [], []])
    expect(await stepAll2(engine)).toEqual(['advanced', 'completed'])
  })

  // proves: workflow 1.5c
  test('works repeatedly, and to the root of a recursion', async () => {
    const rec = flow('rec', { r: { calls: 'rec' } }, [])
    const engine = engineOf([rec, leaf], agentOf({ l: async () => ({ type: 'suspend', reason: 'stuck' }) }))
    await engine.init('rec')
    for (let i = 0; i < 10; i++) await engine.step()
    engine.pushWorkflow('leaf')
    await engine.run()
    expect(engine.stack()).toHaveLength(11)
    for (const depth of [9, 4, 1, 0]) {
      engine.unwindToDepth(depth)
      expect([engine.stack().length, engine.activeExecutions().length, engine.currentNode()?.id]).toEqual([depth, depth, 'r'])
    }
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})

describe('the execution tree of a session', () => {
  // proves: workflow r15a, workflow r15b
  test('has a record for each call, and none for the root', async () => {
    const engine = engineOf(all)
    await engine.init('main')
    expect([engine.executionTree().size, engine.executionTree().records]).toEqual([0, []])
    await engine.run()
    const [first, second] = engine.executionTree().records
    expect(first).toEqual({
      invocationId: first?.invocationId,
      parentWorkflowId: 'main',
      parentNodeId: 'go',
      childWorkflowId: 'child',
      returnMap: [{ parentKey: 'got', childKey: 'made' }],
      status: 'completed',
      childInvocationIds: [second?.invocationId],
    })
    expect(second).toEqual({
      invocationId: second?.invocationId,
      parentInvocationId: first?.invocationId,
      parentWorkflowId: 'child',
      parentNodeId: 'c',
      childWorkflowId: 'leaf',
      status: 'completed',
      childInvocationIds: [],
    })
    expect(engine.completedExecutionsAt('child', 'c')).toEqual([second])
  })

  // proves: workflow D1
  test('keeps the calls that enclose a recursive one (D1)', async () => {
    const rec = flow('rec', { r: { calls: 'rec' } }, [])
    const engine = engineOf([rec])
    await engine.init('rec')
    for (let i = 0; i < 3; i++) await engine.step()
    expect([engine.activeExecutions().length, engine.invalidatedExecutions()]).toEqual([3, []])
    engine.popWorkflow()
    await engine.run()
    expect(engine.executionTree().records.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  })

  // proves: workflow r15d, workflow r15e, workflow r16i
  test('invalidates an earlier push from the same place and call, with its event first', async () => {
    const engine = engineOf(all)
    await engine.init('main')
    engine.pushWorkflow('child')
    await engine.step()
    engine.popWorkflow()
    engine.popWorkflow()
    expect(engine.completedExecutionsAt('main', 'a')).toHaveLength(1)
    const events = log(engine, (it) => ` | ${it.currentNode()?.id}`)
    engine.pushWorkflow('leaf')
    expect(events).toEqual(['invalidate 2 | a', 'record main/a > leaf active | l', 'push leaf on main/a() | l', 'enter leaf/l | l'])
    expect(engine.executionTree().records.map(({ status }) => status)).toEqual(['invalidated', 'invalidated', 'active'])
  })
})

async function stepAll2(engine: ReturnType<typeof engineOf>): Promise<string[]> {
  const steps: string[] = []
  do steps.push((await engine.step()).status)
  while (engine.status() === 'running')
  return steps
}
