import { expect, test } from 'vitest'
import type { Change } from '../../../../src/kernel/index.ts'
import type { CompiledTree } from '../../../../src/kinds/tree/compile/compiled.ts'
import { treeDocument, treeDot } from '../../../../src/kinds/tree/debug/formats.ts'
import { TreeHistory } from '../../../../src/kinds/tree/debug/history.ts'
import { type PicturedTree, treePicture } from '../../../../src/kinds/tree/debug/picture.ts'
import type { TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'

const SCRIPTS = { a: [{ status: 'FAILURE', reason: 'no answer' }], b: ['S'] } as const

function start(): Promise<Forest> {
  const sub: TreeSource = { format: 1, id: 'sub', root: n('wait', { id: 'nap', wait_ms: 5000 }) }
  const ref = n('subtree_ref', { id: 'ref', tree_name: 'sub' })
  const root = n('selector', { id: 'root' }, [leaf('a'), n('sequence', { id: 'recover' }, [leaf('b'), ref])])
  return forest(root, { stays: true, scripts: SCRIPTS, trees: [sub], tree: { board: {} } })
}

function pictured({ run, runtime }: Forest, now = run.state.time): PicturedTree {
  const reader = run.state.root.reader()
  return {
    def: run.definition(run.state.root.pin) as CompiledTree,
    position: run.state.root.position,
    get: (key) => reader.get(key),
    find: (name) => runtime.programs.find(`tree:${name}`)?.def as CompiledTree | undefined,
    now,
  }
}

// proves: tree 103
test('a picture has each node with its state, the reason of a failure, and the time of RUNNING', async () => {
  const tree = await start()
  await tree.command('break b when b exists')
  expect(treePicture(pictured(tree, tree.run.state.time + 1200))).toEqual([
    { depth: 0, mark: 'running', node: 'root', path: 'root', text: 'selector', ms: 1200 },
    { depth: 1, mark: 'failed', node: 'a', path: 'a', text: 'no answer' },
    { depth: 1, mark: 'running', node: 'recover', path: 'recover', text: 'sequence', ms: 1200 },
    { depth: 2, mark: 'done', node: 'b', path: 'b', text: 'action b · break when b exists' },
    { depth: 2, mark: 'running', node: 'ref', path: 'ref', text: 'tree sub', ms: 1200 },
    { depth: 3, mark: 'running', node: 'nap', path: 'ref/nap', text: 'wait', ms: 1200 },
  ])
})

test('a tree with its states is data, and DOT', async () => {
  const tree = await start()
  expect(treeDocument(pictured(tree))).toMatchObject({
    id: 'main',
    node_count: 6,
    max_depth: 3,
    active_path: ['root', 'recover', 'ref', 'ref/nap'],
    root: { id: 'root', node_type: 'composite', status: 'RUNNING', children: [{ id: 'a', status: 'FAILURE' }, { id: 'recover' }] },
  })
  const dot = treeDot(pictured(tree)).split('\n')
  expect(dot).toContain('  "root" -> "recover" [label="2"]')
  expect(dot).toContain('  "ref/nap" [label="nap\\nwait RUNNING", style=filled, fillcolor=lightgreen]')
})

test('the history keeps the newest changes, and counts what each node has done', async () => {
  const tree = await start()
  await tree.pass(5000)
  const history = new TreeHistory(4)
  tree.run.observe((change) => history.add(change as Change<CompiledTree>, (name) => tree.runtime.programs.find(name)?.def))
  for (const event of ['one', 'two']) {
    await tree.event(event)
    await tree.pass(5000)
  }
  expect(history.query({ limit: 1 })[0]).toMatchObject({ status: 'SUCCESS', event_type: 'timer' })
  expect(history.query()).toHaveLength(4)
  expect(history.statistics('recover')).toEqual({ runs: 2, successes: 2, failures: 0, running_ms: 10_000, average_ms: 5000 })
})
