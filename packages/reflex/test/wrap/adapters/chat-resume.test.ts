import { AIMessage, AIMessageChunk, ToolMessage } from '@langchain/core/messages'
import { Command } from '@langchain/langgraph'
import { tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { chunkMaker } from '../../../src/wrap/adapters/chat-chunks.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { type Life, connection, life } from '../session/world.ts'
import { ScriptedChatModel } from './chat-model.ts'
import { inTurn } from './script.ts'

const NEVER = new Promise<never>(() => undefined)
const NOTHING = z.object({})

function toolsOf(last: () => Promise<unknown>) {
  const named = (name: string, more: object = {}) => ({ name, description: name, schema: NOTHING, ...more })
  return {
    plain: tool(async () => ({ sky: 'sunny' }), named('plain')),
    word: tool(async () => 'sunny', named('word')),
    rich: tool(async () => ['shown', { hidden: 1 }], named('rich', { responseFormat: 'content_and_artifact' })),
    goes: tool(async () => new Command({ goto: 'next', update: { seen: true } }), named('goes')),
    failing: tool(async () => Promise.reject(new TypeError('no such city')), named('failing')),
    last: tool(last, named('last', { metadata: { sideEffects: 'external', idempotent: true } })),
  }
}

/** What a message of a tool says. */
function shown(result: unknown): unknown {
  if (!ToolMessage.isInstance(result)) return JSON.stringify(result)
  const { type, content, status, name, tool_call_id } = result
  return { type, content, status, name, tool_call_id, artifact: result.artifact as unknown }
}

/** An agent that notes what its model and its tools give. */
function agentOf({ reflex }: Life, seen: unknown[], last: () => Promise<unknown>) {
  const model = new ScriptedChatModel(inTurn('hello', 'streamed'))
  const tools = toolsOf(last)
  const call = (name: string) => ({ type: 'tool_call' as const, id: `call of ${name}`, name, args: {} })
  const agent = async (): Promise<string> => {
    const reply = await model.invoke('hi')
    seen.push(AIMessage.isInstance(reply), reply.text, reply.usage_metadata, reply.response_metadata)
    const chunks: AIMessageChunk[] = []
    for await (const chunk of await model.stream('and again')) chunks.push(chunk)
    seen.push(chunks.map(({ text }) => text).join(''), chunks.at(-1)?.usage_metadata)
    seen.push(chunks.every((chunk) => AIMessageChunk.isInstance(chunk)))
    seen.push(await tools.plain.invoke({}))
    for (const each of [tools.plain, tools.word, tools.rich, tools.goes]) seen.push(shown(await each.invoke(call(each.name))))
    await tools.failing.invoke(call('failing')).catch((thrown: unknown) => seen.push(String(thrown)))
    await tools.last.invoke({})
    return 'done'
  }
  return {
    asked: model.script.requests,
    wrapped: reflex.wrap({ framework: 'langgraph', model, tools: Object.values(tools), name: 'graph', agent }),
  }
}

describe('a resumed turn of LangChain', () => {
  it('gets what its model and its tools gave, in the classes of LangChain', async () => {
    const under = memoryStore()
    const dead = Promise.withResolvers<void>()
    let isDead = false
    const store = connection(under, (name, act) => (name === 'commit' ? (...args) => (isDead ? NEVER : act(...args)) : undefined))
    const [before, after]: [unknown[], unknown[]] = [[], []]
    const first = life({ store, closes: false })
    // A tool that changes something is called when everything before is durable.
    const { wrapped } = agentOf(first, before, () => {
      isDead = true
      dead.resolve()
      return NEVER
    })
    const begun = wrapped.run('x', { id: 'otter' })
    await Promise.race([begun, dead.promise])
    const second = life({ store: under, at: first.host.now() + 3_600_000 })
    const again = agentOf(second, after, async () => 'done')
    expect(await again.wrapped.resume('otter')).toBe('done')
    expect(after).toEqual(before)
    expect(after.map((each) => each?.constructor)).toEqual(before.map((each) => each?.constructor))
    expect(again.asked).toEqual([])
    expect(second.troubles.map(String)).toEqual([])
  })

  it('says which package is missing, if its classes cannot be loaded', () => {
    const make = chunkMaker(undefined)
    expect(() => make({ message: { content: 'hi' } })).toThrow(
      expect.objectContaining({ code: 'R2163', fix: expect.stringContaining('@langchain/core') as string }),
    )
  })
})
