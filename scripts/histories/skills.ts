import { isObject, type Json, type JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import { decodeSkill } from '../../packages/reflex/src/kinds/skill/manifest/read-skill.ts'
import { entryNames, skillLedger } from '../../packages/reflex/src/kinds/skill/ledger/entries.ts'
import { SkillRegistry } from '../../packages/reflex/src/learn/registry/registry.ts'
import { Reflex } from '../../packages/reflex/src/wrap/index.ts'
import { changed } from '../../packages/reflex/test/kinds/skill/skills.ts'
import { CASES, SKILL, type SkillCase, type ToolDeed } from './skill-cases.ts'
import type { History, Stage } from './stage.ts'

const NAMES = ['put', 'tell', 'unset', 'tidy']

/** Turns of wrapped agents whose models propose a skill: every end that an execution and a block can have. */
export const skills: Readonly<Record<string, History>> = Object.fromEntries(
  Object.entries(CASES).map(([name, one]): [string, History] => [
    `skill-${name}`,
    { about: one.about, live: (stage) => turnsOf(one, `skill-${name}`, stage) },
  ]),
)

/** Has an agent take the turns of a case, and returns the run of the last. */
async function turnsOf(one: SkillCase, id: string, stage: Stage): Promise<string> {
  const reflex = stage.live({ skill: { project: 'acme' } })
  if (!(reflex instanceof Reflex)) throw new TypeError('a life of a stage is no Reflex')
  await activate(one, reflex, stage)
  const { tools = {}, turns, user = 'Release it.', calls, fails = false } = one
  let [turn, round] = [-1, 0]
  const llm = async (): Promise<JsonObject> => {
    const replies = turns[turn] ?? []
    const reply = replies[Math.min(round++, replies.length - 1)] ?? ''
    const message = typeof reply === 'string' ? { content: reply } : { content: null, tool_calls: reply }
    return { choices: [{ message: { role: 'assistant', ...message } }], usage: { prompt_tokens: 10, completion_tokens: 5 } } as JsonObject
  }
  const agent = reflex.wrap({
    name: 'loop',
    carrier: 'both',
    tools: Object.fromEntries(NAMES.map((name) => [name, () => does(tools[name] ?? name)])),
    llm,
    agent: async (text: string, context: { readonly llm: typeof llm; readonly tools: Record<string, () => unknown> }) => {
      if (calls !== undefined) await context.tools[calls]?.()
      const ask = context.llm as (request: object) => Promise<JsonObject>
      const reply = await ask({ messages: [{ role: 'user', content: text }] })
      if (fails) throw new Error('the agent has had enough')
      return reply
    },
  })
  for (turn = 0; turn < turns.length; turn++) {
    round = 0
    const name = turn === turns.length - 1 ? id : `${id}-${turn}`
    await agent.run(user, { id: name }).catch((thrown: unknown) => {
      if (!fails) throw thrown
    })
  }
  return id
}

function does(deed: ToolDeed): Json {
  if (isObject(deed) && typeof deed['throws'] === 'string') throw new Error(deed['throws'])
  return deed as Json
}

/** Keeps and activates the skill of a case. */
async function activate({ set = {}, state }: SkillCase, { store }: Reflex, { host }: Stage): Promise<void> {
  const { skill, findings } = decodeSkill(changed(SKILL, { set }))
  if (skill === undefined) throw new Error(findings.map(String).join('\n'))
  const place = { project: 'acme', env: 'default', by: 'ana', sdk: '', now: () => host.now(), unique: () => host.entropy() }
  const registry = new SkillRegistry(store, place)
  const { id, version } = skill.manifest
  await registry.put(skill.manifest, skill.hash, 'file')
  await registry.tested(await registry.find(id), { passed: true, unit: [1, 1], fuzz: [1, 1], security: true, delta_cost: 0 })
  await registry.activate(await registry.find(id))
  if (state === undefined) return
  const entry = { name: entryNames.state(id, version), value: { state, reason: 'the case says so', since: host.now(), by: 'ana' } }
  await store.appendAll(skillLedger('acme', 'default'), 'the state of the case', [entry], host.now())
}
