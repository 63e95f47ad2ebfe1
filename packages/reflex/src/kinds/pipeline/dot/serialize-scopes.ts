import type { DotGraph } from './graph.ts'

/** The scope of the graph itself; subgraph n is scope n + 1. */
export const ROOT = 0

/**
 * The scopes of a graph in the order of the text. A slot is a place for edges: a scope has one slot before its first subgraph and one
 * behind each subgraph, and the text visits the slots of all scopes in order.
 */
export interface ScopeLayout {
  /** The scope of each slot. */
  readonly slots: readonly number[]
  /** The first slot of each scope; `last`: its last slot. */
  readonly first: readonly number[]
  readonly last: readonly number[]
  /** The innermost scopes that hold each node of a subgraph, in the order of the text. */
  readonly innermost: ReadonlyMap<string, readonly number[]>
  /** Returns true if a scope or one of its inner scopes holds a node. */
  contains(scope: number, id: string): boolean
}

/** Lays out the subgraphs of a graph. An invalid parent counts as the graph. */
export function layOut(graph: DotGraph): ScopeLayout {
  const members = [undefined, ...graph.subgraphs.map((subgraph) => new Set(subgraph.members))]
  const { slots, first, last } = visitScopes(childrenOf(graph))
  const scopesByNode = new Map<string, number[]>()
  for (const scope of slots.filter((of, slot) => first[of] === slot)) {
    for (const member of members[scope] ?? []) {
      const known = scopesByNode.get(member)
      if (known === undefined) scopesByNode.set(member, [scope])
      else known.push(scope)
    }
  }
  const isInside = (scope: number | undefined, around: number) => scope !== undefined && (first[scope] ?? 0) <= (last[around] ?? 0)
  const innermost = new Map<string, number[]>()
  for (const [id, scopes] of scopesByNode) {
    const found = scopes.filter((scope, at) => !isInside(scopes[at + 1], scope))
    innermost.set(id, found)
  }
  return { slots, first, last, innermost, contains: (scope, id) => scope === ROOT || (members[scope]?.has(id) ?? false) }
}

function childrenOf(graph: DotGraph): number[][] {
  const children: number[][] = [[], ...graph.subgraphs.map(() => [])]
  // A subgraph comes after its parent, so parents form no cycle.
  graph.subgraphs.forEach(({ parent }, index) => {
    const parentScope = parent === undefined || parent >= index ? ROOT : parent + 1
    children[parentScope]?.push(index + 1)
  })
  return children
}

/** Visits all scopes without recursion, because subgraphs can be nested deeper than the call stack. */
function visitScopes(children: readonly (readonly number[])[]): Pick<ScopeLayout, 'slots' | 'first' | 'last'> {
  const slots: number[] = []
  const first: number[] = []
  const last: number[] = []
  const stack = [{ scope: ROOT, next: 0 }]
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { scope } = top
    first[scope] ??= slots.length
    last[scope] = slots.length
    slots.push(scope)
    const child = children[scope]?.[top.next++]
    if (child === undefined) stack.pop()
    else stack.push({ scope: child, next: 0 })
  }
  return { slots, first, last }
}
