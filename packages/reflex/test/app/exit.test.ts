import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const door = resolve(import.meta.dirname, '../../src/index.ts')
const SCRIPT = `
import { Reflex } from ${JSON.stringify(door)}
const run = await new Reflex().run({ id: 'w', entry: 'a', nodes: { a: { id: 'a', spec: { ask: 'Go on?' } } }, edges: [] })
console.log(run.status)
`

test('a program that forgets to close ends by itself, and its run can be gone on with', () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-exit-')))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(join(cwd, 'script.mjs'), SCRIPT)
  const { status, stdout, signal } = spawnSync(process.execPath, ['script.mjs'], { cwd, encoding: 'utf8', timeout: 20_000 })
  expect({ status, stdout, signal }).toEqual({ status: 0, stdout: 'suspended\n', signal: null })
})
