import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digest } from '../../../../src/kernel/index.ts'
import { activate, type ChatRequest, life, ScriptedModel } from '../../../wrap/session/world.ts'
import { newFolder } from '../../../app/folders.ts'
import { manifestOf, onDisk } from './hidden.ts'

const PROMPT = 'Which app? Reply {"app": "NAME"}.'

/** A skill whose slot a model fills. */
function asking(more: Readonly<Record<string, unknown>> = {}): never {
  return manifestOf({
    id: 'app.say',
    signature: { inputs: [{ name: 'app', type: 'hostname_label' }], outputs: [{ name: 'app', type: 'string' }] },
    preconditions: { tools_available: ['file.list'] },
    plan: { steps: [{ id: 'a', tool: 'file.list', args: { path: '.' } }], compensation: [], result_map: { app: '{{app}}' } },
    effects: {},
    llm_support: {
      parsers: [{ name: 'app', model: 'simulated', temperature: 0, prompt_ref: 'prompts.txt', inputs: ['user_text'], outputs: ['app'] }],
    },
    activation: { keywords_any: ['say'], score_weights: { keyword_hit: 1 }, tau: 1 },
    ...more,
  })
}

// proves: skill 12, skill 13
it('makes a skill ineligible when its prompt has changed, for the command', async () => {
  const workdir = newFolder()
  const file = join(workdir, 'say.skill.json')
  const prompt = join(workdir, 'prompts.txt')
  writeFileSync(file, JSON.stringify(asking()))
  const { reflex } = onDisk({ workdir })
  const run = async () => reflex.run(file, { input: { app: 'shop' }, skill: { draft: true } })
  await expect(run()).rejects.toMatchObject({ rule: 'E_PROMPT_REF', line: expect.any(Number) as number })
  writeFileSync(prompt, PROMPT)
  const done = await run()
  expect([done.status, done.value]).toEqual(['completed', { app: 'shop' }])
  // The hash of the prompt is part of the stored manifest, so a changed prompt is another skill, and the old one is not eligible.
  const source = JSON.parse(JSON.stringify(asking())) as { llm_support: { parsers: object[] } }
  const [parser] = source.llm_support.parsers
  writeFileSync(file, JSON.stringify({ ...source, llm_support: { parsers: [{ ...parser, prompt_sha256: digest(PROMPT) }] } }))
  expect((await run()).status).toBe('completed')
  writeFileSync(prompt, `${PROMPT} Guess.`)
  await expect(run()).rejects.toMatchObject({ rule: 'E_PROMPT_REF', message: expect.stringContaining('has changed') as string })
  expect((await reflex.replay(done.id)).difference).toBeUndefined()
})

// proves: skill 13
it('makes an active skill ineligible when its prompt has changed, for an application', async () => {
  const parser = { name: 'app', model: 'simulated', temperature: 0, prompt_ref: 'prompts.txt', prompt_sha256: digest(PROMPT) }
  const steps = [{ id: 'a', tool: 'file.list', args: { path: '.' } }]
  const skill: object = asking({
    plan: { idempotence_key: 'k:{{app}}', steps, compensation: 'none', irreversible_reason: 'a test', result_map: { app: '{{app}}' } },
    llm_support: { parsers: [{ ...parser, inputs: ['user_text'], outputs: ['app'] }] },
  })
  const shownWith = async (text: string): Promise<readonly [boolean, string | undefined]> => {
    const { reflex, store, host } = life({ skill: { prompts: { 'prompts.txt': text } } })
    await activate({ store, host }, skill, ['file.list'])
    const model = new ScriptedModel('ok')
    const agent = reflex.wrap({
      agent: async (user: string, { llm }: { llm: (request: ChatRequest) => Promise<unknown> }) =>
        llm({ messages: [{ role: 'user', content: user }] }),
      llm: model.create,
    })
    await agent.run('say the app')
    const run = await reflex.run('skill:app.say', { input: { app: 'shop' } })
    return [JSON.stringify(model.requests).includes('app.say@1.0.0'), run.failure?.rule ?? run.status]
  }
  expect(await shownWith(PROMPT)).toEqual([true, 'completed'])
  expect(await shownWith(`${PROMPT} Guess.`)).toEqual([false, 'state.unbound'])
})
