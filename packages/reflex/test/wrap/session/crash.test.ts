import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import type { Wrapped } from '../../../src/wrap/index.ts'
import { Mortal, NEVER } from './mortal.ts'
import { activate, type ChatRequest, life, type Life, propose, RELEASE } from './world.ts'

/** An agent that reads, asks its model, which proposes a skill, and sends something that nobody may send twice. */
function agentOf({ reflex }: Life, mortal: Mortal, calls: string[]): Wrapped<string, string> {
  const alive = async <Value>(name: string, value: Value): Promise<Value> => {
    if (mortal.isDead) return NEVER
    calls.push(name)
    return value
  }
  const tools = {
    look: { sideEffects: 'none', execute: (args: { at: string }) => alive(`look ${args.at}`, 'seen') },
    set_tag: { sideEffects: 'external', idempotent: true, execute: ({ tag }: { tag: string }) => alive(`tag ${tag}`, 'ok') },
    send: (args: { to: string }) => alive(`send ${args.to}`, 'sent'),
  }
  return reflex.wrap({
    name: 'sender',
    tools,
    llm: async ({ messages }: ChatRequest) => {
      const last = JSON.stringify(messages.at(-1)?.content)
      const text = last.includes('SKILL_RESULT') ? 'tagged' : last.includes('begin') ? propose({ tag: 'v1' }) : 'all done'
      return alive(`model ${text.slice(0, 8)}`, text)
    },
    agent: async (text: string, context) => {
      const { llm, tools: own } = context
      const seen = await own.look.execute({ at: 'a' })
      const first = await llm({ messages: [{ role: 'user', content: `begin release ${text} ${seen}` }] })
      const date = await context.once('date', () => alive('date', '2026'))
      await Promise.all([own.send({ to: 'bob' }), own.look.execute({ at: 'b' })])
      return `${first} ${date} ${await llm({ messages: [{ role: 'user', content: 'finish' }] })}`
    },
  })
}

async function dying(at: number, after: boolean, asked: string[]): Promise<'ended' | 'died'> {
  const under = memoryStore()
  const mortal = new Mortal(under, { at, after })
  const calls: string[] = []
  const first = life({ store: mortal.store, closes: false })
  await activate({ store: under, host: first.host }, RELEASE, ['set_tag'])
  const begun = agentOf(first, mortal, calls).run('v1', { id: 'otter' })
  const death = (async () => {
    while (!mortal.isDead) await new Promise(setImmediate)
  })()
  const ended = await Promise.race([begun.then(() => 'ended' as const), death.then(() => 'died' as const)])
  if (ended === 'ended') return ended
  // What the dead process had begun before it died comes to rest.
  for (let i = 0; i < 50; i++) await new Promise(setImmediate)
  const before = calls.splice(0)
  const second = life({ store: under, at: first.host.now() + 3_600_000 })
  const stored = await second.reflex.store.read('otter')
  if (stored === undefined || stored.row.last === 0) return 'died'
  const { state } = await second.reflex.runtime.peek('otter')
  const settled = Object.keys(state.root.reader().snapshot()).filter((key) => key.startsWith('~r.'))
  const again = agentOf(second, new Mortal(under), calls)
  if (state.ended === undefined) {
    const resumed = again.resume('otter')
    const over = { is: false }
    const end = (): void => void (over.is = true)
    resumed.then(end, end)
    while (!over.is) {
      await second.host.drain()
      // Nobody repeats what may have happened: it is asked about.
      for (const { id, question } of await second.reflex.inbox()) {
        asked.push(question.text)
        expect(question.text).not.toMatch(/ at {2}happen/)
        await second.reflex.answer(id, 'happened')
      }
    }
    expect(await resumed).toMatch(/^tagged .* all done$/)
  }
  // The host hears of a question, and of nothing else.
  expect(second.troubles.filter(({ code }) => code !== 'R2157').map(String)).toEqual([])
  const all = [...before, ...calls]
  const where = `${at} ${String(after)}: ${before.join()} | ${settled.join()} | ${calls.join()}`
  expect(all.filter((call) => call === 'send bob').length, where).toBeLessThanOrEqual(1)
  expect(all.filter((call) => call === 'date').length, where).toBeLessThanOrEqual(1)
  // The tag is set under one key; its plan alone may set it again.
  for (const key of settled) {
    const [, name = ''] = key.slice(3).split('/')
    if (name === 'send' || name === 'date')
      expect(
        calls.filter((call) => call.startsWith(name)),
        where,
      ).toEqual([])
  }
  const looks = settled.filter((key) => key.startsWith('~r.tool/look')).length
  expect(calls.filter((call) => call.startsWith('look')).length, where).toBeLessThanOrEqual(2 - looks)
  const models = settled.filter((key) => key.startsWith('~r.model')).length
  if (models > 0)
    expect(
      calls.filter((call) => call === 'model tagged' || call === 'model <SKILL_P'),
      where,
    ).toEqual([])
  expect((await second.reflex.replay('otter')).difference).toBeUndefined()
  return 'died'
}

describe('a turn whose process dies', () => {
  it.each([
    ['before the store has the commit', false],
    ['before it hears of the commit', true],
  ])('makes no settled call again, and asks about one in flight (%s)', async (_, after) => {
    const asked: string[] = []
    for (let at = 1; at < 100; at++) {
      if ((await dying(at, after, asked)) === 'ended') {
        expect(at).toBeGreaterThan(4)
        if (after) expect(asked.filter((text) => text.includes('send'))).not.toEqual([])
        return
      }
    }
    throw new Error('the turn never ends')
  })
})
