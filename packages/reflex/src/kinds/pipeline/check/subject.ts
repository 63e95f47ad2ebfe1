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
  return {
    ...typed,
    options,
    hasAny: (names) => names.some((name) => typed.attributeNames.has(name)),
    get reached() {
      return (reached ??= reachable(typed))
    },
    get routes() {
      return (routes ??= routesOf(typed))
    },
  }
}
