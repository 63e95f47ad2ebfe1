import { describe, expect, it } from 'vitest'
import { isObject } from '../../../src/kernel/index.ts'
import { whatIf } from '../../../src/learn/registry/what-if.ts'
import { hasEnded, readRun } from '../../../src/learn/shapes/read-run.ts'
import { memoryStore } from '../../../src/store/index.ts'
import type { SkillOptions, TurnOptions, Wrapped } from '../../../src/wrap/index.ts'
import { Mortal, NEVER } from './mortal.ts'
import { activate, type ChatRequest, life, type Life, propose, RELEASE, ScriptedModel } from './world.ts'

const NONE = { logContent: 'none' } as const
/** A workflow that ends where it begins. */
const SUB = { id: 'sub', entry: 'only', nodes: { only: { id: 'only', spec: {} } }, edges: [] }
const KEY = 'sk-canary0001aBcDeFgHiJkLmN0pQ'

/** An agent whose model proposes the release of a tag once. */
function agentOf({ reflex }: Life, tags: readonly string[], tagged: unknown[] = []): Wrapped<string> {
  return reflex.wrap({
    name: 'releaser',
    tools: { set_tag: { sideEffects: 'external', idempotent: true, execute: async (args: unknown) => (tagged.push(args), 'done') } },
    agent: async (text: string, { llm }: { llm: (request: ChatRequest) => Promise<unknown> }) =>
      llm({ messages: [{ role: 'user', content: text }] }),
    llm: new ScriptedModel(...tags.flatMap((tag) => [propose({ tag }), 'it is done'])).create,
  })
}

async function lived(skill: SkillOptions, text = 'please release it', options: TurnOptions = {}) {
  const one = life({ skill })
  await activate(one, RELEASE, ['set_tag'])
  const tagged: unknown[] = []
  const agent = agentOf(one, ['v1', 'v1', 'v2'], tagged)
  let run = ''
  await agent.run(text, { ...options, onStart: (id) => (run = id) })
  return { ...one, agent, tagged, run }
}

describe('a run without contents', () => {
  it('cannot be forked, and the fault says why', async () => {
    const { reflex, run } = await lived(NONE)
    await expect(reflex.fork(`${run}@4`)).rejects.toMatchObject({ code: 'R2067', run, fix: `reflex replay ${run}` })
  })

  it('is ended by a resume, because nobody has its contents, and replays up to its end', async () => {
    const under = memoryStore()
    const mortal = new Mortal(under, { at: 3, after: true })
    const first = life({ store: mortal.store, closes: false, skill: NONE })
    await activate({ store: under, host: first.host }, RELEASE, ['set_tag'])
    void agentOf(first, ['v1']).run('please release it', { id: 'otter' })
    while (!mortal.isDead) await new Promise(setImmediate)
    const second = life({ store: under, at: first.host.now() + 3_600_000, skill: NONE })
    const again = agentOf(second, ['v1'])
    await expect(again.resume('otter')).rejects.toMatchObject({ code: 'R2067' })
    const { row } = await second.reflex.show('otter')
    expect(row).toMatchObject({ status: 'failed', value: { code: 'R2067' } })
    expect((await second.reflex.replay('otter')).result).toBe('equal')
    await expect(again.resume('otter')).rejects.toMatchObject({ code: 'R2001' })
  })

  it('is cancelled with a reason that no record has', async () => {
    const one = life({ skill: NONE })
    const tools = { wait: { execute: () => NEVER } }
    const agent = one.reflex.wrap({
      agent: (_: string, given: { tools: typeof tools }) => given.tools.wait.execute(),
      tools,
      name: 'waiter',
    })
    const ended = agent.run('wait', { id: 'otter' }).catch(String)
    await one.host.drain()
    await one.reflex.cancel('otter', { reason: 'canary has called' })
    expect(await ended).toContain('cancelled')
    expect(JSON.stringify(await one.reflex.runtime.journal('otter'))).not.toContain('canary')
    expect((await one.reflex.replay('otter')).result).toBe('equal')
  })

  it('says so where it is shown, traced and replayed', async () => {
    const { reflex, run } = await lived(NONE)
    expect((await reflex.show(run)).replayable).toBe('decisions')
    expect((await reflex.replay(run)).replayable).toBe('decisions')
    const kept = await lived({})
    expect((await kept.reflex.show(kept.run)).replayable).toBeUndefined()
    expect((await kept.reflex.replay(kept.run)).replayable).toBeUndefined()
  })

  it('is decided again with another threshold', async () => {
    const { reflex, run } = await lived(NONE)
    expect(await whatIf(reflex, run, { tau: 0.5 })).toMatchObject({ decisions: 1, changed: [] })
    expect(await whatIf(reflex, run, { policyMode: 'advise' })).toMatchObject({ decisions: 1, changed: [] })
  })

  it('goes as an archive to another store, and replays there', async () => {
    const { reflex, run } = await lived(NONE)
    const other = life()
    await other.reflex.import(reflex.export(run), { id: 'copy' })
    expect(await other.reflex.replay('copy')).toMatchObject({ result: 'equal', replayable: 'decisions' })
  })

  it('teaches no skill', async () => {
    const { store, run, reflex } = await lived(NONE)
    const { row } = await reflex.show(run)
    expect([hasEnded(row), await readRun(store, row)]).toEqual([true, undefined])
    const kept = await lived({})
    expect(await readRun(kept.store, (await kept.reflex.show(kept.run)).row)).toBeDefined()
  })

  it('keeps its key: the same execution is not carried out twice, and its outputs are not there', async () => {
    const { agent, tagged, store, reflex } = await lived(NONE)
    let run = ''
    await agent.run('please release it', { onStart: (id) => (run = id) })
    await agent.run('please release it')
    expect(tagged).toEqual([{ tag: 'v1' }, { tag: 'v2' }])
    expect(JSON.stringify(await reflex.runtime.journal(run))).toContain('short_circuit')
    expect((await reflex.replay(run)).result).toBe('equal')
    expect(JSON.stringify(await store.ledger('skill/acme/default'))).not.toContain('x.test/v1')
  })

  it.each([
    ['none', 'template', []],
    ['redacted', undefined, [{ tag: 'v1' }]],
  ] as const)('calls no program that needs contents, and says so before the first step: %s', async (logContent, reason, expected) => {
    const one = life({ skill: { logContent } })
    const [step] = RELEASE.plan.steps
    const steps = [step, { id: 'sub', tool: 'workflow:sub', args: {} }]
    await activate(one, { ...RELEASE, plan: { ...RELEASE.plan, steps } }, ['set_tag'])
    await one.reflex.runtime.programs.load('workflow')
    one.reflex.runtime.programs.add('workflow', 'sub', SUB)
    const tagged: unknown[] = []
    let run = ''
    await agentOf(one, ['v1'], tagged).run('please release it', { onStart: (id) => (run = id) })
    expect(tagged).toEqual(expected)
    expect(await one.reflex.replay(run)).toMatchObject({ result: 'equal' })
    const records = await one.reflex.runtime.journal(run)
    const outcome = records.map(({ more }) => more?.return?.[1]).find((value) => isObject(value) && value['skill_id'] !== undefined)
    expect(outcome).toMatchObject(reason === undefined ? { status: 'ok' } : { status: 'failed', reason })
  })
})

describe('the contents of records', () => {
  // proves: skill 143
  it('have no secret, and replay in full', async () => {
    const { reflex, run } = await lived({}, `please release it with ${KEY}`)
    expect(JSON.stringify(await reflex.runtime.journal(run))).not.toContain('canary')
    expect(await reflex.replay(run)).toMatchObject({ result: 'equal' })
  })

  it('have secrets only for a host that says so twice, and that is warned', async () => {
    const lax = await lived({ logContent: 'full', recordSecrets: true }, `please release it with ${KEY}`)
    expect(JSON.stringify(await lax.reflex.runtime.journal(lax.run))).toContain(KEY)
    expect(lax.troubles.map(({ code }) => code)).toEqual(['R1478'])
    expect(await lax.reflex.replay(lax.run)).toMatchObject({ result: 'equal' })
    await expect(lived({ logContent: 'full' })).rejects.toMatchObject({ code: 'R1477' })
    expect(() => life({ skill: { logContent: 'all' as 'full' } })).toThrow('logContent')
  })
})
