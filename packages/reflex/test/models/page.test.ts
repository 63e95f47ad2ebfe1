import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemHost } from '../../src/kernel/index.ts'
import { createModels, providerAccess, recordedModels } from '../../src/models/index.ts'
import { faultOf, saying, watched } from './workshop.ts'

const root = resolve(import.meta.dirname, '../../../..')
const page = readFileSync(join(root, 'docs/models.md'), 'utf8')

function block(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? ''
}

test('the example of docs/models.md prints the documented output', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-models-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  writeFileSync(join(folder, 'example.ts'), block('ts'))
  const { stdout, stderr } = spawnSync(process.execPath, ['example.ts'], { cwd: folder, encoding: 'utf8' })
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: /console\.log.*\/\/ (.*)/.exec(page)?.[1], stderr: '' })
})

test('its handwritten recording answers', async () => {
  const models = recordedModels(block('jsonl'))
  expect(await models.generate(saying('?', { label: 'refund/decide' }), watched('1'))).toMatchObject({
    object: { edge: 'FULL' },
    by: 'hand',
  })
  expect(await models.generate(saying('?', { label: 'refund/letter' }), watched('2'))).toMatchObject({
    text: /Dear customer[^"]*/.exec(page)?.[0],
  })
})

test('its handwritten reply for a writing node is valid', async () => {
  const models = recordedModels(block('json'))
  expect(await models.generate(saying('?', { label: 'refund/decide' }), watched())).toMatchObject({
    object: { edge: 'FULL', writes: { score: 0.5 } },
    by: 'hand',
  })
})

/** The packages that the page installs; those of clouds are not installed here. */
const PACKAGES = [...page.matchAll(/^npm install (\S+)/gm)].map(([, name = '']) => name)
const CLOUDS = ['bedrock', 'vertex', 'azure'].map((cloud) => [cloud, providerAccess(`${cloud}:m`, {})?.package ?? ''] as const)

test.each(CLOUDS)('%s is reached through the package that the page installs', (cloud, name) => {
  expect(PACKAGES).toContain(name)
  const variable = providerAccess(`${cloud}:m`, {})?.missing?.name ?? ''
  expect(page).toMatch(new RegExp(`^export .*\\b${variable}=`, 'm'))
})

test.each(PACKAGES.filter((name) => CLOUDS.every(([, own]) => own !== name)))('%s is a package that Reflex loads', async (name) => {
  const provider = name.replace('@ai-sdk/', '')
  const server = provider === 'openai-compatible'
  const environment = {
    [`${provider.toUpperCase()}_API_KEY`]: 'some-key-of-a-test',
    [`${provider.toUpperCase()}_BASE_URL`]: 'http://127.0.0.1:1',
  }
  const models = createModels({
    host: systemHost,
    environment,
    model: server ? 'local:m' : `${provider}:m`,
    ...(server ? { baseUrl: 'http://127.0.0.1:1' } : {}),
  })
  // Loaded and asked: no server listens there.
  expect((await faultOf(models.generate(saying('?', { retries: 0 }), watched()))).code).toMatch(/^R40(07|11)$/)
})
