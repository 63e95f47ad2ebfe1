/** The fifteen canonical types; every other type is an alias (seed pipeline 4.2). */
export type CanonicalType =
  | 'start'
  | 'exit'
  | 'branch'
  | 'parallel'
  | 'fan_in'
  | 'compute'
  | 'transform'
  | 'exec'
  | 'read'
  | 'write'
  | 'compose'
  | 'map'
  | 'adapt'
  | 'wait'
  | 'gate'

/** The idempotency of an execution: whether it may be repeated (seed pipeline 4.3). */
export const IDEMPOTENCIES = ['idempotent', 'idempotent_with_key', 'side_effecting', 'read_only'] as const

export type Idempotency = (typeof IDEMPOTENCIES)[number]

/** The facts that a host states about a handler. */
export interface CustomHandler {
  /** The capabilities that it needs in addition to executing. Default: `arbor://orchestrator/execute/custom/<name>`. */
  readonly capabilities?: readonly string[] | undefined
  /** Default: `side_effecting`. */
  readonly idempotency?: Idempotency | undefined
}

/** The handler of a node, and the reason for it (reference pipeline 4.1). */
export interface Resolution {
  /** The canonical type of the handler, unless a custom handler takes the node. */
  readonly canonical: CanonicalType
  /** The type as written or as the shape implies: an alias, a canonical type, or the name of a custom handler. */
  readonly rawType: string
  readonly by: 'custom' | 'own type' | 'own shape' | 'default type' | 'default shape' | 'fallback'
  /** The attributes that the alias adds for dispatch; never mixed with the authored attributes (reference pipeline 2.6, 34). */
  readonly injected: Readonly<Record<string, string>>
  /** The name of the custom handler that takes the node. */
  readonly custom?: string | undefined
  /** The written type, if it is unknown; the shape of the node applies then. */
  readonly unknown?: string | undefined
}
