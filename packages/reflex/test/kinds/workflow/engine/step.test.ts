import { describe, expect, test } from 'vitest'
import { createRegistry, createEngine, type DecisionContext } from '../../../../src/kinds/workflow/index.ts'
import { agentOf, boardText, engineOf, flow, log, onward, stackText, stepAll, writing } from './kit.ts'

const child = flow('child', { c1: {}, c2: {} }, [['c1', 'c2']])
const main = flow('main', { a: {}, go: { calls: 'child', map: { got: 'made', same: 'kept' } }, z: {} }, [
  ['a', 'go'],
  ['go', 'z'],
])
const script = {
  a: writing({ x: 1 }),
  c1: writing({ made: 1, hidden: true }),
  c2: writing({ made: 2, kept: null }),
  z: writing({ end: 'z' }),
}

describe('step', () => {
  // proves: workflow 1.3a, workflow 1.4b, workflow 1.4f, workflow 1.4l, workflow 1.4m, workflow 2.4a, workflow 2.10h, workflow 3.2b
  // proves: workflow 3.2j, workflow 4.3a, workflow r5.1a, workflow r5.6b, workflow r5.6e, workflow r5.7a
  test('makes one transition at a time', async () => {
    const agent = agentOf(script)
    const engine = engineOf([child, main], agent)
    await engine.init('main')
    expect(await engine.step()).toEqual({ status: 'advanced', node: main.nodes.go })
    expect(await engine.step()).toEqual({ status: 'invoked', workflow: child, node: child.nodes.c1 })
    expect(await engine.step()).toEqual({ status: 'advanced', node: child.nodes.c2 })
    expect(await engine.step()).toEqual({ status: 'popped', workflow: main, node: main.nodes.go })
    expect(await engine.step()).toEqual({ status: 'advanced', node: main.nodes.z })
    expect(await engine.step()).toEqual({ status: 'completed' })
    expect(agent.asked.map(({ workflow, node }) => `${workflow.id}/${node.id}`)).toEqual([
      'main/a',
      'child/c1',
      'child/c2',
      'main/go',
      'main/z',
    ])
  })

  // proves: workflow 1.4d, workflow 2.4c, workflow 2.7c, workflow 2.10a, workflow r5.3a, workflow r15g, workflow r18e, workflow d-scope
  test('passes the agent the registered workflow, the open edges, the scoped board and the stack, nearest caller first', async () => {
    const leaf = flow('leaf', { deep: {} }, [])
    const middle = flow('middle', { m: { calls: 'leaf' } }, [])
    const top = flow('top', { t: { calls: 'middle' } }, [])
    let seen: DecisionContext | undefined
    const agent = agentOf({ deep: async (it) => onward((seen = it)) })
    const engine = engineOf([leaf, middle, top], agent)
    await engine.init('top', { blackboard: [{ key: 'from', value: 'root' }] })
    await engine.run()
    expect(seen?.workflow).toEqual(leaf)
    expect(seen?.node).toEqual(leaf.nodes.deep)
    expect(seen?.validEdges).toEqual([])
    expect(seen?.blackboard.get('from')).toBe('root')
    expect(stackText(seen?.stack ?? [])).toBe('middle/m() < top/t(from="root" top/__init__@0)')
    expect(seen?.stack[0]?.returnMap).toEqual([])
    expect(seen?.stack[0]?.invocationId).toBe(engine.executionTree().records[0]?.invocationId)
    expect(seen?.stack[1]).not.toHaveProperty('invocationId')
  })

  // proves: workflow 1.4e, workflow 2.5a, workflow 2.7f, workflow 2.7h, workflow r5.4b, workflow r5.6c, workflow r5.6d, workflow r18h
  test('attributes writes to the node being left, its workflow and depth', async () => {
    const engine = engineOf([child, main], agentOf(script))
    await engine.init('main')
    const boards: string[] = []
    engine.on('node:enter', () => boards.push(boardText(engine.blackboard().local())))
    await engine.run()
    expect(boards).toEqual([
      'x=1 main/a@0',
      '',
      'made=1 child/c1@1, hidden=true child/c1@1',
      'x=1 main/a@0, got=2 main/go@0, same=null main/go@0',
      'x=1 main/a@0, got=2 main/go@0, same=null main/go@0',
    ])
    expect(boardText(engine.blackboard().entries())).toBe('x=1 main/a@0, got=2 main/go@0, same=null main/go@0, end="z" main/z@0')
  })

  // proves: workflow 2.5b, workflow r5.6d, workflow r18d
  test('reads a return map from the own board of the child only, in order, and skips unwritten keys', async () => {
    const silent = flow('silent', { s: {} }, [])
    const map = { back: 'x', none: 'nothing', one: 'own', two: 'own' }
    const caller = flow('caller', { go: { calls: 'silent', map } }, [])
    const engine = engineOf([silent, caller], agentOf({ s: writing({ own: 7 }) }))
    await engine.init('caller', { blackboard: [{ key: 'x', value: 'of the caller' }] })
    await engine.run()
    expect(boardText(engine.blackboard().entries())).toBe('x="of the caller" caller/__init__@0, one=7 caller/go@0, two=7 caller/go@0')
  })

  // proves: workflow 2.5c, workflow 2.7j, workflow 2.9b, workflow 5d
  test('drops the writes of a child unless they are mapped', async () => {
    const engine = engineOf([child, main], agentOf(script))
    await engine.init('main')
    await engine.run()
    expect([engine.blackboard().has('hidden'), engine.blackboard().get('got')]).toEqual([false, 2])
  })

  // proves: workflow 1.4c, workflow 2.6b, workflow 2.10c, workflow r5.2a, workflow r5.4a
  test('evaluates guards on the board before the decision writes', async () => {
    const gate = flow('gate', { a: {}, open: {}, shut: {} }, [
      ['a', 'open', { type: 'exists', key: 'key' }],
      ['a', 'shut', { type: 'not-exists', key: 'key' }],
    ])
    const greedy = agentOf({ a: async () => ({ type: 'advance', edge: 'a-open', writes: [{ key: 'key', value: 1 }] }) })
    const engine = engineOf([gate], greedy)
    await engine.init('gate')
    expect(await engine.step()).toEqual({ status: 'suspended', reason: 'Invalid edge selection' })
    expect([greedy.asked[0]?.validEdges.map(({ id }) => id), engine.blackboard().entries(), engine.currentNode()?.id]).toEqual([
      ['a-shut'],
      [],
      'a',
    ])
  })

  // proves: workflow 1.1d, workflow 2.8f, workflow 4.2a, workflow r4c
  test('evaluates guards of a child on its callers too, and writes of a child open only its own guards', async () => {
    const guarded = flow('guarded', { a: {}, yes: {}, no: {} }, [
      ['a', 'yes', { type: 'equals', key: 'mode', value: 'outer' }],
      ['a', 'no', { type: 'not-equals', key: 'mode', value: 'outer' }],
    ])
    const engine = engineOf(
      [guarded, flow('caller', { go: { calls: 'guarded' }, end: {} }, [['go', 'end', { type: 'not-exists', key: 'inner' }]])],
      agentOf({ a: writing({ inner: 1 }) }),
    )
    await engine.init('caller', { blackboard: [{ key: 'mode', value: 'outer' }] })
    expect(await stepAll(engine)).toEqual(['invoked guarded/a', 'advanced yes', 'popped caller/go', 'advanced end', 'completed'])
  })

  // proves: workflow r5.7b
  test('allows an invoking node to be terminal', async () => {
    const engine = engineOf(
      [child, flow('last', { go: { calls: 'child', map: { r: 'made' } } }, [])],
      agentOf({ c2: writing({ made: 5 }), go: writing({ own: 1 }) }),
    )
    await engine.init('last')
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(boardText(engine.blackboard().entries())).toBe('r=5 last/go@0, own=1 last/go@0')
  })

  // proves: workflow 1.5b
  test('allows a workflow to call itself, to any depth', async () => {
    const rec = flow('rec', { ask: {}, again: { calls: 'rec', map: { sum: 'sum' } }, end: {} }, [
      ['ask', 'again', { type: 'custom', evaluate: (board) => (board.get('n') as number) < 60 }],
      ['ask', 'end', { type: 'custom', evaluate: (board) => (board.get('n') as number) >= 60 }],
      ['again', 'end'],
    ])
    const agent = agentOf({
      ask: async (it) => onward(it, { n: (it.blackboard.get('n') as number) + 1 }),
      end: async (it) => onward(it, { sum: it.blackboard.has('sum') ? (it.blackboard.get('sum') as number) + 1 : 1 }),
    })
    const engine = engineOf([rec], agent)
    await engine.init('rec', { blackboard: [{ key: 'n', value: 0 }] })
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.blackboard().get('sum')).toBe(61)
    expect(engine.executionTree().records).toHaveLength(60)
    expect(engine.executionTree().records.every(({ status }) => status === 'completed')).toBe(true)
  })

  // proves: workflow 3.3f, workflow 3.4f, workflow r5.1b, workflow r7k, workflow r7l, workflow r18c
  test('suspends at a missing sub-workflow, and finds it when it is registered', async () => {
    const registry = createRegistry({ warn: () => undefined })
    registry.register(main)
    const engine = createEngine(registry, agentOf(script))
    const events = log(engine)
    await engine.init('main')
    await engine.step()
    events.length = 0
    expect(await engine.step()).toEqual({ status: 'suspended', reason: "Sub-workflow 'child' not found" })
    expect([engine.status(), engine.currentNode()?.id, engine.stack()]).toEqual(['suspended', 'go', []])
    expect(await engine.run()).toMatchObject({ status: 'error', error: { nodeId: 'go' } })
    expect(events).toEqual(Array(2).fill("error go: Invocation failed: sub-workflow 'child' is not registered"))
    registry.register(child)
    expect(await stepAll2(engine)).toEqual(['invoked', 'advanced', 'popped', 'advanced', 'completed'])
  })

  // proves: workflow 3.2c
  test('can be followed by run, from any state of a session', async () => {
    for (let steps = 0; steps < 6; steps++) {
      const engine = engineOf([child, main], agentOf(script))
      await engine.init('main')
      for (let i = 0; i < steps; i++) await engine.step()
      expect(await engine.run()).toEqual({ status: 'completed' })
      expect(engine.blackboard().keys()).toEqual(['x', 'got', 'same', 'end'])
    }
  })

  // proves: workflow 3.2c, workflow 3.2p
  test('emits the same events as run', async () => {
    const stepped = engineOf([child, main], agentOf(script))
    const run = engineOf([child, main], agentOf(script))
    const [a, b] = [log(stepped), log(run)]
    await stepped.init('main')
    await stepAll(stepped)
    await run.init('main')
    await run.run()
    expect(a).toEqual(b)
  })

  // proves: workflow 2.10d
  test("agents may answer at once, or with a promise that is not the language's own", async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- it is what is tested
    const thenable = { then: (settle: (decision: unknown) => void) => settle({ type: 'complete', writes: [{ key: 'k', value: 1 }] }) }
    const engine = engineOf([child], agentOf({ c1: () => ({ type: 'advance', edge: 'c1-c2' }), c2: () => thenable }))
    await engine.init('child')
    expect(await stepAll(engine)).toEqual(['advanced c2', 'completed'])
    expect(engine.blackboard().get('k')).toBe(1)
  })

  test('needs no stack for a long workflow and lets other work proceed', async () => {
    const nodes = Array.from({ length: 5000 }, (_, i) => `n${i}`)
    const long = flow(
      'long',
      Object.fromEntries(nodes.map((node) => [node, {}])),
      nodes.slice(1).map((node, i) => [`n${i}`, node] as const),
    )
    const engine = engineOf([long], agentOf({ n0: (it) => onward(it), n1: (it) => onward(it) }))
    await engine.init('long')
    let turned = false
    setImmediate(() => {
      turned = true
    })
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(turned).toBe(true)
    expect(engine.currentNode()?.id).toBe('n4999')
  })

  // proves: workflow 1.3b, workflow 2.1b, workflow 2.3a
  test('never reads specs and metadata, which may be anything', async () => {
    const cyclic: Record<string, unknown> = { when: new Date(0), big: 10n, fn: () => 1, none: undefined }
    cyclic.self = cyclic
    const odd = { ...flow('odd', { a: { spec: cyclic }, b: { spec: cyclic } }, [['a', 'b']]), metadata: cyclic }
    const engine = engineOf([odd])
    await engine.init('odd')
    const { spec } = engine.currentNode() ?? {}
    expect([spec?.when, spec?.fn, spec?.self]).toEqual([cyclic.when, cyclic.fn, spec])
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})

describe('after a return (C1)', () => {
  const caller = flow('caller', { go: { calls: 'child' }, z: {} }, [['go', 'z']])

  // proves: workflow 1.4l, workflow 3.2c, workflow r6a, workflow C1
  test('suspending and failing at the invoking node do not repeat the call', async () => {
    const answers: unknown[] = [
      { type: 'suspend', reason: 'think' },
      new Error('no'),
      { type: 'advance', edge: 'nowhere' },
      { type: 'complete' },
      undefined,
    ]
    const agent = agentOf({
      go: async (it) => {
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer ?? onward(it)
      },
    })
    const engine = engineOf([child, caller], agent)
    await engine.init('caller')
    expect(await engine.run()).toEqual({ status: 'suspended', reason: 'think' })
    expect(engine.snapshot().skipInvocation).toBe(true)
    for (const reason of ['Decision agent threw an error', 'Invalid edge selection', 'complete at non-terminal node']) {
      expect(await engine.step()).toEqual({ status: 'suspended', reason })
      expect([engine.snapshot().skipInvocation, engine.currentNode()?.id, engine.stack()]).toEqual([true, 'go', []])
    }
    expect(await engine.step()).toEqual({ status: 'advanced', node: caller.nodes.z })
    expect(engine.snapshot().skipInvocation).toBe(false)
    expect(engine.executionTree().records).toHaveLength(1)
  })
})

async function stepAll2(engine: ReturnType<typeof engineOf>): Promise<string[]> {
  const steps: string[] = []
  do steps.push((await engine.step()).status)
  while (engine.status() === 'running')
  return steps
}

describe('a workflow whose id has a colon', () => {
  const child = flow('pay:refund', { only: {} }, [])
  const caller = flow('caller', { call: { calls: 'pay:refund', map: { paid: 'done' } } }, [])
  const agent = (): ReturnType<typeof agentOf> => agentOf({ 'pay:refund/only': writing({ done: true }) })

  test('is called by its exact id', async () => {
    const engine = engineOf([child, caller], agent())
    await engine.init('caller')
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.blackboard().get('paid')).toBe(true)
  })

  // proves: workflow d-ref-bare
  test('is preferred to a program of the kind before the colon', async () => {
    const engine = engineOf([flow('workflow:child', { only: {} }, []), flow('a', { call: { calls: 'workflow:child' } }, [])])
    await engine.init('a')
    expect(await engine.step()).toMatchObject({ status: 'invoked', workflow: { id: 'workflow:child' } })
  })

  test('can be pushed', async () => {
    const engine = engineOf([child, flow('plain', { a: {} }, [])], agent())
    await engine.init('plain')
    expect(engine.pushWorkflow('pay:refund')).toMatchObject({ status: 'invoked', workflow: { id: 'pay:refund' } })
  })
})
