import { textOf } from '../model/text-of.ts'
import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { type FAILURE, RUNNING, type Tick, type TreeFacts, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { faults } from '../model/faults.ts'
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
      if (root === undefined) return tick.fail(node, `${textOf(node.params.tree_name)} has no root`)
      const tree = tick.treeBelow(node)
      if (tree === undefined) return tick.fail(node, `${textOf(node.params.tree_name)} is not linked`)
      const isShared = node.params.share === true
      if (!isShared) tick.openScope(root)
      const given = isShared ? [] : [...bound(tick, node, tree)]
      const first = defaultsOf(tick, node, tree, new Set(given.map(([key]) => key)))
      const refused = write(tick, root, [...first, ...given])
      // What the tree gets is exported only if it writes it itself.
      tick.keep(node, given.length === 0 && first.length === 0 ? undefined : [Object.fromEntries([...first, ...given])])
      return refused ?? lacking(tick, node, root, tree) ?? 0
    },
    resume: () => 0,
    child(tick, node, child, outcome) {
      if (outcome === RUNNING || node.params.share === true) return outcome
      const [given] = tick.own(node) ?? []
      const writes = [...tick.scopeWrites(child)].filter(([key, value]) => !isObject(given) || !isGiven(given, key, value))
      tick.shutScope(child)
      return write(tick, node, exported(tick, node, writes)) ?? outcome
    },
    halt(tick, node) {
      const [root] = node.children
      if (root !== undefined) tick.shutScope(root)
    },
  },
})

function isGiven(given: JsonObject, key: string, value: Json): boolean {
  return Object.hasOwn(given, key) && JSON.stringify(given[key]) === JSON.stringify(value)
}

/** The first values of the tree, except for keys that it gets. On a shared blackboard a key that has a value keeps it. */
function defaultsOf(tick: Tick, node: TreeNode, { defaults }: TreeFacts, given: ReadonlySet<string>): [string, Json][] {
  const board = tick.board(node)
  const isShared = node.params.share === true
  return Object.entries(defaults).filter(([key]) => !given.has(key) && !(isShared && board.has(key)))
}

/** Fails a reference to a tree whose contract names an input that has no value. */
function lacking(tick: Tick, node: TreeNode, root: TreeNode, { inputs }: TreeFacts): typeof FAILURE | undefined {
  const board = tick.board(root)
  const key = inputs.find((input) => !board.has(input))
  if (key === undefined) return undefined
  const message = `${node.path} needs ${key}, which has no value`
  return tick.fail(node, faults.make('R1221', message, { rule: 'E2001', path: node.path, data: { key } }))
}

/** The values that the tree gets: with autoremap those of keys that both declare, and those that `bind` names. */
function* bound(tick: Tick, node: TreeNode, tree: TreeFacts): Generator<[string, Json]> {
  const { bind, autoremap, values } = node.params
  const board = tick.board(node)
  const named = isObject(bind) ? bind : {}
  yield* Object.entries(isObject(values) ? values : {})
  if (autoremap === true) {
    for (const key of tick.keys(node)) {
      const value = tree.declares(key) && !Object.hasOwn(named, key) ? board.get(key) : undefined
      if (value !== undefined) yield [key, value]
    }
  }
  for (const [key, from] of Object.entries(named)) {
    const path = isList(from) ? from.map(textOf).join('.') : textOf(from)
    const value = interpolate(`\${bb.${path}}`, (outer) => board.get(outer))
    if (value !== null) yield [key, value]
  }
}

/** The writes of the subtree that come back. */
function exported(tick: Tick, node: TreeNode, writes: readonly (readonly [string, Json])[]): readonly (readonly [string, Json])[] {
  const { export: chosen, autoremap } = node.params
  const same = autoremap === true ? writes.filter(([key]) => tick.declares(node, key)) : []
  if (isList(chosen)) return [...same, ...writes.filter(([key]) => chosen.includes(key))]
  if (isObject(chosen)) {
    const values = new Map(writes)
    const named = Object.entries(chosen).flatMap(([key, theirs]) => {
      const value = values.get(textOf(theirs))
      return value === undefined ? [] : [[key, value] as const]
    })
    return [...same, ...named]
  }
  if (autoremap === true) return same
  const outputs = tick.treeBelow(node)?.outputs
  return writes.filter(([key]) => (outputs === undefined ? tick.declares(node, key) : outputs.includes(key)))
}
