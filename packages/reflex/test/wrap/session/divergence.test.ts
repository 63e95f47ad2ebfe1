import { describe, expect, it } from 'vitest'
import type { Fault, Json } from '../../../src/kernel/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import type { Wrapped } from '../../../src/wrap/index.ts'
import { type ChatRequest, connection, life, type Life } from './world.ts'

/** An agent that reads, asks its model and sends, and is interrupted after that. */
function agentOf({ reflex }: Life, { to, sent, hold }: { to: string; sent: string[]; hold: Promise<void> }): Wrapped<string, string> {
  return reflex.wrap({
    name: 'sender',
    tools: {
      look: { sideEffects: 'none', execute: async (args: { at: string }) => `seen ${args.at}` },
      send: async (args: { to: string }) => {
        sent.push(args.to)
        return 'sent'
      },
      call: async (args: { number: string }) => `called ${args.number}`,
    },
    llm: async ({ messages }: ChatRequest) => `reply to ${String(messages[0]?.content)}`,
    agent: async (text: string, { llm, tools }) => {
      const seen = await tools.look.execute({ at: to })
      const reply = await llm({ messages: [{ role: 'user', content: `${text} ${to}` }] })
      const result = await tools.send({ to }).catch((thrown: unknown) => (thrown as Fault).code)
      await hold
      return `${seen} ${reply} ${result}`
    },
  })
}

/** Runs the turn until it has sent to bob, lets its process die, and returns another process. */
async function interrupted(): Promise<Life> {
  const store = memoryStore()
  const first = life({ store: connection(store), closes: false })
  const sent: string[] = []
  void agentOf(first, { to: 'bob', sent, hold: new Promise(() => undefined) }).run('hi', { id: 'otter' })
  while (sent.length === 0) await first.host.advance(20)
  // What has settled becomes durable.
  for (let i = 0; i < 30; i++) await first.host.advance(20)
  return life({ store, at: first.host.now() + 3_600_000 })
}

/** Waits for a turn whose questions get an answer, and returns what it gives and what it asked. */
async function answered(
  one: Life,
  turn: Promise<string>,
  answer: Json,
): Promise<{ readonly value: string; readonly asked: readonly string[] }> {
  const over = { is: false }
  const end = (): void => void (over.is = true)
  turn.then(end, end)
  const asked: string[] = []
  while (!over.is) {
    await one.host.drain()
    for (const { id, question } of await one.reflex.inbox()) {
      asked.push(question.text)
      await one.reflex.answer(id, answer)
    }
    await new Promise(setImmediate)
  }
  return { value: await turn, asked }
}

describe('a resumed agent whose code has changed', () => {
  it('is answered from the record where it is the same, and asks nothing', async () => {
    const second = await interrupted()
    const sent: string[] = []
    const turn = agentOf(second, { to: 'bob', sent, hold: Promise.resolve() }).resume('otter')
    expect(await answered(second, turn, 'call')).toEqual({ value: 'seen bob reply to hi bob sent', asked: [] })
    expect(sent).toEqual([])
  })

  it('reads and asks its model with a note, and a person decides about a call that may do a thing twice', async () => {
    const second = await interrupted()
    const sent: string[] = []
    const turn = agentOf(second, { to: 'eve', sent, hold: Promise.resolve() }).resume('otter')
    const { value, asked } = await answered(second, turn, 'call')
    expect(value).toBe('seen eve reply to hi eve sent')
    expect(asked).toMatchObject([expect.stringContaining('The resumed agent calls send')])
    expect(second.troubles.map(({ code, fix }) => [code, fix])).toEqual([['R2157', 'reflex answer otter/q1']])
    expect(sent).toEqual(['eve'])
    let archive = ''
    for await (const line of second.reflex.export('otter')) archive += line
    expect(archive).toContain('"divergence"')
    expect((await second.reflex.replay('otter')).difference).toBeUndefined()
  })

  it('gets an error for a call that a person refuses', async () => {
    const second = await interrupted()
    const sent: string[] = []
    const turn = agentOf(second, { to: 'eve', sent, hold: Promise.resolve() }).resume('otter')
    expect((await answered(second, turn, 'refuse')).value).toBe('seen eve reply to hi eve R2154')
    expect(sent).toEqual([])
  })

  it('fails at its first new call if it is strict, with both sides', async () => {
    const second = await interrupted()
    const turn = agentOf(second, { to: 'eve', sent: [], hold: Promise.resolve() }).resume('otter', { strict: true })
    await expect(turn).rejects.toMatchObject({
      code: 'R2154',
      data: {
        now: { do: 'tool', tool: 'look', args: { at: 'eve' } },
        recorded: [{ tool: 'look', args: { at: 'bob' } }, { do: 'model' }, {}],
      },
    })
  })
})
