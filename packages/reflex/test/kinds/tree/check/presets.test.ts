import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from '../../../cli/worlds.ts'
import { n } from '../tick/tree-world.ts'

test('a leaf that always calls one tool needs that tool, and the fix says how to give it', async () => {
  const folder = workFolder()
  const root = n('oracle', { id: 'why', question: 'Why?', output: 'answer' })
  writeFileSync(join(folder, 'ask.tree.json'), JSON.stringify({ format: 1, id: 'ask', board: { answer: {} }, root }))
  const { code, out } = await reflex(['validate', 'ask.tree.json', '--json'], { folder })
  const { files } = JSON.parse(out) as { files: { findings: { code: string; message: string; fix: string }[] }[] }
  const found = files[0]?.findings.find((finding) => finding.code === 'R1203')
  expect([code, found?.message]).toEqual([1, 'why names the tool oracle, which does not exist'])
  expect(found?.fix).toContain('--tools')
})
