import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { checkArrows, importsOf } from '../../../../../scripts/arrows.ts'

const SOURCE = join(import.meta.dirname, '../../../src')
const FILES = globSync('kinds/dataflow/**/*.ts', { cwd: SOURCE })
  .map((file) => file.replaceAll('\\', '/'))
  .sort()
  .map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')] as const)

/** The folder of a file inside the room. */
const folderOf = (file: string): string => file.split('/')[2] ?? ''

/** The folders that import a file of the room. */
function importersOf(target: string): string[] {
  // The door of the room only passes on what it exports.
  const importers = FILES.filter(([file, text]) => importsOf(text).some((one) => posix.join(posix.dirname(file), one.target) === target))
  return [...new Set(importers.map(([file]) => folderOf(file)))]
    .filter((folder) => folder !== folderOf(target) && folder !== 'index.ts')
    .sort()
}

/** What decides: graphs, manifests and passes. It knows neither runs nor channels nor people. */
const DECIDING = ['model', 'manifests', 'primitives', 'documents', 'clusters', 'graph', 'adapter', 'pass', 'supervisor']

// proves: dataflow LAYER-1
test('what decides imports nothing of what acts, and nothing of Node', () => {
  expect(checkArrows(FILES)).toEqual([])
  const outside = FILES.filter(([file]) => DECIDING.includes(folderOf(file))).flatMap(([file, text]) =>
    importsOf(text)
      .filter(({ target }) => target.startsWith('node:'))
      .map(({ target }) => `${file} ${target}`),
  )
  expect(outside).toEqual([])
})

// proves: dataflow LAYER-2
test('only what decides states rules of graphs, manifests and adapters', () => {
  const rule = /\brule: '(?:[IDEVX]\.\d|(?:SRC|CMP|TRG|ACT|ADP|COMP)-)/
  const stating = FILES.filter(([, text]) => rule.test(text)).map(([file]) => folderOf(file))
  expect([...new Set(stating)].filter((folder) => !DECIDING.includes(folder))).toEqual([])
})

// proves: dataflow LAYER-3
test('only a run and the replay of a capture schedule passes: the face of the kind calls neither supervisor nor channel', () => {
  expect(importersOf('kinds/dataflow/supervisor/supervise.ts')).toEqual(['capture', 'run'])
})

// proves: dataflow REP-4
test('the types of captures are their own: no pass and no run imports them', () => {
  for (const file of FILES.flatMap(([name]) => (folderOf(name) === 'capture' ? [name] : [])))
    expect(
      importersOf(file).filter((folder) => folder !== 'face'),
      file,
    ).toEqual([])
})
