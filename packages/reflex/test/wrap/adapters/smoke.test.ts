import { expect, it, describe } from 'vitest'
import { activate, life, propose, RELEASE } from '../session/world.ts'
import { agentsDriver } from './agents-driver.ts'
import { langChainDriver, langGraphDriver } from './chat-driver.ts'
import { canonicalJson } from '../../../src/kernel/index.ts'

for (const d of [agentsDriver, langChainDriver, langGraphDriver])
  for (const mode of ['whole', 'stream'] as const)
    for (const carrier of ['text', 'tool'] as const)
      it(`${d.name} ${mode} ${carrier}`, async () => {
        const world = life()
        const { reflex, troubles } = world
        await activate(world, RELEASE, ['set_tag'])
        const calls: string[] = []
        const asked: string[] = []
        const agent = d.make({
          reflex, mode, carrier, strictIntercept: true,
          tools: {
            search: { sideEffects: 'none', execute: async (a) => { calls.push('search ' + canonicalJson(a as never)); return 'found' } },
            set_tag: { sideEffects: 'external', idempotent: true, execute: async (a) => { calls.push('tag ' + canonicalJson(a as never)); return 'ok' } },
          },
          model: { reply: async (request) => {
            const canonical = d.fixture.dialect.read(request)
            asked.push(JSON.stringify(canonical.messages))
            const last = JSON.stringify(canonical.messages.at(-1))
            if (last.includes('begin')) return carrier === 'text' ? [propose({ tag: 'v1' })] : [{ id: 'p1', name: 'reflex_propose', args: '{"skill_id":"release.tag","inputs":{"tag":"v1"}}' }]
            if (last.includes('release.tag') ) return ['Tagged, now look.', { id: 's1', name: 'search', args: '{"q":"x"}' }]
            return ['all done']
          } },
        })
        expect(await agent.run({ text: 'begin release v1', chat: 'c', options: { id: 'otter' } })).toBe('all done')
        expect(troubles.map(String)).toEqual([])
        expect(calls).toEqual(['tag {"tag":"v1"}', 'search {"q":"x"}'])
        expect(asked.length).toBe(3)
        expect(asked[2]).toContain('SKILL_BULLETIN')
        expect(asked[2]).toContain('release.tag')
        expect((await reflex.replay('otter')).difference).toBeUndefined()
        expect(agent.history('c')).not.toContain('SKILL')
        expect(agent.history('c')).not.toContain('reflex_')
        expect(await agent.run({ text: 'thanks', chat: 'c' })).toBe('all done')
        agent.unwrap()
        expect(agent.isOriginal?.()).toBe(true)
      })
