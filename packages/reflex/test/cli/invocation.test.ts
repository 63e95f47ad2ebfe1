import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { commandWords } from '../../src/cli/host.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A folder with an installed `reflex`, a foreign one, and a project of its own. */
function machine(): { own: string; project: string; link: (to: string, at: string) => string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-invocation-')))
  folders.push(root)
  const link = (to: string, at: string): string => {
    const file = join(root, at)
    mkdirSync(dirname(file), { recursive: true })
    symlinkSync(to, file)
    return dirname(file)
  }
  const own = join(root, 'lib/reflex.js')
  mkdirSync(join(root, 'lib'))
  mkdirSync(join(root, 'project/deep'), { recursive: true })
  writeFileSync(own, '#!/usr/bin/env node\n')
  chmodSync(own, 0o755)
  return { own, project: join(root, 'project/deep'), link }
}

test('npx reflex is used if a node_modules above leads to this package', () => {
  const { own, project, link } = machine()
  link(own, 'project/node_modules/.bin/reflex')
  expect(commandWords({ cwd: project, path: '', script: own })).toBe('npx reflex')
})

test('reflex is used if the PATH leads to this package and node_modules to another one', () => {
  const { own, project, link } = machine()
  link('/bin/true', 'project/node_modules/.bin/reflex')
  const bin = link(own, 'bin/reflex')
  expect(commandWords({ cwd: project, path: bin, script: own })).toBe('reflex')
})

test('the started file is used if both names lead to other packages', () => {
  const { own, project, link } = machine()
  link('/bin/true', 'project/node_modules/.bin/reflex')
  const bin = link('/bin/true', 'bin/reflex')
  expect(commandWords({ cwd: project, path: bin, script: own })).toBe(own)
  expect(commandWords({ cwd: dirname(own), path: bin, script: own })).toBe('./reflex.js')
  chmodSync(own, 0o644)
  expect(commandWords({ cwd: dirname(own), path: '', script: own })).toBe('node ./reflex.js')
})
