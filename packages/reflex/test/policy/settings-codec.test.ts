import { describe, expect, test } from 'vitest'
import { digest, type Json, type Start } from '../../src/kernel/index.ts'
import { type RunSettings, type SettingsHost, settingsCodec } from '../../src/policy/index.ts'
import { settingsWith } from './settings.ts'

const host: SettingsHost = {
  workdir: '/here',
  folderOf: (run) => `/here/.reflex/runs/${run}`,
  isModule: (file) => file.endsWith('.ts'),
  entropy: () => 'drawn',
  seal: (text) => digest(text),
}
const codec = settingsCodec(host)
const of = { run: 'otter', trace: 't', program: 'p' }
const startWith = (by: Json | undefined, change: Partial<Start> = {}): Start => ({
  v: 3,
  run: 'otter',
  trace: 't',
  seed: '',
  at: 0,
  pins: [['workflow:w', 'workflow', 1, 'p']],
  ...(by === undefined ? {} : { by }),
  ...change,
})
const trusted: RunSettings = settingsWith({
  trust: 'trusted',
  simulated: true,
  agentId: 'pilot',
  file: '/here/a.workflow.ts',
  agent: { perNode: { a: 'person' }, model: 'x:y', recorded: '/here/r.jsonl' },
  tools: ['/here/tools.ts'],
  limits: { tokens: 5, depth: 2 },
  routing: { deadEnd: 'fail' },
  persistArtifacts: true,
  logs: { folder: '/logs', secret: '/secret' },
})

describe('the settings of a run in its first record', () => {
  test('come back as they were, with the folders of the process that reads them', () => {
    const here = { workdir: '/here', folder: '/here/.reflex/runs/otter' }
    expect(codec.read(startWith(codec.write(trusted, of)))).toEqual({ ...trusted, ...here })
    expect(codec.read(startWith(undefined))).toEqual({ actor: '', simulated: false, trust: 'untrusted', ...here })
  })

  test('have the usual rights for another run, another program, or a changed claim', () => {
    const by = codec.write(trusted, of) as { readonly trust: string }
    const usual = { trust: 'probationary', lowered: true, simulated: true, agent: { perNode: { a: 'person' }, model: 'x:y' } }
    for (const start of [
      startWith(by, { run: 'stork' }),
      startWith(by, { trace: 'u' }),
      startWith(by, { pins: [['workflow:w', 'workflow', 1, 'q']] }),
      startWith({ ...by, trust: 'autonomous' }),
      startWith({ ...by, workdir: '/' }),
    ]) {
      const read = codec.read(start)
      expect(read).toMatchObject(usual)
      for (const key of ['tools', 'logs', 'agentId', 'file'] as const) expect(read).not.toHaveProperty(key)
    }
  })

  test('never say where a run works: that is for the process that holds it', () => {
    expect(codec.read(startWith({ actor: 'eve', trust: 'probationary', workdir: '/', folder: '/etc' }))).toMatchObject({
      workdir: '/here',
      folder: '/here/.reflex/runs/otter',
    })
  })

  test('of a fork have a proof of their own, and a journal that was lowered stays so unless its trust is set', () => {
    const fork = { run: 'stork', trace: 'u', program: 'p' }
    const written = codec.write(codec.forFork(trusted, { actor: 'ben' }), fork)
    const read = codec.read(startWith(written, { run: 'stork', trace: 'u' }))
    expect(read).toMatchObject({ actor: 'ben', trust: 'trusted', simulated: true, logs: { secret: '/secret' } })
    const lowered = settingsWith({ lowered: true })
    expect(codec.forFork(lowered, { actor: 'ben' })).toMatchObject({ trust: 'probationary', lowered: true })
    expect(codec.forFork(lowered, { actor: 'ben', trust: 'trusted' })).not.toHaveProperty('lowered')
  })
})
