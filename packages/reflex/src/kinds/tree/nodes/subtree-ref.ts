import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { FAILURE, RUNNING, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { interpolate } from './interpolate.ts'
import { ANY, ofChild } from './outcomes.ts'
import { write } from './write.ts'

export const subtreeRef = defineNode({
  type: 'subtree_ref',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['tree_name', 'config'], ['tree_name'], ['config']] },
  xml: { SubTree: {} },
  parameters: [
    { name: 'tree_name', type: 'tree', required: true, xml: 'ID', doc: 'The name of a tree, never a path.' },
    { name: 'lazy', type: 'flag', default: false, doc: 'True: the tree is looked up when the node is first ticked.' },
    {
      name: 'bind',
      type: 'map',
      flow: 'in',
      doc: 'Keys of the subtree, each with the key of this tree that it gets, perhaps with fields: "order.id".',
    },
    { name: 'values', type: 'json', doc: 'Keys of the subtree, each with the value that it gets.' },
    {
      name: 'export',
      type: 'json',
      doc: 'The keys that come back, as a list or as a map of keys of this tree to keys of the subtree. Default: the outputs of its contract, else every key that this tree declares.',
    },
    {
      name: 'share',
      type: 'flag',
      default: false,
      doc: 'True: the subtree works on the blackboard of this tree, without a scope of its own.',
    },
    { name: 'autoremap', type: 'flag', default: false, xml: '_autoremap', doc: 'True: keys of the same name are bound and exported.' },
  ],
  propagates: 'transform',
  outcomes: (children) => (children.length > 0 ? ofChild(children) : ANY),
  doc: 'Runs another tree here, with states and a scope of its own. It answers as the root of that tree does.',
  example: 'BT.subtree_ref("research", { bind = { topic = "question" }, export = { "report" } })',
  behaviour: {
    enter(tick, node) {
      const fault = tick.link(node)
      const [root] = node.children
      if (fault !== undefined) return tick.fail(node, fault)
      if (root === undefined) return tick.fail(node, `${String(node.params.tree_name)} has no root`)
      if (node.params.share === true) return 0
      tick.openScope(root)
      return write(tick, root, bound(tick, node)) ?? 0
    },
    resume: () => 0,
    child(tick, node, child, outcome) {
      if (outcome === RUNNING || node.params.share === true) return outcome
      const writes = [...tick.scopeWrites(child)]
      tick.shutScope(child)
      return write(tick, node, exported(tick, node, writes)) ?? outcome
    },
    halt(tick, node) {
      const [root] = node.children
      if (root !== undefined) tick.shutScope(root)
    },
  },
})

function* bound(tick: Tick, node: TreeNode): Generator<[string, Json]> {
  const { bind, values } = node.params
  const board = tick.board(node)
  yield* Object.entries(isObject(values) ? values : {})
  for (const [key, from] of Object.entries(isObject(bind) ? bind : {})) {
    const value = isList(from)
      ? interpolate(`\${bb.${from.join('.')}}`, (outer) => board.get(outer))
      : interpolate(`\${bb.${String(from)}}`, (outer) => board.get(outer))
    if (value !== null) yield [key, value]
  }
}

/** The writes of the subtree that come back. */
function exported(tick: Tick, node: TreeNode, writes: readonly (readonly [string, Json])[]): readonly (readonly [string, Json])[] {
  const { export: chosen } = node.params
  if (isList(chosen)) return writes.filter(([key]) => chosen.includes(key))
  if (isObject(chosen)) {
    const values = new Map(writes)
    return Object.entries(chosen).flatMap(([key, theirs]) => {
      const value = values.get(String(theirs))
      return value === undefined ? [] : [[key, value] as const]
    })
  }
  const outputs = tick.outputsBelow(node)
  return writes.filter(([key]) => (outputs === undefined ? tick.declares(node, key) : outputs.includes(key)))
}
