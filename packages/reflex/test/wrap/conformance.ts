import { describe, expect, it } from 'vitest'
import type { CanonicalPart } from '../../src/wrap/dialects/contract.ts'
import type { Fields } from '../../src/wrap/dialects/loose.ts'
import { memoryStore } from '../../src/store/index.ts'
import type { Said } from './dialects/fixture.ts'
import type { DrivenAgent, DrivenParts, Driver, Mode } from './driver.ts'
import { Mortal, NEVER } from './session/mortal.ts'
import { activate, life, type Life, propose, RELEASE } from './session/world.ts'

type Carrier = DrivenParts['carrier']

const search = (q: string): Said => ({ id: `call_${q}`, name: 'search', args: JSON.stringify({ q }) })

/** A reply that proposes the skill of these tests. */
function proposal(carrier: Carrier, text: string): readonly Said[] {
  if (carrier === 'text') return [`${text}\n${propose({ tag: 'v1' })}`]
  return [text, { id: 'call_p', name: 'reflex_propose', args: JSON.stringify({ skill_id: 'release.tag', inputs: { tag: 'v1' } }) }]
}

/** A world with a driven agent whose model replies one line of a script after another. */
class Conversation {
  readonly one: Life
  readonly requests: Fields[] = []
  readonly tagged: unknown[] = []
  readonly searched: string[] = []
  readonly agent: DrivenAgent
  readonly #driver: Driver

  constructor(
    driver: Driver,
    one: Life,
    parts: Pick<DrivenParts, 'mode' | 'carrier'> & Partial<DrivenParts>,
    script: readonly (readonly Said[])[],
  ) {
    this.#driver = driver
    this.one = one
    this.agent = driver.make({
      reflex: one.reflex,
      model: {
        reply: async (request) => {
          this.requests.push(structuredClone(request))
          return script[this.requests.length - 1] ?? ['ok']
        },
      },
      tools: {
        search: {
          sideEffects: 'none',
          execute: async ({ q }) => {
            this.searched.push(String(q))
            return `found ${String(q)}`
          },
        },
        set_tag: { sideEffects: 'external', idempotent: true, execute: async (args) => String(this.tagged.push(args)) },
      },
      ...parts,
    })
  }

  /** Runs a turn, and returns the text and the trace. */
  async turn(text: string, chat = 'chat'): Promise<{ readonly said: string; readonly trace: string; readonly run: string }> {
    let run = ''
    const said = await this.agent.run({ text, chat, options: { onStart: (id) => (run = id) } })
    return { said, run, trace: JSON.stringify(await this.one.reflex.trace(run)) }
  }

  /** The messages of a request as its model reads them, without system texts. */
  parts(index: number): readonly CanonicalPart[] {
    const { messages } = this.#driver.fixture.dialect.read(this.requests[index] ?? {})
    return messages.filter(({ role }) => role !== 'system').flatMap(({ parts }) => parts)
  }

  texts(index: number): string {
    return this.parts(index)
      .map((part) => ('text' in part ? part.text : ''))
      .join('\n')
  }

  bulletins(index: number): readonly string[] {
    return [...this.texts(index).matchAll(/<SKILL_BULLETIN turn="[0-9a-f]+"( same="true")?/g)].map(([, same]) =>
      same === undefined ? 'full' : 'same',
    )
  }

  /** The hidden exchanges in a request. */
  hidden(index: number): number {
    const calls = this.parts(index).filter((part) => 'call' in part && part.name === 'reflex_propose').length
    return calls + [...this.texts(index).matchAll(/<SKILL_RESULT>/g)].length
  }
}

const count = (text: string, part: string): number => text.split(part).length - 1

/**
 * Tests that an agent of a framework behaves within its turns as reference skill 1.14 says: with each carrier of proposals, whole replies and
 * streams, and when its process dies at any commit.
 */
export function conformance(driver: Driver): void {
  describe(driver.name, () => {
    for (const mode of driver.modes) {
      describe(mode === 'whole' ? 'with whole replies' : 'with streams', () => {
        for (const carrier of ['text', 'tool'] as const) testTurns(driver, mode, carrier)
        testWrapping(driver, mode)
        testCrashes(driver, mode)
      })
    }
    testClient(driver)
  })
}

function testTurns(driver: Driver, mode: Mode, carrier: Carrier): void {
  const { dialect } = driver.fixture

  it(`shows one bulletin in each request, which begins with the one before (${carrier})`, async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const talk = new Conversation(driver, one, { mode, carrier }, [[search('a')], ['Found.'], [search('b')], ['Done.']])
    const first = await talk.turn('please release')
    const second = await talk.turn('release again')
    expect([first.said, second.said]).toEqual(['Found.', 'Done.'])
    expect(one.troubles.map(String)).toEqual([])
    expect(talk.requests.map((_, i) => talk.bulletins(i))).toEqual([['full'], ['full'], ['full', 'same'], ['full', 'same']])
    expect(count(first.trace, 'the bulletin shows')).toBe(1)
    const messages = talk.requests.map((request) => dialect.messages(request).map((message) => JSON.stringify(message)))
    messages.forEach((sent, k) => {
      const earlier = messages[k - 1] ?? []
      expect(sent.slice(0, earlier.length)).toEqual(earlier)
    })
    expect(new Set(talk.requests.map((request) => dialect.read(request).system)).size).toBe(1)
  })

  it(`carries out a proposal past the agent, and keeps it in the conversation (${carrier})`, async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const script = [proposal(carrier, 'I tag it.'), ['It is tagged.'], ['Bye.'], ['Bye bye.']]
    const talk = new Conversation(driver, one, { mode, carrier }, script)
    const { said, run, trace } = await talk.turn('please release v1')
    expect(said).toBe('I tag it.\nIt is tagged.')
    expect(talk.tagged).toHaveLength(1)
    expect(count(trace, 'the model proposes it')).toBe(1)
    expect((await one.reflex.find(run)).used?.tokens).toBe(30)
    expect(talk.agent.history('chat')).not.toMatch(/SKILL_RESULT|SKILL_PROPOSE|reflex_propose/)
    await talk.turn('thanks')
    expect([talk.hidden(1), talk.hidden(2)]).toEqual([1, 1])
    talk.agent.edit('chat', 'It is tagged.', 'It was tagged.')
    await talk.turn('bye')
    expect(talk.hidden(3)).toBe(0)
    expect(one.troubles.map(String)).toEqual([])
    expect((await one.reflex.replay(run)).difference).toBeUndefined()
  })

  it(`never mixes turns that run at the same time (${carrier})`, async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = {
      reply: async (request: Fields): Promise<readonly Said[]> => {
        const { messages, turn } = dialect.read(request)
        const [, number = ''] = /release (\d+)/.exec(turn?.text ?? '') ?? []
        return messages.at(-1)?.role === 'user' && turn?.index === messages.length - 1 ? [search(number)] : [`found ${number}`]
      },
    }
    const requests: Fields[] = []
    const talk = new Conversation(
      driver,
      one,
      { mode, carrier, model: { reply: (request) => (requests.push(structuredClone(request)), model.reply(request)) } },
      [],
    )
    const turns = await Promise.all(Array.from({ length: 50 }, (_, i) => talk.turn(`release ${i}`, `chat ${i}`)))
    expect(turns.map(({ said }) => said)).toEqual(turns.map((_, i) => `found ${i}`))
    for (const { trace } of turns) expect([count(trace, 'the agent calls a tool'), count(trace, 'the bulletin shows')]).toEqual([1, 1])
    const marks = requests.map((request) =>
      [...JSON.stringify(request).matchAll(/SKILL_BULLETIN turn=\\+"([0-9a-f]+)/g)].map(([, mark]) => mark),
    )
    expect(marks.every((all) => all.length === 1)).toBe(true)
    expect(new Set(marks.flat()).size).toBe(50)
    expect(one.troubles.map(String)).toEqual([])
  })
}

function testWrapping(driver: Driver, mode: Mode): void {
  it('records each call once, however often it is wrapped', async () => {
    const one = life()
    const talk = new Conversation(driver, one, { mode, carrier: 'text', isWrappedTwice: true }, [[search('a')], ['Found.']])
    const { said, trace } = await talk.turn('look')
    expect([said, talk.searched]).toEqual(['Found.', ['a']])
    expect([count(trace, 'the agent asks its model'), count(trace, 'the agent calls a tool')]).toEqual([2, 1])
  })

  it('reports an agent that asks its model past the proxies, and refuses it if it is strict', async () => {
    const one = life()
    const loose = new Conversation(driver, one, { mode, carrier: 'text', isBypassing: true }, [['Hi.']])
    expect((await loose.turn('hello')).said).toBe('Hi.')
    expect(one.troubles).toMatchObject([{ code: 'R2151', rule: 'adapter.no_intercept' }])
    const strict = new Conversation(driver, one, { mode, carrier: 'text', isBypassing: true, strictIntercept: true }, [['Hi.']])
    await expect(strict.turn('hello')).rejects.toMatchObject({ code: 'R2151' })
  })
}

function testClient(driver: Driver): void {
  it('is as it was when it is unwrapped', () => {
    const talk = new Conversation(driver, life(), { mode: driver.modes[0] ?? 'whole', carrier: 'text' }, [])
    if (talk.agent.isOriginal === undefined) return talk.agent.unwrap()
    expect(talk.agent.isOriginal()).toBe(false)
    talk.agent.unwrap()
    expect(talk.agent.isOriginal()).toBe(true)
  })

  const { wrapFrozen } = driver
  it.runIf(wrapFrozen !== undefined)('refuses a client that cannot be replaced', () => {
    const { reflex } = life()
    expect(() => wrapFrozen?.(reflex)).toThrow(expect.objectContaining({ code: 'R2150', rule: 'E_CANNOT_INTERCEPT' }))
  })
}

function testCrashes(driver: Driver, mode: Mode): void {
  it.each([
    ['before the store has a commit', false],
    ['before it hears of a commit', true],
  ])('makes no settled call again when its process dies %s', async (_, after) => {
    for (let at = 1; at < 100; at++) {
      if (await survives(driver, mode, { at, after })) {
        expect(at).toBeGreaterThan(3)
        return
      }
    }
    throw new Error('the turn never ends')
  })
}

/** What happened in one life of an agent that searches, which nobody may do twice, and whose model then proposes a skill. */
function mortalAgent(
  driver: Driver,
  { reflex }: Life,
  { mode, mortal, calls }: { mode: Mode; mortal: Mortal; calls: string[] },
): DrivenAgent {
  const alive = async <Value>(name: string, value: Value): Promise<Value> => {
    if (mortal.isDead) return NEVER
    calls.push(name)
    return value
  }
  return driver.make({
    reflex,
    mode,
    carrier: 'text',
    model: {
      reply: async (request) => {
        const { messages } = driver.fixture.dialect.read(request)
        const parts = messages.at(-1)?.parts ?? []
        if (parts.some((part) => 'result' in part)) return alive('model proposes', proposal('text', 'I tag it.'))
        const isTold = parts.some((part) => 'text' in part && part.text.includes('<SKILL_RESULT>'))
        return isTold ? alive('model ends', ['All done.']) : alive('model searches', [search('a')])
      },
    },
    tools: {
      search: { sideEffects: 'external', execute: ({ q }) => alive(`search ${String(q)}`, 'found') },
      set_tag: { sideEffects: 'external', idempotent: true, execute: ({ tag }) => alive(`tag ${String(tag)}`, 'ok') },
    },
  })
}

/** Runs a turn whose process dies at a commit, and resumes it. Returns true if it ended before. */
async function survives(driver: Driver, mode: Mode, dies: { readonly at: number; readonly after: boolean }): Promise<boolean> {
  const under = memoryStore()
  const mortal = new Mortal(under, dies)
  const calls: string[] = []
  const first = life({ store: mortal.store, closes: false })
  await activate({ store: under, host: first.host }, RELEASE, ['set_tag'])
  const begun = mortalAgent(driver, first, { mode, mortal, calls }).run({ text: 'release v1', chat: 'chat', options: { id: 'otter' } })
  const death = (async () => {
    while (!mortal.isDead) await new Promise(setImmediate)
  })()
  if (await Promise.race([begun.then(() => true), death.then(() => false)])) return true
  for (let i = 0; i < 50; i++) await new Promise(setImmediate)
  const before = calls.splice(0)
  const second = life({ store: under, at: first.host.now() + 3_600_000 })
  const stored = await second.reflex.store.read('otter')
  if (stored === undefined || stored.row.last === 0) return false
  const { state } = await second.reflex.runtime.peek('otter')
  const settled = Object.keys(state.root.reader().snapshot()).filter((key) => key.startsWith('~r.'))
  if (state.ended === undefined) {
    const resumed = mortalAgent(driver, second, { mode, mortal: new Mortal(under), calls }).resume('otter')
    expect(await answered(second, resumed)).toBe('I tag it.\nAll done.')
  }
  const where = `${dies.at} ${String(dies.after)}: ${before.join()} | ${settled.join()} | ${calls.join()}`
  expect([...before, ...calls].filter((call) => call === 'search a').length, where).toBeLessThanOrEqual(1)
  const models = settled.filter((key) => key.startsWith('~r.model')).length
  if (models > 0) expect(calls, where).not.toContain('model searches')
  if (models > 1) expect(calls, where).toEqual([])
  // The host hears of a question, and of nothing else.
  expect(second.troubles.filter(({ code }) => code !== 'R2157').map(String), where).toEqual([])
  expect((await second.reflex.replay('otter')).difference, where).toBeUndefined()
  return false
}

/** Waits for a turn, and says of everything that is asked that it has happened. */
async function answered(one: Life, turn: Promise<string>): Promise<string> {
  const over = { is: false }
  const end = (): void => void (over.is = true)
  turn.then(end, end)
  while (!over.is) {
    await one.host.drain()
    for (const { id } of await one.reflex.inbox()) await one.reflex.answer(id, 'happened')
    await new Promise(setImmediate)
  }
  return turn
}
