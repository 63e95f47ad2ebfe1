import { describe, expect, it } from 'vitest'
import { activate, life, type Life, propose, RELEASE } from '../session/world.ts'
import { AGENTS } from './frameworks.ts'
import { promptText, ScriptedLanguageModel } from './language-model.ts'

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

describe.each(Object.entries(AGENTS))('an agent of %s', (name, make) => {
  // proves: skill 110
  it('is shown the skills, and its model hears of what it proposes, past the agent', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedLanguageModel([{ call: 'look', args: { at: 'a' } }], `On it.\n${propose({ tag: 'v1' })}`, 'Tagged.')
    const tagged: unknown[] = []
    const agent = make(one.reflex, { model, tools: { set_tag: (args) => void tagged.push(args), look: ({ at }) => `seen ${at}` } })
    let run = ''
    expect(await agent.run('release v1', { onStart: (id: string) => (run = id) })).toBe('On it.\nTagged.')
    expect(one.troubles.map(String)).toEqual([])
    const texts = model.requests.map(promptText)
    expect(texts.map((text) => count(text, /<SKILL_BULLETIN/g))).toEqual([1, 1, 1])
    expect(texts.map((text) => count(text, /SKILL_RESULT/g) > 0)).toEqual([false, false, true])
    expect(texts[1]).toContain('seen a')
    expect(tagged).toEqual([{ tag: 'v1' }])
    expect((await one.reflex.find(run)).status).toBe('completed')
    expect((await one.reflex.replay(run)).difference).toBeUndefined()
  })

  it('keeps fifty turns apart', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedLanguageModel((options) => {
      const text = promptText(options)
      const [, n = ''] = /release (\d+)/.exec(text) ?? []
      return text.includes('echo ')
        ? `model ${n} ${count(text, /<SKILL_BULLETIN/g)} ${/echo (\d+)/.exec(text)?.[1] ?? ''}`
        : [{ call: 'echo', args: { n } }]
    })
    const agent = make(one.reflex, {
      model,
      tools: { set_tag: () => 'ok', echo: async ({ n }) => (await new Promise(setImmediate), `echo ${n}`) },
    })
    const runs: string[] = []
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => agent.run(`release ${i}`, { onStart: (id: string) => (runs[i] = id) })),
    )
    expect(replies).toEqual(Array.from({ length: 50 }, (_, i) => `model ${i} 1 ${i}`))
    for (const [i, id] of runs.entries()) {
      const board = (await one.reflex.runtime.peek(id)).state.root.reader().snapshot()
      expect(Object.keys(board).filter((key) => key.startsWith('~r.'))).toHaveLength(3)
      expect(JSON.stringify(board)).toContain(`echo ${i}"`)
    }
  })

  it('stops asking its model when its turn is cancelled', async () => {
    const { reflex } = life()
    const asked = Promise.withResolvers<AbortSignal>()
    const model = new ScriptedLanguageModel(({ abortSignal }) => {
      asked.resolve(abortSignal ?? new AbortController().signal)
      return new Promise(() => undefined)
    })
    const control = new AbortController()
    let run = ''
    const turn = make(reflex, { model }).run('hi', { signal: control.signal, onStart: (id: string) => (run = id) })
    const signal = await asked.promise
    control.abort(new Error('enough'))
    await expect(turn).rejects.toThrow('enough')
    expect(signal.aborted).toBe(true)
    expect((await reflex.find(run)).status).toBe('cancelled')
  })

  // proves: skill 111
  it.skipIf(name === 'generateText')('streams its replies, without what is for skills alone', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedLanguageModel([{ call: 'look', args: { at: 'a' } }], `On it.\n${propose({ tag: 'v1' })}`, 'Tagged.')
    const tagged: unknown[] = []
    const agent = make(one.reflex, { model, tools: { set_tag: (args) => void tagged.push(args), look: ({ at }) => `seen ${at}` } })
    let run = ''
    const pieces: string[] = []
    for await (const piece of await agent.stream('release v1', { onStart: (id: string) => (run = id) })) pieces.push(piece)
    expect(pieces.join('')).toBe('On it.\nTagged.')
    expect(one.troubles.map(String)).toEqual([])
    expect(tagged).toEqual([{ tag: 'v1' }])
    await ended(one, run)
    expect((await one.reflex.find(run)).status).toBe('completed')
    expect((await one.reflex.replay(run)).difference).toBeUndefined()
  })
})

async function ended({ reflex }: Life, run: string): Promise<void> {
  while ((await reflex.find(run)).status !== 'completed') await new Promise(setImmediate)
}
