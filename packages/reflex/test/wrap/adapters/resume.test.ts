import { ToolMessage } from '@langchain/core/messages'
import { Command } from '@langchain/langgraph'
import { tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../../src/store/index.ts'
import { connection, life } from '../session/world.ts'
import { ScriptedChatModel } from './chat-model.ts'
import { inTurn } from './script.ts'

/** A store whose process dies when it asks for a commit after a signal. */
function mortal() {
  const under = memoryStore()
  const life = { isDead: false }
  const store = connection(under, (name, act) => (name === 'commit' ? (...args) => (life.isDead ? new Promise<never>(() => undefined) : act(...args)) : undefined))
  return { under, store, life }
}

describe('a resumed turn of LangChain', () => {
  it('gets the results of tools as its framework gives them', async () => {
    const { under, store, life: process } = mortal()
    const act = async (reflex: ReturnType<typeof life>['reflex'], seen: unknown[], at: 'dies' | 'lives') => {
      const plain = tool(async () => ({ sky: 'sunny' }), { name: 'plain', description: '', schema: z.object({}) })
      const rich = tool(async () => ['shown', { hidden: 1 }], { name: 'rich', description: '', schema: z.object({}), responseFormat: 'content_and_artifact' })
      const fails = tool(async () => { throw new TypeError('no such city') }, { name: 'fails', description: '', schema: z.object({}) })
      const goes = tool(async () => new Command({ goto: 'next', update: { seen: true } }), { name: 'goes', description: '', schema: z.object({}) })
      const model = new ScriptedChatModel(inTurn('hello'))
      const wrapped = reflex.wrap({
        framework: 'langgraph', model, tools: [plain, rich, fails, goes], name: 'graph',
        agent: async (_: string, { settings }) => {
          const call = (name: string) => ({ type: 'tool_call' as const, id: `call-${name}`, name, args: {} })
          const reply = await model.invoke('hi')
          seen.push(reply.constructor.name, reply.text, reply.usage_metadata)
          seen.push(await plain.invoke({}), await plain.invoke(call('plain')), await rich.invoke(call('rich')), await goes.invoke(call('goes')))
          try { await fails.invoke(call('fails')) } catch (thrown) { seen.push(String(thrown)) }
          if (at === 'dies') { process.isDead = true; await new Promise(() => undefined) }
          return 'done'
        },
      })
      return wrapped
    }
    const [before, after]: unknown[][] = [[], []]
    const first = life({ store, closes: false })
    const begun = (await act(first.reflex, before!, 'dies')).run('x', { id: 'otter' })
    let failed: unknown
    begun.catch((thrown: unknown) => { failed = thrown; process.isDead = true })
    for (let i = 0; i < 20000 && !process.isDead; i++) await new Promise(setImmediate)
    if (failed !== undefined) throw failed
    if (!process.isDead) console.log(before, await first.reflex.inbox())
    expect(process.isDead).toBe(true)
    const second = life({ store: under, at: first.host.now() + 3_600_000 })
    expect(await (await act(second.reflex, after!, 'lives')).resume('otter')).toBe('done')
    console.log(before, after)
    expect(after).toEqual(before)
  })
})
