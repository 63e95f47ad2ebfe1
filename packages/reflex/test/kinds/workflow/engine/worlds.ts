import * as fc from 'fast-check'
import type { BlackboardWrite, Decision, Guard, ReflexEngine, RunnableAgent, Workflow } from '../../../../src/kinds/workflow/index.ts'
import { flow } from './kit.ts'

/** What a host does next. */
export type Order = { readonly do: 'step' | 'run' | 'answer' | 'pop' | 'push' | 'unwind'; readonly pick: number }

/** Workflows that call each other, an agent over them, and what a host does with them. */
export interface World {
  readonly workflows: readonly Workflow[]
  readonly root: string
  readonly seeds: readonly BlackboardWrite[]
  readonly orders: readonly Order[]
  /** Always a new agent, which decides by what it sees alone, so that two of them decide alike. */
  agent(): RunnableAgent
  /** Does what the order says if the engine is in a state for it. */
  obey(engine: ReflexEngine, order: Order): Promise<void>
}

const KEYS = ['k', 'l', 'm']

const guards: fc.Arbitrary<Guard | undefined> = fc.option(
  fc.oneof(
    fc.record({ type: fc.constantFrom('exists' as const, 'not-exists' as const), key: fc.constantFrom(...KEYS) }),
    fc.record({ type: fc.constantFrom('equals' as const, 'not-equals' as const), key: fc.constantFrom(...KEYS), value: fc.nat(3) }),
  ),
  { nil: undefined, freq: 1 },
)

/** Level 2 calls level 1, level 1 level 0: every run ends. */
function level(depth: number): fc.Arbitrary<Workflow> {
  return fc.integer({ min: 2, max: 4 }).chain((size) => {
    const names = Array.from({ length: size }, (_, i) => `n${i}`)
    const calls = fc.array(
      fc.nat(2).map((it) => it > 0),
      { minLength: size, maxLength: size },
    )
    const maps = fc.array(fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...KEYS)), { minLength: size, maxLength: size })
    const edges = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1), guards), { minLength: 2, maxLength: 8 })
    return fc.tuple(calls, maps, edges).map(([called, map, pairs]) => {
      const nodes = names.map((name, i) => [name, depth > 0 && called[i] ? { calls: `w${depth - 1}`, map: map[i] ?? {} } : {}] as const)
      const unique = new Map(
        pairs
          .filter(([from, to]) => from < to)
          .map(([from, to, guard]) => [`${from}-${to}`, [`n${from}`, `n${to}`, ...(guard === undefined ? [] : [guard])] as const]),
      )
      return flow(`w${depth}`, Object.fromEntries(nodes), [...unique.values()] as never)
    })
  })
}

/** Draws that depend on what is asked, not on how often: a restored agent decides as the first one would have. */
function draw(seed: number, text: string): number {
  let hash = seed | 0
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 0x5bd1e995) ^ (hash >>> 13)
  return hash >>> 1
}

function agentOf(seed: number, suspends: boolean): RunnableAgent {
  return {
    async resolve({ workflow, node, blackboard, validEdges, stack, input }): Promise<Decision> {
      const seen = JSON.stringify([workflow.id, node.id, blackboard.entries().length, stack.length, input ?? null])
      const dice = draw(seed, seen)
      const writes = KEYS.slice(0, dice % 4).map((key, i) => ({ key, value: (dice >> i) % 4 }))
      const mood = input === undefined && suspends ? dice % 7 : 0
      if (mood === 1) return { type: 'suspend', reason: 'wait', writes }
      if (mood === 2) throw new Error('moody')
      const edge = validEdges[dice % Math.max(1, validEdges.length)]
      if (edge !== undefined) return { type: 'advance', edge: edge.id, writes }
      // Where every edge is closed only the host helps; at an end the workflow does.
      if (workflow.edges.some(({ from }) => from === node.id)) return { type: 'suspend', reason: 'stuck' }
      return { type: 'complete', writes }
    },
  }
}

async function obey(engine: ReflexEngine, { do: act, pick }: Order): Promise<void> {
  const status = engine.status()
  if (status !== 'running' && status !== 'suspended') return
  const depth = engine.stack().length
  switch (act) {
    case 'step':
      return void (await engine.step())
    case 'run':
      return void (await engine.run())
    case 'answer':
      return void (await engine.run(status === 'suspended' && engine.snapshot().suspension !== undefined ? { input: pick } : {}))
    case 'pop':
      return void (depth > 0 && engine.popWorkflow())
    case 'push':
      return void (
        depth < 4 &&
        engine.pushWorkflow('w0', {
          inputMap: [
            { from: 'k', to: 'l' },
            { from: 'm', to: 'm' },
          ],
          returnMap: [{ parentKey: 'm', childKey: 'k' }],
        })
      )
    case 'unwind':
      return status === 'suspended' ? engine.unwindToDepth(pick % (depth + 1), { reinvoke: pick % 2 === 0 }) : undefined
  }
}

function worldsOf(suspends: boolean): fc.Arbitrary<World> {
  return fc
    .record({
      levels: fc.tuple(level(0), level(1), level(2)),
      root: fc.constantFrom('w1', 'w2', 'w2', 'w2'),
      seeds: fc.array(fc.record({ key: fc.constantFrom(...KEYS), value: fc.jsonValue() }), { maxLength: 3 }),
      orders: fc.array(
        fc.record({ do: fc.constantFrom('step', 'step', 'step', 'run', 'answer', 'pop', 'push', 'unwind', 'unwind'), pick: fc.nat(9) }),
        { minLength: 8, maxLength: 40 },
      ) as fc.Arbitrary<Order[]>,
      seed: fc.integer(),
    })
    .map(({ levels, root, seeds, orders, seed }) => ({
      workflows: levels,
      root,
      seeds,
      orders,
      agent: () => agentOf(seed, suspends),
      obey,
    }))
}

/** With agents that suspend and fail. */
export const worlds = worldsOf(true)

/** With agents that always go on where they can. */
export const calmWorlds = worldsOf(false)
