import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { mergeStrategyType } from '../board/merge-strategy.ts'
import { schemaName } from '../board/schema-names.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { textOf } from '../model/text-of.ts'
import type { Answers } from './answers.ts'
import type { Findings } from './finding.ts'
import type { CheckedNode } from './subject.ts'
import { ownWrites, type TreeOf, type Writes } from './writes.ts'

/** What is known of the nodes of a tree by their places. */
export interface MergeParts {
  readonly tree: CompiledTree
  readonly answers: readonly Answers[]
  readonly writes: readonly Writes[]
  readonly treeOf: TreeOf
  readonly findings: Findings
}

/** Finds keys of parallel children that cannot be merged. */
export function checkMerges(nodes: readonly CheckedNode[], parts: MergeParts): void {
  if (!nodes.some(isMerged)) return
  const sure = sureWrites(nodes, parts)
  for (const checked of nodes) if (isMerged(checked)) checkParallel(checked, parts, sure)
}

/** True for a parallel node, and for a loop whose items are ticked side by side. */
function isMerged({ node }: CheckedNode): boolean {
  return node.manifest.type === 'parallel' || (node.manifest.type === 'for_each' && node.params.parallel === true)
}

function checkParallel(checked: CheckedNode, parts: MergeParts, sure: readonly ReadonlySet<string>[]): void {
  const { merge_strategy, per_key_strategies, policy } = checked.node.params
  const perKey = isObject(per_key_strategies) ? per_key_strategies : {}
  for (const [key, writers] of writersOf(checked, parts.writes)) {
    const [first, second] = writers
    if (first === undefined || second === undefined || key.startsWith('_')) continue
    const strategy = mergeStrategyType(textOf(perKey[key] ?? merge_strategy ?? 'collect'))
    const why = conflict(strategy, key, parts.tree)
    if (why === undefined) continue
    const isSure = policy === 'require_all' && [first, second].every(({ index }) => sure[index]?.has(key))
    const [a, b] = [first.node.source.id, second.node.source.id]
    parts.findings.add(strategy === 'fail' ? 'R1290' : 'R1291', checked, key, () => ({
      message: `${a === b ? `two items of ${a}` : `${a} and ${b}`} ${isSure ? 'both write' : 'can both write'} ${key}, ${why}`,
      note: `${key} has several writers`,
      ...(perKey[key] === undefined ? {} : { parameter: 'per_key_strategies' }),
      severity: isSure ? 'error' : 'warning',
      fix: `write merge = { ${key} = "last_wins" }, or give each child a key of its own`,
      data: { key, writers: writers.map(({ node }) => node.source.id), strategy },
    }))
  }
}

/** The children that can write each key, and that can succeed: a child that fails is not merged. */
function writersOf({ node, children }: CheckedNode, writes: readonly Writes[]): ReadonlyMap<string, CheckedNode[]> {
  const writers = new Map<string, CheckedNode[]>()
  if (node.manifest.type === 'for_each') {
    const [child] = children
    const own = [node.params.item_key, node.params.index_key]
    for (const key of child === undefined ? [] : (writes[child.index]?.keys ?? []))
      if (child !== undefined && !own.includes(key)) writers.set(key, [child, child])
    return writers
  }
  for (const child of children) {
    for (const key of writes[child.index]?.keys ?? []) {
      const known = writers.get(key)
      if (known === undefined) writers.set(key, [child])
      else known.push(child)
    }
  }
  return node.children.length < 2 ? new Map() : writers
}

function conflict(strategy: string, key: string, { schemas, source }: CompiledTree): string | undefined {
  if (strategy === 'fail') return 'and the merge strategy fail refuses that'
  const schema = schemas.get(key)
  if (schema === undefined) return undefined
  if (strategy === 'collect') return schema.admitsList ? undefined : `which collect makes a list: its type is ${schema.name}`
  const type = source.board?.[key]?.type ?? source.contract?.outputs?.[key] ?? source.contract?.inouts?.[key]
  return strategy === 'merge_dict' && refusesObjects(type) ? `and merge_dict needs objects: its type is ${schema.name}` : undefined
}

function refusesObjects(type: string | JsonObject | undefined): boolean {
  if (isObject(type)) return typeof type.type === 'string' ? type.type !== 'object' : isList(type.type) && !type.type.includes('object')
  const name = type === undefined ? 'any' : schemaName(type)
  return name !== undefined && name !== 'any' && name !== 'dict'
}

const TRANSPARENT = new Set(['guard', 'timeout', 'retry', 'cooldown', 'delay'])
const NONE: ReadonlySet<string> = new Set()

/** Returns the keys that each node has written whenever it has succeeded. */
function sureWrites(nodes: readonly CheckedNode[], { answers, treeOf }: MergeParts): readonly ReadonlySet<string>[] {
  const sure: ReadonlySet<string>[] = Array.from({ length: nodes.length })
  for (const { index, node, children } of nodes.toReversed()) {
    const { type, role } = node.manifest
    const below = children.map((child) => ({ keys: sure[child.index] ?? NONE, canSucceed: answers[child.index]?.success !== false }))
    const [only] = below
    if (node.conditions !== undefined) sure[index] = NONE
    else if (role === 'leaf') sure[index] = leafWrites(node, treeOf)
    else if (type.endsWith('sequence') || (type === 'parallel' && node.params.policy === 'require_all'))
      sure[index] = new Set(below.flatMap(({ keys }) => [...keys]))
    else if (type.endsWith('selector')) sure[index] = common(below.filter(({ canSucceed }) => canSucceed).map(({ keys }) => keys))
    else sure[index] = TRANSPARENT.has(type) ? (only?.keys ?? NONE) : NONE
  }
  return sure
}

/** A script names what it may write, and `global` writes elsewhere. */
function leafWrites(node: CheckedNode['node'], treeOf: TreeOf): ReadonlySet<string> {
  const isSure = node.manifest.type !== 'script' && node.manifest.type !== 'action' && node.manifest.type !== 'subtree_ref'
  return isSure && !isTrue(node.params.global) ? new Set(ownWrites(node, treeOf).onSuccess) : NONE
}

function isTrue(value: Json | undefined): boolean {
  return value === true
}

function common([first = NONE, ...others]: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return others.length === 0 ? first : new Set([...first].filter((key) => others.every((other) => other.has(key))))
}
