import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newFolder } from '../app/folders.ts'

const COMMAND = resolve(import.meta.dirname, '../../bin/reflex.js')

/** Runs the command in a process that gets something else for the package of clusters. */
async function commandWith(hook: string): Promise<string> {
  const folder = newFolder()
  const file = join(folder, 'hook.mjs')
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module'\nregisterHooks({ resolve(name, context, next) {\n${hook}\nreturn next(name, context) } })`,
  )
  const env = { PATH: process.env['PATH'], REFLEX_STORE: 'postgres://nobody@127.0.0.1:1/none', HOME: folder }
  const ran = promisify(execFile)(process.execPath, ['--import', file, COMMAND, 'queue', 'list'], { cwd: folder, env })
  return ran.then(
    () => 'done',
    (thrown: unknown) => String(Reflect.get(Object(thrown), 'stderr')),
  )
}

test('without the package, a command that needs it says what to install', async () => {
  const said = await commandWith(
    `if (name === 'reflex-runtime-cluster') throw Object.assign(new Error('not there'), { code: 'ERR_MODULE_NOT_FOUND' })`,
  )
  expect(said).toContain('R5140')
  expect(said).toContain('npm install reflex-runtime-cluster')
})

test('a package of another version is not used', async () => {
  const said = await commandWith(
    `if (name === 'reflex-runtime-cluster') return { url: 'data:text/javascript,export const join = 1', shortCircuit: true }`,
  )
  expect(said).toContain('R5140')
  expect(said).toContain('npm install reflex-runtime-cluster@latest')
})
