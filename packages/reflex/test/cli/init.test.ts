import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readJson } from '../../src/text/index.ts'
import { reflex, workFolder } from './worlds.ts'

function emptyFolder(): string {
  const folder = join(workFolder(), 'empty')
  mkdirSync(folder)
  return folder
}

/** The commands that a text tells to type. */
function commands(text: string): string[][] {
  return [...text.matchAll(/^ {2}\w.*? {2}reflex (.*)$/gm)].map(([, words = '']) => words.split(' '))
}

test('prints commands that work, in order', async () => {
  const folder = emptyFolder()
  const { code, out, err } = await reflex(['init', '--no-color'], { folder, columns: 80 })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(readdirSync(folder)).toEqual(['hello.workflow.json'])
  const next = commands(out)
  expect(next.map(([verb]) => verb)).toEqual(['graph', 'run', 'trace'])
  const codes: number[] = []
  for (const argv of next) codes.push((await reflex(argv, { folder })).code)
  expect(codes).toEqual([0, 75, 0])
  expect((await reflex(['answer', 'last', 'YES'], { folder })).code).toBe(0)
  const [run = ''] = readdirSync(join(folder, '.reflex/runs'))
  expect(readFileSync(join(folder, '.reflex/runs', run, 'count.txt'), 'utf8')).toMatch(/^\d+\n$/)
})

test('creates the folder, and prints the relative path of its file', async () => {
  const folder = emptyFolder()
  const { out } = await reflex(['init', 'a/b', '--json'], { folder })
  expect(JSON.parse(out)).toEqual({
    v: 1,
    files: ['a/b/hello.workflow.json'],
    next: ['reflex graph a/b/hello.workflow.json', 'reflex run a/b/hello.workflow.json', 'reflex trace last'],
  })
  expect((await reflex(['validate', 'a/b/hello.workflow.json'], { folder })).code).toBe(0)
})

test('overwrites nothing, and names the existing file', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'hello.workflow.json'), 'mine')
  const { code, out, err } = await reflex(['init'], { folder })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('error R2038  hello.workflow.json')
  expect(readFileSync(join(folder, 'hello.workflow.json'), 'utf8')).toBe('mine')
})

test('reports a place that is not writable', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'file'), '')
  const { code, err } = await reflex(['init', 'file'], { folder })
  expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('error R5040') as string })
  if (existsSync('/proc/self')) expect((await reflex(['init', '/proc/nowhere/here'], { folder })).code).toBe(3)
})

test('writes the program of the README', async () => {
  const folder = emptyFolder()
  await reflex(['init'], { folder })
  const readme = readFileSync(resolve(import.meta.dirname, '../../../../README.md'), 'utf8')
  const [, shown = ''] = /^```json\n([\s\S]*?)^```/m.exec(readme) ?? []
  expect(readJson(readFileSync(join(folder, 'hello.workflow.json'), 'utf8')).value).toEqual(JSON.parse(shown))
})

test('writes formatted files', async () => {
  const folder = emptyFolder()
  await reflex(['init'], { folder })
  expect((await reflex(['fmt', '--check', 'hello.workflow.json'], { folder })).code).toBe(0)
})
