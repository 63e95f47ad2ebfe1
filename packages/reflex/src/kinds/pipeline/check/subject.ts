import type { TypedGraph } from '../model/typed.ts'
import type { LintOptions } from './options.ts'
import { reachable } from './reach.ts'
import { routesOf, type NodeRoutes } from './routes.ts'

/** A compiled pipeline for lint rules, with values that several rules need. */
export interface LintSubject extends TypedGraph {
  readonly options: LintOptions
  /** True if a node or an edge has an attribute of one of these names: most pipelines have none that a rule is about. */
  readonly hasAny: (names: readonly string[]) => boolean
  /** The nodes that a run can reach. Computed once, when first read. */
  readonly reached: ReadonlySet<string>
  /** The facts about the edges of each node. Computed once, when first read. */
  readonly routes: ReadonlyMap<string, NodeRoutes>
}

export function subjectOf(typed: TypedGraph, options: LintOptions): LintSubject {
  let routes: Map<string, NodeRoutes> | undefined
  let reached: ReadonlySet<string> | undefined
  let names: ReadonlySet<string> | undefined
  return {
    ...typed,
    options,
    hasAny: (wanted) => {
      const all = (names ??= attributeNames(typed))
      return wanted.some((name) => all.has(name))
    },
    get reached() {
      return (reached ??= reachable(typed, this.hasAny))
    },
    get routes() {
      return (routes ??= routesOf(typed))
    },
  }
}

function attributeNames({ graph: { nodes, edges } }: TypedGraph): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { attributes } of nodes.values()) for (const name of attributes.keys()) names.add(name)
  for (const { attributes } of edges) for (const name of attributes.keys()) names.add(name)
  return names
}
