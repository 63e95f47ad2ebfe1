import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { type Ended, start, workFolder } from './worlds.ts'

const CHOOSE = {
  id: 'choose',
  entry: 'pick',
  nodes: { pick: { id: 'pick', spec: { prompt: 'Which?' } }, a: { id: 'a', spec: {} }, b: { id: 'b', spec: {} } },
  edges: [
    { id: 'a', from: 'pick', to: 'a', event: 'A' },
    { id: 'b', from: 'pick', to: 'b', event: 'B' },
  ],
}

function ran(config: object, words: readonly string[] = [], environment: Record<string, string> = {}): Promise<Ended> {
  const folder = workFolder()
  writeFileSync(join(folder, 'choose.workflow.json'), JSON.stringify(CHOOSE))
  writeFileSync(join(folder, 'reflex.config.json'), JSON.stringify(config))
  return start(['run', 'choose.workflow.json', ...words], { folder, environment }).ended
}

describe('reflex.config.json', () => {
  test('sets the default model, agent and trust', async () => {
    const { code, err } = await ran({ model: 'simulated', trust: 'untrusted' })
    expect(code).toBe(0)
    expect(err).toContain('rules decide, model simulated · untrusted')
    expect(err).toContain('pick: simulated → a')
    expect((await ran({ agent: 'person' })).err).toContain('person decides')
  })

  test('yields to the environment, and the environment to a flag', async () => {
    expect((await ran({ model: 'simulated' }, [], { REFLEX_MODEL: 'nobody:x' })).err).toContain('model nobody:x')
    const flagged = await ran({ model: 'a:b', trust: 'untrusted' }, ['--model', 'simulated', '--trust', 'trusted'], {
      REFLEX_MODEL: 'nobody:x',
    })
    expect(flagged.err).toContain('model simulated · trusted')
    expect(flagged.code).toBe(0)
  })

  test('cannot raise trust or redirect data: such settings are ignored with a warning', async () => {
    const { code, err } = await ran({
      model: 'simulated',
      trust: 'autonomous',
      baseUrl: 'http://evil.example/v1',
      policy: 'all.policy.json',
    })
    expect(code).toBe(0)
    expect(err.match(/R2034/g)).toHaveLength(3)
    expect(err).toContain('· probationary')
  })

  test('does not stop a command if it cannot be read: a warning names it', async () => {
    const { code, err } = await ran({ modle: 'x' })
    expect(code).not.toBe(2)
    expect(err).toContain('R1025')
    expect(err).toContain('reflex.config.json is ignored: ')
    expect(err).toContain('did you mean "model"?')
    expect(err).toContain('· probationary')
  })

  test('is not read if it is a link out of its folder, and its target is not shown', () => {
    const [home, outside] = [workFolder(), workFolder()]
    writeFileSync(join(outside, 'secret.json'), '{ "modle": "s3cr3t" }')
    symlinkSync(join(outside, 'secret.json'), join(home, 'reflex.config.json'))
    const { warnings } = readConfig(home)
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'R1025',
        message: 'reflex.config.json is ignored: the settings file is a link that leads out of its folder',
      }),
    ])
    expect(String(warnings)).not.toMatch(/modle|s3cr3t/)
    rmSync(join(home, 'reflex.config.json'))
    writeFileSync(join(home, 'settings.json'), '{ "model": "a:b" }')
    symlinkSync('settings.json', join(home, 'reflex.config.json'))
    expect(readConfig(home).model).toBe('a:b')
  })

  test('may name at most 100 folders', () => {
    const home = workFolder()
    const write = (count: number) => writeFileSync(join(home, 'reflex.config.json'), JSON.stringify({ programs: Array(count).fill('.') }))
    write(100)
    expect(readConfig(home).programs).toHaveLength(100)
    write(101)
    expect(readConfig(home).warnings).toEqual([expect.objectContaining({ code: 'R1025' })])
  })
})
