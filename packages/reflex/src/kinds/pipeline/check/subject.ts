import type { TypedGraph } from '../model/typed.ts'
import type { LintOptions } from './options.ts'
import { reachable } from './reach.ts'
import { routesOf, type NodeRoutes } from './routes.ts'

/** A compiled pipeline as rules see it, with what several of them need. */
export interface LintSubject extends TypedGraph {
  readonly options: LintOptions
  /** The nodes that a run can come to; worked out once, when a rule first asks. */
  readonly reached: ReadonlySet<string>
  /** What is certain of the edges of each node; worked out once, when a rule first asks. */
  readonly routes: ReadonlyMap<string, NodeRoutes>
}

export function subjectOf(typed: TypedGraph, options: LintOptions): LintSubject {
  let routes: Map<string, NodeRoutes> | undefined
  let reached: ReadonlySet<string> | undefined
  return {
    ...typed,
    options,
    get reached() {
      return (reached ??= reachable(typed))
    },
    get routes() {
      return (routes ??= routesOf(typed))
    },
  }
}
