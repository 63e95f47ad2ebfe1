import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from '../cli/worlds.ts'

test('runs has a column of what each run has cost', async () => {
  const folder = workFolder()
  const program = { id: 'w', entry: 'a', nodes: { a: { id: 'a', spec: { prompt: 'Well?' } } }, edges: [] }
  writeFileSync(join(folder, 'w.workflow.json'), JSON.stringify(program))
  await reflex(['run', 'w.workflow.json', '--simulate'], { folder })
  const { out } = await reflex(['runs', '--json'], { folder })
  const { runs } = JSON.parse(out) as { runs: readonly { cost?: number; tokens?: number }[] }
  expect(runs.map(({ cost, tokens }) => [typeof cost, typeof tokens])).toEqual([['number', 'number']])
})
