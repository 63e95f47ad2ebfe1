import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { databasesFor, limitsOf } from '../../../../bench/cluster/capacity.ts'
import { AGENT_MACHINE, rough, TABLES } from '../../../../bench/cluster/capacity-tables.ts'
import { SERVERS } from '../../../../bench/cluster/scenarios.ts'
import { simulationTable } from '../../../../bench/cluster/simulation-table.ts'
import { linkedFolder } from './page.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/scaling.md'), 'utf8')
const folder = linkedFolder('scaling')

test.each(Object.entries({ ...TABLES, simulation: simulationTable }))('the table of %s is that of the model', (_, table) => {
  expect(page, 'npm run bench -- cluster-capacity prints it').toContain(table())
})

test('what breaks first is what the model says', () => {
  const rows = page.slice(page.indexOf('## What breaks first')).split('\n')
  for (const { machines } of limitsOf(AGENT_MACHINE, SERVERS.large).filter(({ resource }) => resource !== 'commits'))
    expect(rows.filter((row) => row.startsWith(`| ${rough(machines)} |`)).length, String(machines)).toBeGreaterThan(0)
  const databases = databasesFor(10_000, AGENT_MACHINE, SERVERS.large)
  expect(page).toContain(`${databases} clusters of ${Math.ceil(10_000 / databases)} machines`)
  expect(page).toContain(`one server is far too small: ${databases} of the largest`)
})

test('the registry of the page spreads runs evenly, and a new database takes runs from all and moves no other', async () => {
  const [source = ''] = Array.from(page.matchAll(/^```ts\n(import \{ createHash[\s\S]*?)^```/gm), ([, text]) => text)
  writeFileSync(join(folder(), 'database-of.ts'), source)
  const { databaseOf } = (await import(pathToFileURL(join(folder(), 'database-of.ts')).href)) as {
    databaseOf: (run: string, databases: readonly string[]) => string
  }
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `database-${i}`)
  const runs = Array.from({ length: 4000 }, (_, i) => `run-${i}`)
  const [before, after] = [names(8), names(9)].map((databases) => runs.map((run) => databaseOf(run, databases)))
  const counts = names(8).map((name) => before?.filter((one) => one === name).length ?? 0)
  expect(Math.min(...counts)).toBeGreaterThan(400)
  expect(Math.max(...counts)).toBeLessThan(600)
  const moved = runs.flatMap((_, i) => (before?.[i] === after?.[i] ? [] : [after?.[i]]))
  expect(moved.length).toBeGreaterThan(300)
  expect(new Set(moved)).toEqual(new Set(['database-8']))
})
