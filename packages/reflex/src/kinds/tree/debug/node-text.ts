import { isObject } from '../../../kernel/index.ts'
import { shortJson } from '../../../text/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { textOf } from '../model/text-of.ts'

/** The most characters of a value that a node writes. */
const MOST = 40

/** Returns the condition of a node as text; undefined for a node without one. */
export function conditionText({ params: { condition } }: LaidNode): string | undefined {
  if (condition === undefined) return undefined
  return isObject(condition) ? textOf(condition.fn) : textOf(condition)
}

/** Returns what a leaf uses outside of the tree: a function, a tool, a program or another tree. */
export function workerOf({ manifest, params }: LaidNode): string | undefined {
  const { fn, tool, tree_name, program } = params
  if (tree_name !== undefined) return `tree ${textOf(tree_name)}`
  const named = [fn, tool, program].find((one) => one !== undefined) ?? manifest.tool
  return named === undefined ? undefined : textOf(named)
}

/** Returns the type of a node, unless its id says it. */
export function typeText({ id, manifest, compiled }: LaidNode): string {
  return compiled.source.name ?? (id.startsWith(manifest.type) ? '' : manifest.type)
}

/** Returns what a node does, in a few words. */
export function nodeText(node: LaidNode): string {
  const condition = conditionText(node)
  if (condition !== undefined) return condition
  const { tree_name, key, expression, value } = node.params
  if (tree_name !== undefined) return `tree ${textOf(tree_name)}`
  if (key !== undefined && expression !== undefined) return `${textOf(key)} = ${textOf(expression)}`
  if (key !== undefined && value !== undefined) return `${textOf(key)} = ${shortJson(value, MOST)}`
  const worker = workerOf(node)
  return worker === undefined ? typeText(node) : [typeText(node), worker].filter((part) => part !== '').join(' ')
}

/** True for the reason of a failure that only repeats that of a child. */
export function isInherited(reason: string, { children }: LaidNode): boolean {
  return children.some(({ id }) => reason.startsWith(`child ${id} failed: `))
}
