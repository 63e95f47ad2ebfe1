import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { pipeline } from '../../../../src/kinds/pipeline/index.ts'

/** Two views of a text side by side, and a person who says which way it goes. */
export const review = pipeline({
  id: 'review',
  goal: 'Review a change',
  max_cost: 2.5,
  reviewers: 'two',
  nodes: {
    start: { shape: 'Mdiamond' },
    fan: { shape: 'component', join_policy: 'k_of_n', join_k: 2, join_target: 'join' },
    style: { prompt: 'How does this read?\n\n$change', timeout: '5m', 'context.note': true },
    tests: { prompt: 'What could break without a "test"?', tools: ['file.read', 'file.search'], use_tools: false },
    join: { shape: 'tripleoctagon' },
    merge: { shape: 'hexagon', label: 'Merge?', reviews_keys: ['change'], 'human.timeout_seconds': 86_400 },
    done: { shape: 'Msquare' },
  },
  edges: [
    ['start', 'fan', 'style', 'join'],
    ['fan', 'tests', 'join', 'merge'],
    { from: 'merge', to: 'done', label: '[M] Merge', weight: 2 },
    { from: 'merge', to: 'fan', label: '[A] Again', loop_restart: true, by: 'hand' },
  ],
})

/** The same in DOT. */
export const REVIEW = `digraph review {
  graph [goal="Review a change", max_cost=2.5, reviewers=two]
  start [shape=Mdiamond]
  fan   [shape=component, join_policy=k_of_n, join_k=2, join_target=join]
  style [prompt="How does this read?\\n\\n$change", timeout="5m", context.note=true]
  tests [prompt="What could break without a \\"test\\"?", tools="file.read,file.search", use_tools=false]
  join  [shape=tripleoctagon]
  merge [shape=hexagon, label="Merge?", reviews_keys="change", human.timeout_seconds=86400]
  done  [shape=Msquare]
  start -> fan -> style -> join
  fan -> tests -> join -> merge
  merge -> done [label="[M] Merge", weight=2]
  merge -> fan  [label="[A] Again", loop_restart=true, by="hand"]
}
`

/** A folder with files in which `reflex` can be imported, until the test ends. */
export function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-pipeline-define-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(resolve(import.meta.dirname, '../../../../../../node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
