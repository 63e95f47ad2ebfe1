import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import type { Port } from '../../../../src/kernel/ports/port.ts'
import { replay } from '../../../../src/kernel/index.ts'
import { OPEN_AT } from '../../../../src/kinds/tree/tick/tree-state.ts'
import { BehaviorTree } from '../../../../src/kinds/tree/seed/behavior-tree.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { idsOf, orphans, Watch, watchedNodes, watchedRunning, watchedTree } from './halting-world.ts'
import { forest, n } from './tree-world.ts'

const never: Port = { leaves: false, repeat: 'free', perform: () => new Promise<never>(() => undefined) }
const RUNS = 150

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('event' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(5, 30, 70_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('halt' as const), at: fc.nat(50) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reload' as const), policy: fc.constantFrom('let_finish_then_swap', 'cancel_and_restart') }),
  },
)
const acts = fc.array(act, { minLength: 1, maxLength: 8 })

// proves: tree halting
test('in a run, whatever ends a node has halted what was RUNNING below it, each once and the deepest first', async () => {
  let halts = 0
  await fc.assert(
    fc.asyncProperty(watchedTree, acts, fc.boolean(), async (root, list, isShort) => {
      const watch = new Watch()
      const nodes = watchedNodes(watch)
      const tree = isShort ? { max_execution_ms: 50 } : {}
      const world = await forest(root, { nodes, stays: true, ports: { never }, tree: { tick_budget: 3, ...tree } })
      const ids = idsOf(root)
      let version = 0
      const check = (): void => {
        expect(watch.wrong).toEqual([])
        const states = world.states()
        const position = world.run.state.root.position as readonly Json[]
        if (position[OPEN_AT] !== 0) return
        expect(orphans(root, (id) => states[id])).toEqual([])
        expect([...watch.active].toSorted()).toEqual([...watchedRunning(root, (id) => states[id])].toSorted())
        if (Number(position[0]) > 2) expect(Object.values(states)).not.toContain('RUNNING')
      }
      check()
      for (const one of list) {
        if (one.do === 'event') await world.event({})
        else if (one.do === 'pass') await world.pass(one.ms)
        else if (one.do === 'cancel') await world.command({ do: 'cancel' })
        else if (one.do === 'halt') await world.command({ do: 'halt', node: ids[one.at % ids.length] ?? '' })
        else {
          const source = { format: 1, id: 'main', events: true, root, board: {}, tick_budget: 3, ...tree, description: `${++version}` }
          const { hash } = world.runtime.programs.add('tree', 'main', source as unknown as Json)
          await world.command({ do: 'reload', reload: { hash, policy: one.policy } })
        }
        check()
      }
      // Each event that waits begins another execution.
      for (let i = 0; i <= list.length; i++) await world.command({ do: 'cancel' })
      check()
      expect([...watch.active]).toEqual([])
      halts += watch.halts
    }),
    { numRuns: RUNS },
  )
  expect(halts).toBeGreaterThan(RUNS / 3)
})

test('in memory, whatever ends a node has halted what was RUNNING below it, each once and the deepest first', async () => {
  let halts = 0
  await fc.assert(
    fc.asyncProperty(watchedTree, acts, async (root, list) => {
      const watch = new Watch()
      const clock = virtualHost({ seed: 3 })
      const nodes = watchedNodes(watch, 'function', { fn: 'never', node: 'x' })
      const functions = { never: () => new Promise<never>(() => undefined) }
      const tree = new BehaviorTree({ id: 'main', tick_budget: 3, root }, { clock, nodes, functions })
      const ids = idsOf(root)
      const check = (): void => {
        const statusOf = (id: string): string | undefined => tree.getNodeById(id)?.status
        expect(watch.wrong).toEqual([])
        expect(orphans(root, statusOf)).toEqual([])
        expect([...watch.active].toSorted()).toEqual([...watchedRunning(root, statusOf)].toSorted())
        if (!tree.isActive) expect(tree.getRunningNodes()).toEqual([])
      }
      for (const one of list) {
        if (one.do === 'event') tree.tick()
        else if (one.do === 'cancel') tree.cancel()
        else if (one.do === 'halt') tree.getNodeById(ids[one.at % ids.length] ?? '')?.reset()
        else if (one.do === 'reload') tree.reset()
        else {
          await clock.advance(one.ms)
          if (tree.nextDue !== undefined && tree.nextDue <= clock.now()) tree.tick()
        }
        check()
      }
      tree.cancel()
      check()
      expect([...watch.active]).toEqual([])
      halts += watch.halts
    }),
    { numRuns: RUNS },
  )
  expect(halts).toBeGreaterThan(RUNS / 3)
})

test('a cancellation while the tick waits for a leaf halts the nodes above it, and what they had written is gone', async () => {
  const watch = new Watch()
  const write = n('set', { id: 'write', key: 'k', value: 'old' })
  const child = n('sequence', { id: 'child' }, [write, n('probe', { id: 'open', script: 'PS' })])
  const other = n('condition', { id: 'other', condition: 'bb.k ~= nil' })
  const root = n('around', { id: 'top' }, [n('parallel', { id: 'both' }, [child, n('inverter', { id: 'not' }, [other])])])
  const world = await forest(root, { nodes: watchedNodes(watch), stays: true, ports: { never }, tree: { board: { k: {} } } })
  expect([...watch.active]).toEqual(['top', 'open'])
  await world.command({ do: 'cancel' })
  expect([[...watch.active], watch.wrong, watch.halts]).toEqual([[], [], 2])
  expect(world.states()).toMatchObject({ top: 'FAILURE', both: 'FAILURE', child: 'FAILURE', open: 'FAILURE' })
  const scopes = 7
  expect((world.run.state.root.position as readonly Json[])[scopes]).toBe(0)
  await world.event({})
  expect(watch.wrong).toEqual([])
  const { records } = await world.runtime.history(world.run.id)
  expect(replay(records, world.runtime.programs).difference).toBeUndefined()
})
