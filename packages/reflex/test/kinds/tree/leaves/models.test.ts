import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { faults as modelFaults } from '../../../../src/models/faults.ts'
import { Doors } from '../../../kernel/world.ts'
import { type Forest, forest, type ForestOptions, n } from '../tick/tree-world.ts'
import { eventTypes, payloads } from './leaf-world.ts'

const reply = (text: string, usage = { input: 3, output: 4 }): JsonObject => ({ text, model: 'test:m', finish: 'stop', usage, tries: 1 })
const call = (params: JsonObject = {}): NodeSource => n('llm_call', { id: 'ask', prompt: 'hello', ...params })

async function world(root: NodeSource, options: ForestOptions = {}): Promise<{ tree: Forest; doors: Doors }> {
  const doors = new Doors()
  const tree = await forest(root, { ports: { model: doors.port() }, ...options })
  return { tree, doors }
}

describe('models', () => {
  test('an answer is written with its usage', async () => {
    const { tree, doors } = await world(call({ response_key: 'out', reasoning_key: 'why' }), {
      tree: { contract: { outputs: { out: 'any' } } },
    })
    expect(doors.door().args).toMatchObject({ messages: [{ role: 'user', content: 'hello' }], retries: 0 })
    doors.door().settle({ ...reply('hi'), reasoning: 'because' })
    await tree.pass(0)
    expect(tree.get('out')).toMatchObject({
      content: 'hi',
      model: 'test:m',
      finish_reason: 'stop',
      usage: { input: 3 },
      request_id: expect.any(String) as string,
    })
    expect([tree.run.status, tree.get('why')]).toEqual(['completed', 'because'])
    const [started] = payloads(tree, 'llm.request.start')
    expect((tree.get('out') as JsonObject).request_id).toBe(started?.request_id)
    expect(payloads(tree, 'llm.request.complete')).toMatchObject([{ tokens_used: 7, prompt_tokens: 3, completion_tokens: 4 }])
  })

  test('a missing prompt fails before anything is asked', async () => {
    const { tree, doors } = await world(n('llm_call', { id: 'ask', prompt_key: 'question' }), { tree: { board: { question: {} } } })
    expect([tree.run.status, doors.open.length, payloads(tree, 'tree.failed')]).toMatchObject(['failed', 0, [{ error_code: 'E2001' }]])
  })

  // proves: tree 36, tree 37, tree 39, tree 40, tree UB-07
  test('it fails after 120 seconds: the request is aborted, and a late answer changes nothing', async () => {
    const { tree, doors } = await world(n('selector', {}, [call(), n('wait', { wait_ms: 1000 })]))
    const door = doors.door()
    const { signal, args } = door
    expect((args as JsonObject).timeout).toBeGreaterThan(120_000)
    await tree.pass(119_900)
    expect([tree.states().ask, signal.aborted]).toEqual(['RUNNING', false])
    await tree.pass(200)
    expect([tree.states().ask, signal.aborted]).toEqual(['FAILURE', true])
    expect(payloads(tree, 'llm.timeout')).toMatchObject([{ request_id: expect.any(String) as string, timeout_ms: 120_000 }])
    expect(tree.get('llm_response_error')).toMatchObject({ code: 'E6001', error_type: 'timeout' })
    door.settle(reply('late'))
    await tree.pass(1000)
    expect([tree.run.status, tree.get('llm_response')]).toEqual(['completed', undefined])
  })

  test('errors that pass are tried again with a growing pause, and a pause is never taken for stuck', async () => {
    const { tree, doors } = await world(call({ max_retries: 2 }), { tree: { max_tick_duration_ms: 1000 } })
    const limited = (): Error => modelFaults.make('R4009', 'too many')
    doors.door().fail(limited())
    await tree.pass(0)
    await tree.pass(1999)
    expect(doors.open).toHaveLength(1)
    await tree.pass(1)
    expect(doors.open).toHaveLength(2)
    doors.door().fail(limited())
    await tree.pass(0)
    await tree.pass(4000)
    doors.door().fail(limited())
    await tree.pass(0)
    expect(doors.open).toHaveLength(3)
    expect([tree.run.status, tree.get('llm_response_error')]).toMatchObject([
      'failed',
      { error_type: 'rate_limit', code: 'E6003', retry_count: 2 },
    ])
    expect(payloads(tree, 'llm.api.error').map(({ will_retry }) => will_retry)).toEqual([true, true, false])
  })

  test('a fault that says it is permanent is not tried again, also if retry_on names its type', async () => {
    for (const fault of [
      modelFaults.make('R4020', 'no reply is left for the rate limit'),
      modelFaults.make('R4007', 'the network'),
      modelFaults.make('R4006', 'no'),
    ]) {
      const { tree, doors } = await world(call({ retry_on: ['rate_limit', 'network_error', 'api_error', 'auth_error'] }))
      doors.door().fail(fault)
      await tree.pass(0)
      expect([tree.run.status, doors.open.length]).toEqual(['failed', 1])
      expect(payloads(tree, 'llm.api.error')).toMatchObject([{ will_retry: false, retry_count: 0 }])
    }
  })

  test('an error without a code is tried again by its words', async () => {
    const { tree, doors } = await world(call())
    doors.door().fail(new Error('connection reset'))
    await tree.pass(0)
    await tree.pass(2000)
    expect([tree.states().ask, doors.open.length]).toEqual(['RUNNING', 2])
  })

  test('errors that stay are not tried again', async () => {
    const types = await Promise.all(
      [modelFaults.make('R4006', 'no'), modelFaults.make('R4008', 'no'), new Error('401 bad key'), new Error('context too long')].map(
        async (error) => {
          const { tree, doors } = await world(call())
          doors.door().fail(error)
          await tree.pass(0)
          return [tree.run.status, (tree.get('llm_response_error') as JsonObject).error_type]
        },
      ),
    )
    expect(types).toEqual([
      ['failed', 'auth_error'],
      ['failed', 'context_length'],
      ['failed', 'auth_error'],
      ['failed', 'context_length'],
    ])
  })

  test('a budget of tokens ends a model that writes too much, and counts what it has used', async () => {
    const streamed = await world(call({ stream_to: 'a', budget_tokens: 5 }))
    streamed.doors.door().part({ text: 'x'.repeat(40) })
    await streamed.tree.pass(100)
    expect([streamed.tree.run.status, streamed.doors.door().signal.aborted]).toEqual(['failed', true])
    expect(streamed.tree.get('llm_response_error')).toMatchObject({ partial: 'x'.repeat(40) })
    const whole = await world(call({ budget_tokens: 5 }))
    whole.doors.door().settle(reply('hi'))
    await whole.tree.pass(0)
    for (const { tree } of [streamed, whole]) {
      expect(tree.get('llm_response_error')).toMatchObject({ error_type: 'budget_exceeded' })
      expect(eventTypes(tree)).toContain('llm.budget.exceeded')
    }
  })

  test('a model whose budget is spent is not asked again after an error', async () => {
    const { tree, doors } = await world(call({ stream_to: 'a', budget_tokens: 5 }))
    doors.door().part({ text: 'x'.repeat(20) })
    await tree.pass(100)
    doors.door().fail(modelFaults.make('R4011', 'lost'))
    await tree.pass(0)
    await tree.pass(2000)
    expect([tree.run.status, doors.open.length]).toEqual(['failed', 1])
    expect(tree.get('llm_response_error')).toMatchObject({ error_type: 'budget_exceeded' })
  })
})
