import type { Reflex } from '../app/reflex.ts'
import type { Route, RouteWorld, Principal } from '../programs/route.ts'
import type { TokenHolder } from './principals.ts'
import type { Feeds } from './feed.ts'
import type { ServeMetrics } from './metrics.ts'
import type { Triggers } from './triggers/triggers.ts'

/** The parts of the server that its own routes use. */
export interface ServeWorld extends RouteWorld {
  readonly reflex: Reflex
  readonly feeds: Feeds
  readonly routes: readonly AnyRoute[]
  readonly version: string
  readonly triggers: Triggers
  readonly metrics: ServeMetrics
  /** True while the server stops. */
  readonly isStopping: () => boolean
  /** True if this process continues runs that are due. */
  readonly works: boolean
  /** Returns the entry of a principal, with the trust of what it brings. */
  readonly holder: (principal: Principal) => TokenHolder
}

/** A route of Reflex itself, or of a kind. */
export type ServeRoute = Route<ServeWorld>
export type AnyRoute = ServeRoute | Route
