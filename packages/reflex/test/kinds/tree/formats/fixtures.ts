import type { Fault } from '../../../../src/kernel/index.ts'
import type { RawNode, RawTree } from '../../../../src/kinds/tree/formats/raw.ts'
import { BT, readBuilt } from '../../../../src/kinds/tree/formats/builders.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'

/** The code of the reference, else our own, of each finding. */
export function codes(findings: readonly Fault[]): string[] {
  return findings.map(({ rule, code }) => rule ?? code)
}

/** The findings about a tree that the builders made. */
export function findingsOf(tree: RawTree): readonly Fault[] {
  return readBuilt(tree).findings
}

/** The root of a tree with one node. Throws the first finding of a tree that is wrong. */
export function rootOf(root: RawNode): NodeSource {
  const { source, findings } = readBuilt(BT.tree('t', { root }))
  if (source === undefined) throw findings[0] ?? new Error('no source')
  return source.root
}

/** Calls a builder with arguments that its types refuse. */
export function call(builder: unknown, ...args: readonly unknown[]): RawNode {
  return (builder as (...args: readonly unknown[]) => RawNode)(...args)
}

/** A tree without what depends on its text: lines and the file. */
export function withoutPlaces(tree: TreeSource): TreeSource {
  const { file: _, root, trees, ...others } = tree
  const inner = Object.entries(trees ?? {}).map(([name, each]): [string, TreeSource] => [name, withoutPlaces(each)])
  return { ...others, root: withoutLines(root), ...(trees === undefined ? {} : { trees: Object.fromEntries(inner) }) }
}

export function withoutLines({ line: _, code_line: __, children, ...node }: NodeSource): NodeSource {
  return { ...node, ...(children === undefined ? {} : { children: children.map(withoutLines) }) }
}
