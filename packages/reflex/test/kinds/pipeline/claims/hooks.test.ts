import { describe, expect, test } from 'vitest'
import type { Hook, LlmBackend } from '../../../../src/kinds/pipeline/index.ts'
import { folder } from '../folders.ts'
import { play, type Stage } from './play.ts'

/** What happens at the node `a`: its hooks with the outcome that they are given, and each time that the model is asked. */
async function trail(attributes: string, backend: LlmBackend, more: Stage = {}) {
  const seen: unknown[] = []
  const note: Hook = ({ phase, node_id, outcome = null }) => {
    if (node_id === 'a') seen.push([phase, outcome])
    return undefined
  }
  const llm_backend: LlmBackend = (...asked) => {
    seen.push('asked')
    return backend(...asked)
  }
  const went = await play(`a [prompt=x, ${attributes}] start -> a -> done`, {
    llm_backend,
    hooks: { node: { pre: note, post: note } },
    ...more,
  })
  return { went, seen }
}

describe('the hooks of a node', () => {
  // proves: pipeline 10.3e
  test('run once around its attempts, also where an attempt continues with what the last one has', async () => {
    let times = 0
    const { went, seen } = await trail('retry_policy=patient', () => ({
      status: ++times < 3 ? 'fail' : 'success',
      notes: `answer ${times}`,
    }))
    expect([went.status, went.node_outcomes['a']?.notes]).toEqual(['success', 'answer 3'])
    expect(seen).toEqual([['pre', null], 'asked', 'asked', 'asked', ['post', 'success']])
  })

  test('are counted apart from what the model has answered: a text hook does not pass for an answer', async () => {
    let times = 0
    const backend: LlmBackend = () => (++times < 2 ? { status: 'retry', failure_reason: 'busy' } : 'said')
    const { went } = await trail('max_retries=1, initial_delay="1ms", pre_hook="true"', backend, {
      trust: 'autonomous',
      tools: [],
      env: { PATH: '/bin:/usr/bin' },
      host: undefined,
      workdir: folder(),
    })
    expect(went.context['last_response']).toBe('said')
  })

  test('behind it have what it came to in the end', async () => {
    const fails: LlmBackend = () => ({ status: 'fail' })
    const after = async (attributes: string, backend = fails) => (await trail(attributes, backend)).seen.at(-1)
    expect(await after('retry_policy=patient')).toEqual(['post', 'fail'])
    expect(await after('auto_status=true')).toEqual(['post', 'success'])
    expect(await after('timeout="1s"', () => new Promise(() => undefined))).toEqual(['post', 'fail'])
  })

  test('do not run behind a node that its first hook or its chain kept from running', async () => {
    const no = await play('a [prompt=x] start -> a -> done', {
      hooks: { node: { pre: ({ node_id }) => node_id !== 'a', post: ({ node_id }) => void (node_id === 'a' && never()) } },
    })
    expect(no.failure_reason).toBe('a: the pre_hook failed')
    const { seen } = await trail('middleware=typo', () => 'said', { validate: false })
    expect(seen).toEqual([])
  })
})

function never(): void {
  throw new Error('the hook behind the node ran')
}
