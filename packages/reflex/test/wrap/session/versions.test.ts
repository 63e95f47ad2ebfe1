import { expect, it } from 'vitest'
import { isObject, type JsonObject, keptRecords, readRecords } from '../../../src/kernel/index.ts'
import { TURN_KEYS } from '../../../src/kinds/skill/turn/turn.ts'
import { decisionsOf, note, type Released, released } from '../../learn/registry/world.ts'
import { type ChatRequest, ScriptedModel, textOf } from './world.ts'

const PROPOSAL = '<SKILL_PROPOSE>{"skill_id": "app.note", "inputs": {}}</SKILL_PROPOSE>'

interface Talk {
  readonly run: string
  readonly model: ScriptedModel
}

/** A turn in which the model proposes the skill. */
async function talk({ reflex }: Released, conversation?: string, reply = PROPOSAL): Promise<Talk> {
  const model = new ScriptedModel(reply, 'This is the note.')
  const agent = reflex.wrap({
    agent: async (text: string, { llm }: { llm: (request: ChatRequest) => Promise<unknown> }) =>
      llm({ messages: [{ role: 'user', content: text }] }),
    tools: {},
    llm: model.create,
  })
  let run = ''
  await agent.run('read the note', { onStart: (id) => (run = id), ...(conversation === undefined ? {} : { conversation }) })
  return { run, model }
}

const shown = ({ model }: Talk): string => /app\.note@(\d\.\d\.\d)/.exec(textOf(model.requests[0]?.messages.at(-1)?.content))?.[1] ?? 'none'

it('a conversation keeps its version: the one that is shown is the one that is carried out', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  await one.activate(note('1.1.0'), 0.5)
  const versions = new Set<string>()
  for (const conversation of ['ana', 'ben', 'cleo', 'dan', 'eve', 'ana', 'ben']) {
    const turn = await talk(one, conversation)
    const [decision] = await decisionsOf(one, turn.run)
    expect([conversation, decision?.skill?.version, one.calls.at(-1)]).toEqual([conversation, shown(turn), shown(turn)])
    expect(decision?.rollout?.experiment).toBe('default')
    expect((await one.reflex.replay(turn.run)).result).toBe('equal')
    versions.add(`${conversation} ${shown(turn)}`)
  }
  expect(versions.size).toBe(5)
  expect(new Set([...versions].map((text) => text.split(' ')[1])).size).toBe(2)
})

it('a turn without a conversation is split by its run', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  await one.activate(note('1.1.0'), 0.5)
  for (let i = 0; i < 4; i++) {
    const turn = await talk(one)
    expect((await decisionsOf(one, turn.run))[0]?.skill?.version).toBe(shown(turn))
  }
})

it('a model can name a deprecated version, and is warned', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  await one.activate(note('2.0.0'))
  const turn = await talk(one, 'ana', PROPOSAL.replace('app.note', 'app.note@1.0.0'))
  expect([shown(turn), one.calls]).toEqual(['2.0.0', ['1.0.0']])
  expect((await decisionsOf(one, turn.run))[0]).toMatchObject({ warning: 'deprecated', verdict: 'approved' })
})

it('in the mode shadow nothing is shown or carried out, and the record says what would have been saved', async () => {
  const one = released({ skill: { mode: 'shadow' } })
  const steps = ['one', 'two', 'three'].map((id) => ({ id, tool: 'notes.read', args: { of: id } }))
  await one.activate(
    note('1.0.0', { plan: { steps }, signature: { inputs: [], outputs: [] }, provenance: { delta_cost: -0.4, cost_unit: 'tokens' } }),
  )
  const turn = await talk(one, 'ana', 'I read it myself.')
  expect([shown(turn), one.calls, turn.model.requests[0]?.messages]).toEqual(['none', [], [{ role: 'user', content: 'read the note' }]])
  const saves = { calls: 2, share: 0.4, unit: 'tokens' }
  expect((await bulletinOf(one, turn.run))['shadow']).toEqual([{ skill: 'app.note@1.0.0', verdict: 'approved', reason: 'approved', saves }])
  const called = await one.reflex.run('skill:app.note')
  expect([called.status === 'completed', one.calls]).toEqual([false, []])
  expect((await decisionsOf(one, called.id))[0]).toMatchObject({
    verdict: 'denied',
    reason: 'mode.shadow',
    shadow: { verdict: 'approved', reason: 'approved', saves },
  })
  expect((await one.reflex.replay(called.id)).result).toBe('equal')
})

it('a skill that the project has, too, is warned about once', async () => {
  const org = released({}, 'acme-group')
  await org.activate(note('3.0.0'))
  const one = released({ store: org.store, skill: { org: 'acme-group' }, closes: false })
  expect(shown(await talk(one, 'ana'))).toBe('3.0.0')
  await one.activate(note('1.0.0'))
  expect(shown(await talk(one, 'ben'))).toBe('1.0.0')
  await talk(one, 'cleo')
  expect(one.troubles.filter(({ rule }) => rule === 'registry.shadowed').map(({ code }) => code)).toEqual(['R1499'])
})

async function bulletinOf({ store }: Released, run: string): Promise<JsonObject> {
  for await (const [, { writes = [] }] of readRecords(store, run, (await keptRecords(store, run)).first)) {
    const at = writes.indexOf(TURN_KEYS.bulletin)
    const bulletin = at < 0 ? undefined : writes[at + 1]
    if (isObject(bulletin)) return bulletin
  }
  return {}
}
