// proves: skill 17
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../../src/app/reflex.ts'
import { projectRegistry } from '../../../src/learn/snapshot/project-registry.ts'
import { defineTool } from '../../../src/tools/index.ts'
import { compiled } from '../ci/world.ts'

const PASSED = { passed: true, unit: [1, 1], fuzz: [1, 1], security: true, delta_cost: 0 } as const

const source = (version: string) => ({
  id: 'app.note',
  version,
  owner: 'ana',
  compat: {},
  signature: { inputs: [], outputs: [] },
  preconditions: { tools_available: ['notes.begin', 'notes.end'] },
  plan: {
    idempotence_key: 'constant:note',
    idempotence_ttl_s: 60,
    steps: [
      { id: 'begin', tool: 'notes.begin', args: { of: version } },
      { id: 'end', tool: 'notes.end', args: { of: version } },
    ],
    compensation: 'none',
    irreversible_reason: 'notes are kept',
  },
  effects: { external: ['kept:note'] },
})

it('an execution ends with the version that it began with, and the next one has the new version (skill 17)', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-active-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  const calls: string[] = []
  let inTheMiddle: () => Promise<void> = async () => undefined
  const tool = (name: string, act: (of: string) => Promise<void> | void) =>
    defineTool({
      name,
      description: name,
      leaves: true,
      repeat: 'keyed',
      async run(args) {
        await act((args as { readonly of: string }).of)
        return 'ok'
      },
    })
  const reflex = new Reflex({
    store: 'memory:',
    workdir: folder,
    trust: 'trusted',
    tools: [
      tool('notes.begin', async (of) => {
        calls.push(`begin ${of}`)
        await inTheMiddle()
      }),
      tool('notes.end', async (of) => void calls.push(`end ${of}`)),
    ],
  })
  onTestFinished(() => reflex.close())
  const { registry } = projectRegistry(reflex, { version: '1.0.0' })
  const activate = async (version: string): Promise<void> => {
    const { manifest, hash } = compiled(source(version))
    await registry.put(manifest, hash, 'file')
    await registry.tested(await registry.find(`app.note@${version}`), PASSED)
    await registry.activate(await registry.find(`app.note@${version}`))
  }
  await activate('1.0.0')
  inTheMiddle = () => activate('2.0.0')
  const first = await reflex.run('skill:app.note')
  expect([first.status, calls]).toEqual(['completed', ['begin 1.0.0', 'end 1.0.0']])
  inTheMiddle = async () => undefined
  const second = await reflex.run('skill:app.note')
  expect([second.status, calls.slice(2)]).toEqual(['completed', ['begin 2.0.0', 'end 2.0.0']])
})
