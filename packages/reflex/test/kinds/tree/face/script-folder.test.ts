import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from '../../../cli/worlds.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = join(workFolder(), 'trees')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const MAIN =
  '{ "id": "main", "board": { "n": { "type": "int", "default": 1 } }, "root": { "type": "script", "params": { "file": "step.lua" } } }'

test('a script beside its tree is no tree: its folder is valid, and the tree is the program of the folder', async () => {
  const folder = folderWith({ 'main.tree.json': MAIN, 'step.lua': 'bb.set("n", bb.n + 1)\n' })
  const checked = await reflex(['validate', '.'], { folder })
  expect([checked.code, checked.out.trim()]).toEqual([0, expect.stringContaining('1 file valid')])
  const ran = await reflex(['run', '.', '--json'], { folder })
  expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('"n": 2')])
})

test('a mistake of such a script is an error of the folder, once', async () => {
  const folder = folderWith({ 'main.tree.json': MAIN, 'step.lua': 'bb.set("n" bb.n + 1)\n' })
  const { code, out } = await reflex(['validate', '.', '--json'], { folder })
  const { files } = JSON.parse(out) as {
    readonly files: readonly { readonly findings: readonly { readonly code: string; readonly file: string }[] }[]
  }
  expect([code, files.flatMap(({ findings }) => findings.map((found) => [found.code, found.file]))]).toEqual([
    1,
    [['R1241', join(folder, 'step.lua')]],
  ])
})

test('a file of Lua that no tree names must return a tree, also beside a tree with errors', async () => {
  const { code, out } = await reflex(['validate', '.'], {
    folder: folderWith({ 'main.tree.json': MAIN, 'step.lua': '', 'other.lua': 'return 5' }),
  })
  expect([code, out]).toEqual([1, expect.stringContaining('other.lua')])
  expect(out).not.toContain('step.lua')
})
