import { type Attributes, type DotEdge, type DotGraph, textOf } from './graph.ts'

/** Returns the differences between two pipelines as text: `+ check`, `~ build`, `- build -> ship`. */
export function changesBetween(before: DotGraph, after: DotGraph): string[] {
  const [old, now] = [countOf(before.edges), countOf(after.edges)]
  const ids = [...after.nodes.keys()]
  return [
    ...ids.filter((id) => !before.nodes.has(id)).map((id) => `+ ${id}`),
    ...[...before.nodes.keys()].filter((id) => !after.nodes.has(id)).map((id) => `- ${id}`),
    ...ids.filter((id) => isChanged(before.nodes.get(id)?.attributes, after.nodes.get(id)?.attributes)).map((id) => `~ ${id}`),
    ...surplusOf(now, old).map((edge) => `+ ${edge}`),
    ...surplusOf(old, now).map((edge) => `- ${edge}`),
  ]
}

/** True if the values of attributes differ. Returns false if one side does not exist. */
export function isChanged(before: Attributes | undefined, after: Attributes | undefined): boolean {
  if (before === undefined || after === undefined) return false
  return before.size !== after.size || [...after].some(([key, { value }]) => before.get(key)?.value !== value)
}

function countOf(edges: readonly DotEdge[]): ReadonlyMap<string, number> {
  const count = new Map<string, number>()
  for (const { from, to, attributes } of edges) {
    const caption = textOf(attributes, 'label') ?? textOf(attributes, 'condition') ?? ''
    const name = caption === '' ? `${from} -> ${to}` : `${from} -> ${to} [${caption}]`
    count.set(name, (count.get(name) ?? 0) + 1)
  }
  return count
}

function surplusOf(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): string[] {
  return [...one].filter(([name, count]) => count > (other.get(name) ?? 0)).map(([name]) => name)
}
