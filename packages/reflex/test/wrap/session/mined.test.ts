// proves: skill 169
import { expect, it } from 'vitest'
import type { Json } from '../../../src/kernel/index.ts'
import { manifestJson } from '../../../src/kinds/skill/manifest/canonical.ts'
import { decodeSkill } from '../../../src/kinds/skill/manifest/read-skill.ts'
import type { SkillTool } from '../../../src/kinds/skill/model/skill-tool.ts'
import { decodeCase } from '../../../src/learn/ci/case.ts'
import { testSkill } from '../../../src/learn/ci/test-skill.ts'
import type { SkillDraft } from '../../../src/learn/compile/compile-pattern.ts'
import { learn } from '../../../src/learn/compile/learn.ts'
import { projectRegistry } from '../../../src/learn/snapshot/project-registry.ts'
import { decisionsOf, PASSED } from '../../learn/registry/world.ts'
import { logged, stored } from '../../learn/logged.ts'
import { type ChatReply, type ChatRequest, life, type Life, textOf } from './world.ts'

const NEIGHBOURS = ['u', 'v', 'w', 'x', 'y'] as const
const TOOLS: readonly SkillTool[] = ['parcels.get', 'carriers.ask'].map((name) => ({ name, sideEffects: 'none', idempotent: true }))

const parcelOf = (parcel: string): Json => ({ carrier: `carrier${parcel.length}`, of: parcel })
const answerOf = (carrier: string): Json => ({ answer: `soon, says ${carrier}` })

/** Mines what agents did before: they looked a parcel up, then asked its carrier. */
async function mined(): Promise<SkillDraft> {
  const past = Array.from({ length: 24 }, (_, i) => {
    const parcel = `p${'x'.repeat(i % 7)}${i}`
    const { carrier } = parcelOf(parcel) as { readonly carrier: string }
    const calls = [
      { tool: NEIGHBOURS[i % 5] ?? '' },
      { tool: 'parcels.get', args: { parcel }, result: parcelOf(parcel) },
      { tool: 'carriers.ask', args: { carrier }, result: answerOf(carrier) },
      { tool: NEIGHBOURS[(i + 2) % 5] ?? '' },
    ]
    return logged(`run${i}`, calls, { text: `please find parcel ${parcel}`, labels: { conversation: `c${i}` } })
  })
  const others = Array.from({ length: 10 }, (_, i) => logged(`other${i}`, [{ tool: 'chat' }], { text: `chat about number ${i}` }))
  const { drafts } = await learn(() => stored([...past, ...others]), { owner: 'ana', tools: () => undefined, host: { tools: [...TOOLS] } })
  const [draft, ...more] = drafts
  if (draft === undefined || more.length > 0) throw new Error(`${drafts.length} drafts`)
  return draft
}

/** A model that proposes what it is shown, and otherwise calls one tool after another. */
class Model {
  readonly requests: ChatRequest[] = []

  readonly create = async (request: ChatRequest): Promise<ChatReply> => {
    this.requests.push(structuredClone(request))
    const content = this.#reply(request.messages.map((message) => textOf(message.content)).join('\n'))
    return {
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    }
  }

  #reply(text: string): string {
    const skill = /mined\.[a-z_.]+(?=@)/.exec(text)?.[0]
    const slot = /mined\.[a-z_.]+@\S+.*?need[^:]*: *([a-z_]+)/.exec(text)?.[1] ?? 'parcel'
    if (skill !== undefined && !text.includes('SKILL_RESULT'))
      return `<SKILL_PROPOSE>${JSON.stringify({ skill_id: skill, inputs: { [slot]: 'pxx77' } })}</SKILL_PROPOSE>`
    if (skill !== undefined || text.includes('answer')) return 'It comes soon.'
    return text.includes('"carrier"') ? 'CALL carriers.ask {"carrier":"carrier5"}' : 'CALL parcels.get {"parcel":"pxx77"}'
  }
}

interface Served {
  readonly run: string
  readonly said: unknown
  readonly calls: readonly unknown[]
  readonly requests: readonly ChatRequest[]
}

/** Returns a function that runs the agent on a task that nobody has mined. */
function served({ reflex }: Life): () => Promise<Served> {
  const model = new Model()
  const calls: unknown[] = []
  const tools = {
    'parcels.get': async (args: { parcel: string }) => (calls.push(args), parcelOf(args.parcel)),
    'carriers.ask': async (args: { carrier: string }) => (calls.push(args), answerOf(args.carrier)),
  }
  const agent = reflex.wrap({
    agent: async (text: string, { llm }: { llm: (request: ChatRequest) => Promise<ChatReply> }) => {
      const messages: { role: string; content: string }[] = [{ role: 'user', content: text }]
      for (;;) {
        const content = (await llm({ messages })).choices[0]?.message.content ?? ''
        const [, tool, args] = /^CALL (\S+) (.+)$/.exec(content) ?? []
        if (tool === undefined) return content
        const result = await (tools[tool as keyof typeof tools] as (args: unknown) => Promise<Json>)(JSON.parse(args ?? ''))
        messages.push({ role: 'assistant', content }, { role: 'user', content: JSON.stringify(result) })
      }
    },
    tools,
    llm: model.create,
  })
  return async () => {
    let run = ''
    const said = await agent.run('please find parcel pxx77', { onStart: (id) => (run = id) })
    return { run, said, calls: calls.splice(0), requests: model.requests.splice(0) }
  }
}

it('a mined skill that only reads passes its tests, and once active it is shown, proposed, approved, and saves a call (skill 169)', async () => {
  const { manifest: source, cases } = await mined()
  const { skill } = decodeSkill(manifestJson(source), { tools: [...TOOLS] })
  if (skill === undefined) throw new Error('the draft is valid')
  const { manifest, hash } = skill
  const report = await testSkill(
    skill,
    cases.map(([path, unit]) => decodeCase(unit, path)),
    { tools: TOOLS },
  )
  expect([report.passed, report.reasons]).toEqual([true, []])
  const one = life({ skill: { tools: TOOLS } })
  const serve = served(one)
  const before = await serve()
  expect([before.said, before.requests.length]).toEqual(['It comes soon.', 3])
  const { registry } = projectRegistry(one.reflex, { version: '1.0.0' })
  await registry.put(manifest, hash, 'mined')
  await registry.tested(await registry.find(manifest.id), PASSED)
  await registry.activate(await registry.find(manifest.id))
  const after = await serve()
  expect(textOf(after.requests[0]?.messages.at(-1)?.content)).toContain(`${manifest.id}@${manifest.version}`)
  expect(await decisionsOf(one, after.run)).toMatchObject([{ verdict: 'approved', proposal: { carrier: 'text', skill_ref: manifest.id } }])
  expect([after.said, after.calls]).toEqual([before.said, before.calls])
  expect(after.requests).toHaveLength(2)
})
