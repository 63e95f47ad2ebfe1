import { describe, expect, it } from 'vitest'
import { digestFraction, Fault } from '../../../../src/kernel/index.ts'
import { defineTool, type Tool } from '../../../../src/tools/index.ts'
import { Reflex, skill, type SkillDocument } from '../../../../src/wrap/index.ts'
import { newFolder } from '../../../app/folders.ts'

const EXECUTIONS = 150
const OUTAGES = 0.1

/** Reads twice and changes two things, each with its undo. `tries`: how often a step is tried again. */
function exchange(tries: number): SkillDocument {
  const retry = { max: tries, backoff_ms: 0 }
  return {
    schema: 'reflex.capability/1',
    id: 'order.exchange',
    version: '1.0.0',
    owner: 'desk',
    description: 'Exchanges an article.',
    compat: {},
    signature: { inputs: [{ name: 'order', type: 'string' }] },
    preconditions: { tools_available: ['order', 'stock', 'exchange', 'note', 'cancel', 'unnote'] },
    plan: {
      idempotence_key: 'exchange:{{order}}',
      steps: [
        { id: 'order', tool: 'order', args: { order: '{{order}}' }, retry },
        { id: 'stock', tool: 'stock', args: { order: '{{order}}' }, retry },
        { id: 'exchange', tool: 'exchange', args: { order: '{{order}}' }, retry },
        { id: 'note', tool: 'note', args: { order: '{{order}}' }, retry },
      ],
      compensation: [
        { when: 'any', for_step: 'exchange', tool: 'cancel', args: { order: '{{order}}' } },
        { when: 'any', for_step: 'note', tool: 'unnote', args: { order: '{{order}}' } },
      ],
    },
    effects: { external: ['exchanged:order'] },
    activation: { keywords_any: ['exchange'] },
  }
}

interface Ended {
  readonly isDone: boolean
  /** What stays outside. */
  readonly outside: readonly string[]
}

/** One execution, in which each call fails with a chance of one in ten before it does anything. */
async function execute(seed: string, tries: number): Promise<Ended> {
  const outside = new Set<string>()
  let calls = 0
  const tool = (name: string, act: () => void, leaves = true): Tool =>
    defineTool({
      name,
      description: name,
      leaves,
      repeat: leaves ? 'keyed' : 'free',
      run: () => {
        if (digestFraction(`${seed} ${calls++}`) < OUTAGES) throw new Fault('BUSY', `${name} is not available`, 'retry')
        act()
        return { done: name }
      },
    })
  const nothing = (): void => undefined
  const tools = [
    tool('order', nothing, false),
    tool('stock', nothing, false),
    tool('exchange', () => outside.add('exchange')),
    tool('note', () => outside.add('note')),
    tool('cancel', () => outside.delete('exchange')),
    tool('unnote', () => outside.delete('note')),
  ]
  const reflex = new Reflex({ store: 'memory:', workdir: newFolder(), tools, skill: { project: 'desk' } })
  try {
    const run = await reflex.run(skill(exchange(tries)), { input: { order: seed }, skill: { draft: true } })
    return { isDone: run.status === 'completed', outside: [...outside] }
  } finally {
    await reflex.close()
  }
}

// proves: skill 189
describe('plans while one call of ten fails', () => {
  it.each([
    { tries: 0, done: 85 },
    { tries: 2, done: 150 },
  ])('leave nothing half done; with $tries more tries of a step, $done of 150 succeed', { timeout: 300_000 }, async ({ tries, done }) => {
    const ends: Ended[] = []
    for (let i = 0; i < EXECUTIONS; i++) ends.push(await execute(`A-${i}`, tries))
    expect(ends.filter(({ isDone }) => isDone)).toHaveLength(done)
    expect(ends.filter(({ isDone, outside }) => outside.length !== (isDone ? 2 : 0))).toEqual([])
  })
})
