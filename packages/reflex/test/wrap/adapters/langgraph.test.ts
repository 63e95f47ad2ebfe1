import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { describe, expect, it } from 'vitest'
import { activate, life, propose, RELEASE } from '../session/world.ts'
import { ScriptedChatModel } from './chat-model.ts'
import { inTurn } from './script.ts'

/** A model that has events of its own, which know nothing of its chunks. */
class EventfulChatModel extends ScriptedChatModel {
  override async *_streamChatModelEvents(): AsyncGenerator<never> {
    yield await Promise.reject(new Error('asked past its chunks'))
  }
}

function graphOf(...models: readonly ScriptedChatModel[]) {
  const [first, second = first] = models
  return new StateGraph(MessagesAnnotation)
    .addNode('plan', async ({ messages }) => ({ messages: first === undefined ? [] : [await first.invoke(messages)] }))
    .addNode('write', async ({ messages }) => ({ messages: second === undefined ? [] : [await second.invoke(messages)] }))
    .addEdge(START, 'plan')
    .addEdge('plan', 'write')
    .addEdge('write', END)
    .compile()
}

describe('a graph of LangGraph', () => {
  it('has each of its models wrapped, until it is unwrapped', async () => {
    const { reflex, troubles } = life()
    const [planner, writer] = [new ScriptedChatModel(inTurn('a plan')), new ScriptedChatModel(inTurn('a text', 'more'))]
    const wrapped = reflex.wrap({
      framework: 'langgraph',
      agent: graphOf(planner, writer),
      models: [planner, writer],
      name: 'author',
      strictIntercept: true,
    })
    let run = ''
    const { messages } = await wrapped.run([{ role: 'user', content: 'write' }], { onStart: (id) => (run = id) })
    expect(messages.map(({ text }) => text)).toEqual(['write', 'a plan', 'a text'])
    expect(JSON.stringify(await reflex.trace(run)).split('the agent asks its model')).toHaveLength(3)
    expect(troubles.map(String)).toEqual([])
    wrapped.unwrap()
    for (const model of [planner, writer])
      for (const key of ['_generate', '_streamResponseChunks', 'bindTools', 'withConfig']) expect(Object.hasOwn(model, key)).toBe(false)
    expect((await writer.invoke('hi')).text).toBe('more')
    expect(await reflex.runs()).toHaveLength(1)
  })

  it('streams events of the chunks that are for the agent, also of a model that has its own events', async () => {
    const world = life()
    await activate(world, RELEASE, ['set_tag'])
    const model = new EventfulChatModel((last) => [last.includes('SKILL_RESULT') ? 'Refused.' : `Now.\n${propose({ tag: 'v1' })}`])
    const graph = graphOf(model)
    const wrapped = world.reflex.wrap({
      framework: 'langgraph',
      model,
      agent: async (text: string) => {
        const seen: string[] = []
        for await (const event of await graph.streamEvents({ messages: [{ role: 'user', content: text }] }, { version: 'v3' }))
          seen.push(JSON.stringify(event))
        return seen.join('\n')
      },
    })
    const seen = await wrapped.run('release v1')
    expect(seen).toContain('Refused.')
    expect(seen).not.toContain('SKILL_PROPOSE')
    expect(world.troubles.map(String)).toEqual([])
  })

  it('takes a list of messages and a state, and a model that fails fails the turn', async () => {
    const { reflex } = life()
    const model = new ScriptedChatModel(inTurn('a', 'b', new TypeError('overloaded')))
    const wrapped = reflex.wrap({ framework: 'langgraph', agent: graphOf(model), model })
    const { messages } = await wrapped.run({ messages: [{ role: 'user', content: 'hi' }] })
    expect(messages.at(-1)?.text).toBe('b')
    await expect(wrapped.run('again')).rejects.toThrow('overloaded')
    expect((await reflex.runs()).map(({ status }) => status).toSorted()).toEqual(['completed', 'failed'])
  })

  it('is cancelled with its turn', async () => {
    const { reflex } = life()
    const stop = new AbortController()
    const model = new ScriptedChatModel(() => {
      stop.abort(new Error('enough'))
      return new Promise(() => undefined)
    })
    const wrapped = reflex.wrap({ framework: 'langgraph', agent: graphOf(model), model })
    await expect(wrapped.run('hi', { signal: stop.signal })).rejects.toThrow('enough')
    expect((await reflex.runs()).map(({ status }) => status)).toEqual(['cancelled'])
  })
})
