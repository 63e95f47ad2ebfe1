import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FolderSearches } from '../../src/programs/folder-searches.ts'

/** A folder, and its searches at a time when what was written in it counts as settled. */
function searched(settledMs = 60_000) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-searches-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const hidden = join(folder, 'hidden')
  const searches = new FolderSearches({ isProgram: (path) => path.endsWith('.dot'), hidden: [hidden], now: () => Date.now() + settledMs })
  const find = async (which: 'programs' | 'all' = 'programs') => (await searches.find([folder], which)).states
  const names = async (which?: 'programs' | 'all') => [...(await find(which)).keys()].map((path) => path.slice(folder.length + 1)).sort()
  const write = (name: string, text = '') => writeFileSync(join(folder, name), text)
  for (const name of ['a', 'a/b', 'hidden']) mkdirSync(join(folder, name))
  for (const name of ['one.dot', 'a/two.dot', 'a/b/three.dot', 'a/b/notes.txt', 'hidden/four.dot']) write(name)
  return { folder, searches, find, names, write }
}

test('programs and all files are found below a folder, and not in hidden ones', async () => {
  const { names } = searched()
  expect(await names()).toEqual(['a/b/three.dot', 'a/two.dot', 'one.dot'])
  expect(await names('all')).toEqual(['a/b/notes.txt', 'a/b/three.dot', 'a/two.dot', 'one.dot'])
})

test('a folder that was searched before shows what has changed in it since then', async () => {
  const { folder, find, names, write } = searched()
  const before = await find()
  write('a/b/three.dot', 'another text')
  write('a/b/new.dot')
  renameSync(join(folder, 'a/two.dot'), join(folder, 'a/moved.dot'))
  symlinkSync(join(folder, 'a/b/notes.txt'), join(folder, 'link.dot'))
  rmSync(join(folder, 'one.dot'))
  mkdirSync(join(folder, 'one.dot'))
  write('one.dot/inner.dot')
  expect(await names()).toEqual(['a/b/new.dot', 'a/b/three.dot', 'a/moved.dot', 'link.dot', 'one.dot/inner.dot'])
  const path = join(folder, 'a/b/three.dot')
  expect((await find()).get(path)).not.toEqual(before.get(path))
})

test('a folder whose last change is too recent is listed again', async () => {
  const { searches, folder, names, write } = searched(0)
  await searches.find([folder], 'programs')
  write('a/b/new.dot')
  expect(await names()).toContain('a/b/new.dot')
})

test('searches that are asked for at the same time see what was there when they were asked for', async () => {
  const { names, write } = searched()
  const first = names()
  write('late.dot')
  const later = await Promise.all([names(), names(), names()])
  expect(later.every((found) => found.includes('late.dot'))).toBe(true)
  expect((await first).length).toBeGreaterThanOrEqual(3)
})
