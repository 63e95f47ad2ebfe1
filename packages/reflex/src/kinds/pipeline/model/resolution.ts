/** The fifteen types that everything else is a name for (seed pipeline 4.2). */
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

/** Whether an execution may be repeated (seed pipeline 4.3). */
export const IDEMPOTENCIES = ['idempotent', 'idempotent_with_key', 'side_effecting', 'read_only'] as const

export type Idempotency = (typeof IDEMPOTENCIES)[number]

/** What a host says of a handler that it registers. */
export interface CustomHandler {
  /** What it needs beside being executed; `arbor://orchestrator/execute/custom/<name>` unless said. */
  readonly capabilities?: readonly string[] | undefined
  /** `side_effecting` unless said. */
  readonly idempotency?: Idempotency | undefined
}

/** Which handler a node has, and why (reference pipeline 4.1). */
export interface Resolution {
  /** The handler's type: canonical, unless a custom handler takes the node. */
  readonly canonical: CanonicalType
  /** As it was written or as the shape says: an alias, a canonical type, or the name of a custom handler. */
  readonly rawType: string
  readonly by: 'custom' | 'own type' | 'own shape' | 'default type' | 'default shape' | 'fallback'
  /** What the alias says for dispatch; never mixed with the authored attributes (reference pipeline 2.6, 34). */
  readonly injected: Readonly<Record<string, string>>
  /** The name of the custom handler that takes the node. */
  readonly custom?: string | undefined
  /** A type was written that nothing knows; the node goes by its shape. */
  readonly unknown?: string | undefined
}
