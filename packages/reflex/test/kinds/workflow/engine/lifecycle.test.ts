import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../../../src/kernel/ports/virtual-host.ts'
import { createEngine, EngineError, type EngineSnapshot } from '../../../../src/kinds/workflow/index.ts'
import { agentOf, boardText, caught, engineOf, flow, log, messageOf, registryOf, stepAll, writing } from './kit.ts'

const pair = flow('pair', { a: {}, b: {} }, [['a', 'b']])
const other = flow('other', { x: {} }, [])

describe('before init', () => {
  // proves: workflow r3a, workflow r3i, workflow C6
  test('there is no state to show', () => {
    const engine = engineOf([pair])
    expect(engine.status()).toBe('idle')
    expect([engine.currentNode(), engine.currentWorkflow(), engine.currentBlackboard()]).toEqual([null, null, null])
    expect([engine.validEdges(), engine.stack(), engine.activeExecutions(), engine.invalidatedExecutions()]).toEqual([[], [], [], []])
    expect([[...engine.executionTree()], engine.executionTree().records, engine.completedExecutionsAt('pair', 'a')]).toEqual([[], [], []])
    const board = engine.blackboard()
    expect([board.get('x'), board.has('x'), board.getAll('x'), board.entries(), board.keys(), board.local()]).toEqual([
      undefined,
      false,
      [],
      [],
      [],
      [],
    ])
  })

  // proves: workflow r3e, workflow r3j, workflow r5.0, workflow r6c, workflow r7a, workflow r7d, workflow r7e, workflow r7f, workflow r7g
  // proves: workflow r7h, workflow r7i, workflow r18m
  test('every call except init is refused, with the texts that users know', async () => {
    const engine = engineOf([pair])
    expect(await messageOf(() => engine.sessionId())).toBe('EngineError: Engine not initialized — call init() first')
    expect(await messageOf(() => engine.snapshot())).toBe('EngineError: snapshot() called before init() — no session state to capture')
    expect(await messageOf(() => engine.step())).toBe(
      "EngineError: step() called in invalid state: 'idle' — engine must be 'running' or 'suspended'",
    )
    expect(await messageOf(() => engine.run())).toBe(
      "EngineError: run() called in invalid state: 'idle' — engine must be 'running' or 'suspended'",
    )
    expect(await messageOf(() => engine.resume(1))).toContain("invalid state: 'idle'")
    expect(await messageOf(() => engine.pushWorkflow('pair'))).toBe('EngineError: pushWorkflow() called before init()')
    expect(await messageOf(() => engine.popWorkflow())).toBe('EngineError: popWorkflow() called before init()')
    expect(await messageOf(() => engine.unwindToDepth(0))).toBe('EngineError: unwindToDepth() called before init()')
    expect(() => engine.interrupt()).not.toThrow()
  })
})

describe('init', () => {
  // proves: workflow r3c, workflow r7c, workflow D9
  test('refuses an unknown workflow and changes nothing', async () => {
    const engine = engineOf([pair])
    expect(await messageOf(() => engine.init('nope'))).toBe("EngineError: Cannot initialize: workflow 'nope' is not registered")
    expect(await caught(() => engine.init('toString'))).toBeInstanceOf(EngineError)
    expect(engine.status()).toBe('idle')
    const id = await engine.init('pair')
    await caught(() => engine.init('nope'))
    expect([engine.status(), engine.sessionId(), engine.currentNode()?.id]).toEqual(['running', id, 'a'])
  })

  // proves: workflow 1.4a, workflow 3.2a, workflow 3.2d, workflow 3.2e, workflow 3.2h
  test('stands at the entry and emits it, without asking an agent', async () => {
    const agent = agentOf()
    const engine = engineOf([pair], agent)
    const events = log(engine)
    const id = await engine.init('pair')
    expect(events).toEqual(['init pair', 'enter pair/a'])
    expect([engine.sessionId(), engine.status(), engine.currentNode(), engine.currentWorkflow()]).toEqual([
      id,
      'running',
      pair.nodes.a,
      pair,
    ])
    expect(engine.currentWorkflow()).toBe(engine.registry.get('pair'))
    expect(agent.asked).toEqual([])
    expect(engine.validEdges()).toEqual([pair.edges[0]])
  })

  // proves: workflow r4a, workflow r8e, workflow r8f, workflow C6
  test('writes seeds in one batch before the entry is entered, as __init__', async () => {
    const host = virtualHost()
    const engine = engineOf([pair], agentOf(), { host })
    const events = log(engine)
    await engine.init('pair', {
      blackboard: [
        { key: 'x', value: 1 },
        { key: 'y', value: { deep: [2] } },
        { key: 'x', value: null },
      ],
    })
    expect(events).toEqual([
      'init pair',
      'write pair: x=1 pair/__init__@0, y={"deep":[2]} pair/__init__@0, x=null pair/__init__@0',
      'enter pair/a',
    ])
    expect(
      engine
        .blackboard()
        .entries()
        .map(({ timestamp }) => timestamp),
    ).toEqual([host.now(), host.now(), host.now()])
  })

  // proves: workflow r4b
  test('without seeds emits no write', async () => {
    const engine = engineOf([pair])
    const events = log(engine)
    await engine.init('pair', { blackboard: [] })
    expect(events).toEqual(['init pair', 'enter pair/a'])
  })

  test('refuses a seed that is not JSON and changes nothing', async () => {
    const engine = engineOf([pair, other])
    const id = await engine.init('pair')
    const thrown = await caught(() => engine.init('other', { blackboard: [{ key: 'when', value: { at: new Date(0) } }] }))
    expect(thrown).toMatchObject({ code: 'R2004', path: 'other/__init__.when.at' })
    expect([engine.sessionId(), engine.currentWorkflow()]).toEqual([id, pair])
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  // proves: workflow r3b, workflow r18k
  test.each(['running', 'suspended', 'completed'])('a second init of a session that is %s starts afresh; handlers stay', async (status) => {
    const agent = agentOf({ a: status === 'suspended' ? async () => ({ type: 'suspend', reason: 'no' }) : writing({ x: 1 }) })
    const engine = engineOf([pair, other], agent)
    const first = await engine.init('pair', { blackboard: [{ key: 'seed', value: 1 }] })
    if (status !== 'running') await engine.run()
    expect(engine.status()).toBe(status)
    const events = log(engine)
    const second = await engine.init('other')
    expect(second).not.toBe(first)
    expect([
      engine.status(),
      engine.currentNode()?.id,
      engine.stack(),
      engine.blackboard().entries(),
      engine.executionTree().records,
    ]).toEqual(['running', 'x', [], [], []])
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(events).toEqual(['init other', 'enter other/x', 'complete other'])
  })

  // proves: workflow r4d, workflow r5.1c, workflow C7
  test('enters an invoking entry, whose call is made by the first step', async () => {
    const engine = engineOf([flow('caller', { go: { calls: 'other' } }, []), other])
    const events = log(engine)
    await engine.init('caller')
    expect(events).toEqual(['init caller', 'enter caller/go'])
    expect(await stepAll(engine)).toEqual(['invoked other/x', 'popped caller/go', 'completed'])
  })
})

describe('completion', () => {
  // proves: workflow 1.4j, workflow r3a, workflow r3h, workflow r18f
  test('shows the last node, workflow and board, and no edges', async () => {
    const engine = engineOf([pair], agentOf({ b: writing({ end: true }) }))
    await engine.init('pair')
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect([engine.status(), engine.currentNode()?.id, engine.currentWorkflow(), engine.validEdges()]).toEqual(['completed', 'b', pair, []])
    expect(boardText(engine.blackboard().entries())).toBe('end=true pair/b@0')
    expect(engine.snapshot().status).toBe('completed')
  })

  // proves: workflow r3e, workflow r5.0, workflow r6c, workflow r7d, workflow r7h, workflow r7i
  test('is final for the session', async () => {
    const engine = engineOf([other])
    await engine.init('other')
    await engine.run()
    for (const [name, act] of Object.entries({
      step: () => engine.step(),
      run: () => engine.run(),
      pushWorkflow: () => engine.pushWorkflow('other'),
      popWorkflow: () => engine.popWorkflow(),
    })) {
      expect(await messageOf(act)).toBe(
        `EngineError: ${name}() called in invalid state: 'completed' — engine must be 'running' or 'suspended'`,
      )
    }
    expect(await messageOf(() => engine.unwindToDepth(0))).toBe(
      "EngineError: unwindToDepth() requires engine to be suspended, but status is 'completed'",
    )
  })
})

describe('persistence', () => {
  // proves: workflow 4.3b
  test('saves at each suspension and at completion, with the snapshot of that moment', async () => {
    const saved: EngineSnapshot[] = []
    const persistence = {
      save: async (id: string, state: EngineSnapshot) => void saved.push({ ...state, sessionId: id }),
      load: async () => null,
    }
    let calm = false
    const agent = agentOf({
      a: async (it) =>
        it.input === undefined
          ? { type: 'suspend', reason: 'ask', writes: [{ key: 'asked', value: 1 }] }
          : { type: 'advance', edge: 'a-b' },
      b: async () => {
        if (!calm) throw new Error('broken')
        return { type: 'complete' }
      },
    })
    const engine = engineOf([pair], agent, { persistence })
    const id = await engine.init('pair')
    expect(saved).toEqual([])
    await engine.run()
    await engine.resume('yes')
    calm = true
    await engine.step()
    expect(saved.map(({ status, currentNodeId }) => `${status} ${currentNodeId}`)).toEqual(['suspended a', 'suspended b', 'completed b'])
    expect(saved.map((state) => state.sessionId)).toEqual([id, id, id])
    expect(saved[0]?.currentBlackboard.map(({ key }) => key)).toEqual(['asked'])
    expect(saved[2]).toEqual({ ...engine.snapshot(), createdAt: saved[2]?.createdAt })
  })

  test('does not save while a session runs', async () => {
    let saves = 0
    const engine = engineOf([pair], agentOf(), { persistence: { save: async () => void saves++, load: async () => null } })
    await engine.init('pair')
    await engine.step()
    expect(saves).toBe(0)
  })

  test('that fails rejects the step, and the session stays as the step left it', async () => {
    let broken = true
    const save = async () => {
      if (broken) throw new Error('disk full')
    }
    const engine = engineOf(
      [other],
      agentOf({ x: async ({ input }) => (input === undefined ? { type: 'suspend', reason: 'wait' } : { type: 'complete' }) }),
      { persistence: { save, load: async () => null } },
    )
    await engine.init('other')
    expect(await messageOf(() => engine.step())).toBe('Error: disk full')
    expect(engine.status()).toBe('suspended')
    engine.on('engine:suspend', () => {
      throw new Error('handler')
    })
    expect(await caught(() => engine.step())).toMatchObject({ errors: [new Error('handler'), new Error('disk full')] })
    expect(await messageOf(() => engine.run())).toBe('Error: disk full')
    broken = false
    expect(await engine.resume(1)).toEqual({ status: 'completed' })
  })
})

describe('session ids', () => {
  // proves: workflow d-session
  test('have 128 bits, drawn for each session', async () => {
    const engine = createEngine(registryOf(other), agentOf())
    const ids = [await engine.init('other'), await engine.init('other')]
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  })

  // proves: workflow d-session
  test('keep sessions of two engines with one persistence apart', async () => {
    const saved = new Map<string, EngineSnapshot>()
    const persistence = { save: async (id: string, state: EngineSnapshot) => void saved.set(id, state), load: async () => null }
    for (const first of ['1', '2']) {
      const host = virtualHost()
      // The two draws differ in bits that no speakable name has.
      host.entropy = () => first.padEnd(32, '0')
      const engine = engineOf([other], agentOf(), { persistence, host })
      await engine.init('other')
      await engine.run()
    }
    expect([...saved.keys()]).toEqual(['1'.padEnd(32, '0'), '2'.padEnd(32, '0')])
  })
})
