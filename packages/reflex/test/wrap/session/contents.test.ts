import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Rec, replay, type Store } from '../../../src/kernel/index.ts'
import { openSqlite } from '../../../src/store/index.ts'
import type { SkillOptions, TurnOptions } from '../../../src/wrap/index.ts'
import { newFolder } from '../../app/folders.ts'
import { type ChatChunk, collected, StreamingModel, textOfChunks } from './stream-world.ts'
import { activate, type ChatRequest, life, type Life, propose, RELEASE } from './world.ts'

let canaries = 0
/** A text that nothing else has. */
const canary = (): string => `canary${String(++canaries).padStart(4, '0')}x`

/** A skill of two steps: the second may fail, and then the first is undone. */
const MOVE = {
  ...RELEASE,
  plan: {
    idempotence_key: 'release:{{tag}}',
    steps: [
      { id: 'set', tool: 'set_tag', args: { tag: '{{tag}}' }, guards: ["args.tag != 'none'"] },
      { id: 'tell', tool: 'tell', args: { said: '{{steps.set.result.said}}' } },
    ],
    compensation: [{ when: 'any', tool: 'drop_tag', args: { tag: '{{tag}}' } }],
    result_map: { url: '{{steps.tell.result.url}}' },
  },
  preconditions: { tools_available: ['set_tag', 'tell', 'drop_tag'], data_present: ['tag'] },
}

interface Client {
  readonly create: (request: never) => Promise<unknown>
}

interface Scene {
  readonly replies: readonly unknown[]
  readonly options?: TurnOptions
  readonly fails?: boolean
  readonly carrier?: 'text' | 'tool'
  readonly streams?: boolean
  readonly skill?: SkillOptions
}

interface Played extends Life {
  readonly run: string
  readonly output: string
  readonly called: readonly string[]
  readonly files: () => string
}

/** Plays one turn over a store in a file. Every text of the user, the model and the tools is a canary. */
async function played({ replies, options, fails = false, carrier = 'text', streams = false, skill }: Scene): Promise<Played> {
  const folder = newFolder()
  const store: Store = openSqlite(join(folder, 'reflex.db'))
  onTestFinished(() => store.close())
  const one = life({ store, skill: { logContent: 'none', ...skill } })
  await activate(one, MOVE, ['set_tag', 'tell', 'drop_tag'])
  const called: string[] = []
  const tool = (name: string, act: (args: unknown) => unknown) => ({
    sideEffects: 'external' as const,
    idempotent: true,
    execute: async (args: unknown) => (called.push(name), act(args)),
  })
  const tools = {
    set_tag: tool('set_tag', () => ({ said: canary(), [canary()]: 471108150 })),
    tell: tool('tell', () => {
      if (fails) throw new Error(`no line to ${canary()}`)
      return { url: `https://${canary()}.test` }
    }),
    drop_tag: tool('drop_tag', () => canary()),
    look: tool('look', () => ({ found: canary() })),
    broken: tool('broken', () => Promise.reject(new TypeError(canary()))),
  }
  const model: Client = streams ? new StreamingModel(...(replies as readonly string[])) : scripted(replies)
  const agent = one.reflex.wrap({
    name: 'mover',
    carrier,
    tools,
    llm: model.create as (request: ChatRequest) => Promise<unknown>,
    agent: async (text: string, context) => {
      const { llm, tools: mine } = context
      await mine.look.execute({ query: canary(), n: 815471100 })
      await mine.broken.execute({ query: canary() }).catch(String)
      await context.once('clock', () => canary())
      const request = { messages: [{ role: 'user', content: text }], ...(streams ? { stream: true } : {}) }
      const reply = await llm(request)
      return streams ? textOfChunks(await collected(reply as AsyncIterable<ChatChunk>)) : JSON.stringify(reply)
    },
  })
  let run = ''
  const output = await agent.run(`please release ${canary()}`, { conversation: canary(), ...options, onStart: (id) => (run = id) })
  const files = (): string =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
      .join('\n')
  return { ...one, run, output, called, files }
}

/** A model that replies with texts, or with messages. */
function scripted(replies: readonly unknown[]): Client {
  let asked = 0
  return {
    create: async () => {
      const reply = replies[asked++] ?? `done ${canary()}`
      const message = typeof reply === 'string' ? { role: 'assistant', content: reply } : reply
      return { id: canary(), choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 10, completion_tokens: 5 } }
    },
  }
}

const nativeCall = (inputs: object) => ({
  role: 'assistant',
  content: canary(),
  tool_calls: [
    {
      id: canary(),
      type: 'function',
      function: { name: 'reflex_propose', arguments: JSON.stringify({ skill_id: 'release.tag', inputs }) },
    },
  ],
})

const SCENES: readonly (readonly [string, () => Scene, readonly string[]])[] = [
  ['a proposal in a text', () => ({ replies: [`${canary()}\n${propose({ tag: canary() })}`] }), ['set_tag', 'tell']],
  ['a proposal as a call of a tool', () => ({ replies: [nativeCall({ tag: canary() })], carrier: 'tool' }), ['set_tag', 'tell']],
  [
    'a value of the blackboard',
    () => ({ replies: [propose({})], options: { blackboard: { ctx: { tag: canary(), more: [canary()] } } } }),
    ['set_tag', 'tell'],
  ],
  ['a missing value', () => ({ replies: [propose({})] }), []],
  ['an input that the skill does not have', () => ({ replies: [propose({ tag: canary(), [canary()]: canary() })] }), []],
  ['a skill that nobody has', () => ({ replies: [propose({}).replace('release.tag', canary())] }), []],
  ['a block that is not JSON', () => ({ replies: [`<SKILL_PROPOSE>{${canary()}</SKILL_PROPOSE>`] }), []],
  ['a plan that is undone', () => ({ replies: [propose({ tag: canary() })], fails: true }), ['set_tag', 'tell', 'drop_tag']],
  ['a stream', () => ({ replies: [`${canary()}\n${propose({ tag: canary() })}`, `then ${canary()}`], streams: true }), ['set_tag', 'tell']],
  [
    'an execution that the host refuses',
    () => ({ replies: [propose({ tag: canary() })], skill: { tau: 0.99, policyMode: 'enforce', mode: 'shadow' } }),
    [],
  ],
]

describe('a turn without contents', () => {
  // proves: skill 143
  it.each(SCENES)('has no text in any file, and replays its decisions: %s', async (_, scene, calls) => {
    const { reflex, run, troubles, output, called, files } = await played(scene())
    expect(troubles.map(String)).toEqual([])
    expect(output).toContain('canary')
    expect(called.filter((name) => name !== 'look' && name !== 'broken')).toEqual(calls)
    const replayed = await reflex.replay(run)
    expect(replayed.fault?.message).toBeUndefined()
    expect(replayed.result).toBe('equal')
    await reflex.close()
    expect(files()).toContain('‹hash ')
    expect([...files().matchAll(/canary\d*x?|471108150|815471100/g)].map(String)).toEqual([])
  })
})

/** Changes to what the records keep, each in the first record that has it, and the number of that record. */
const CHANGES: readonly (readonly [string, string, string])[] = [
  ['what a reply proposes', '"carrier":"text","skill_ref"', '"carrier":"tool","skill_ref"'],
  ['the number of proposals', '"malformed":false', '"malformed":true'],
  ['a cue', '"cues":{"keyword":"release","entity":0}', '"cues":{"entity":0}'],
  [
    'a check of a slot',
    '"checks":[{"name":"tag","source":"proposal","valid":true',
    '"checks":[{"name":"tag","source":"proposal","valid":false',
  ],
  ['the threshold', '"tau":0.85', '"tau":0.2'],
  ['a state', '"state":"active","tools":["git', '"state":"quarantined","tools":["git'],
  ['a guard', '["guard",null]', '["guard","‹hash 0000000000000000›"]'],
  ['the arguments of a step', '["args",{"value":', '["args",{"problem":'],
  ['the verdict of the registry', '{"result":{"verdict":"admitted"', '{"result":{"verdict":"cooldown"'],
  ['a verdict', '"verdict":"approved"', '"verdict":"denied"'],
  ['the end of the plan', '"status":"partial_failure"', '"status":"failed"'],
]

describe('the replay of a turn without contents', () => {
  // proves: skill 147
  it.each(CHANGES)('finds a change of %s', async (_, from, to) => {
    const { reflex, run } = await played({ replies: [propose({ tag: canary() })], fails: true })
    const records = (await reflex.runtime.journal(run)).map((record) => JSON.stringify(record))
    const at = records.findIndex((record) => record.includes(from))
    const changed = records.map((record, i) => JSON.parse(i === at ? record.replace(from, to) : record) as Rec)
    const { difference } = replay(changed, reflex.runtime.programs)
    expect([at >= 0, difference === undefined ? 0 : difference.record]).toEqual([true, expect.toSatisfy((n: number) => n > at)])
  })
})
