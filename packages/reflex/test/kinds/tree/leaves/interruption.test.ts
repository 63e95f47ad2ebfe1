import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { faults as modelFaults } from '../../../../src/models/faults.ts'
import { Doors } from '../../../kernel/world.ts'
import { type Forest, forest, type ForestOptions, leaf, n } from '../tick/tree-world.ts'
import { differenceOf, payloads } from './leaf-world.ts'

const call = (params: JsonObject = {}): NodeSource => n('llm_call', { id: 'ask', prompt: 'hello', stream_to: 'a', ...params })

/** A tree that has asked a model, which has begun its answer. */
async function asked(root: NodeSource, options: ForestOptions = {}): Promise<{ tree: Forest; doors: Doors }> {
  const doors = new Doors()
  const tree = await forest(root, { ports: { model: doors.port() }, ...options })
  doors.door().part({ text: 'The moo' })
  await tree.pass(200)
  return { tree, doors }
}

describe('interruption', () => {
  test.each([
    [{ type: 'llm.interrupt', reason: 'the user speaks' }, 'the user speaks'],
    [{ type: 'agent.loop.detected' }, 'agent.loop.detected'],
    [{ type: 'budget.tokens.exceeded', node: 'ask' }, 'budget.tokens.exceeded'],
  ])('%j stops a model that answers, and its tree reacts', async (event, reason) => {
    const { tree, doors } = await asked(n('selector', {}, [call(), leaf('next')]), { scripts: { next: ['S'] } })
    await tree.event(event)
    expect([tree.run.status, tree.calls, doors.door().signal.aborted]).toEqual(['completed', ['next'], true])
    expect(tree.get('a')).toEqual({ content: '', index: -1, accumulated: 'The moo' })
    expect(tree.get('llm_response_error')).toMatchObject({ error_type: 'interrupted', code: 'E6002', partial: 'The moo' })
    expect(payloads(tree, 'llm.interrupted')).toMatchObject([{ node_id: 'ask', reason, characters: 7 }])
    expect(payloads(tree, 'async.cancelled')).toHaveLength(1)
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test.each([[{ type: 'llm.interrupt', node: 'other' }], [{ type: 'agent.loop' }], ['llm.interrupt']])(
    '%j stops no model',
    async (event) => {
      const { tree, doors } = await asked(call())
      await tree.event(event)
      expect([tree.states().ask, doors.door().signal.aborted]).toEqual(['RUNNING', false])
    },
  )

  test('a node that is not interruptible continues, and an event says so; a timeout ends it all the same', async () => {
    const { tree, doors } = await asked(call({ interruptible: false, timeout_ms: 5000 }))
    await tree.event({ type: 'llm.interrupt' })
    expect([tree.states().ask, doors.door().signal.aborted]).toEqual(['RUNNING', false])
    expect(payloads(tree, 'llm.interrupt.ignored')).toMatchObject([{ node_id: 'ask', severity: 'warning' }])
    await tree.pass(5000)
    expect([tree.run.status, doors.door().signal.aborted]).toEqual(['failed', true])
  })

  test('the pause before another attempt is interrupted, too', async () => {
    const { tree, doors } = await asked(n('selector', {}, [call(), leaf('next')]), { scripts: { next: ['S'] } })
    doors.door().fail(modelFaults.make('R4009', 'too many'))
    await tree.pass(0)
    await tree.event({ type: 'agent.loop.detected' })
    expect([tree.run.status, doors.open.length, tree.get('llm_response_error')]).toMatchObject([
      'completed',
      1,
      { error_type: 'interrupted', retry_count: 1 },
    ])
  })

  test('a command interrupts one node or all', async () => {
    const root = n('parallel', { policy: 'require_all', on_child_fail: 'continue' }, [
      call({ response_key: 'ra' }),
      call({ id: 'other', stream_to: 'b', response_key: 'rb' }),
    ])
    const { tree, doors } = await asked(root)
    await tree.command('interrupt ask enough of it')
    expect([tree.states().ask, tree.states().other, doors.open.map(({ signal }) => signal.aborted)]).toEqual([
      'FAILURE',
      'RUNNING',
      [true, false],
    ])
    expect(payloads(tree, 'llm.interrupted')).toMatchObject([{ node_id: 'ask', reason: 'enough of it' }])
    await tree.command('interrupt')
    expect([tree.run.status, payloads(tree, 'llm.interrupted')[1]]).toMatchObject(['failed', { node_id: 'other', reason: 'user_request' }])
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('a reactive parent that takes another child aborts the model, and what it has written stays', async () => {
    const root = n('reactive_selector', {}, [
      n('condition', { id: 'urgent', condition: 'ctx.event ~= nil and ctx.event.urgent == true' }),
      call(),
    ])
    const { tree, doors } = await asked(root)
    expect(tree.states()).toMatchObject({ ask: 'RUNNING' })
    await tree.event({ urgent: true })
    expect([tree.run.status, tree.states().ask, doors.door().signal.aborted]).toEqual(['completed', 'FRESH', true])
    expect([tree.get('a'), tree.get('llm_response')]).toEqual([{ content: '', index: -1, accumulated: 'The moo' }, undefined])
    doors.door().settle({ text: 'late' })
    await tree.pass(0)
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('what a model below a parallel node has written goes with the scope of its branch', async () => {
    const root = n('parallel', { policy: 'require_one' }, [call(), n('wait', { id: 'other', wait_ms: 1000 })])
    const { tree, doors } = await asked(root)
    await tree.pass(1000)
    expect([tree.run.status, doors.door().signal.aborted, tree.get('a')]).toEqual(['completed', true, undefined])
    expect(await differenceOf(tree)).toBeUndefined()
  })
})
