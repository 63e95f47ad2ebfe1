/** The schemas of one cluster, quoted for statements, and the names that people see. */
export interface Names {
  /** The schema of the store. */
  readonly store: string
  /** The schema of the cluster. */
  readonly own: string
  /** The schema of DBOS. */
  readonly engine: string
}

/** The name that the cluster has in DBOS. */
export const APPLICATION = 'reflex'
/** The name of the workflow of a turn in DBOS. */
export const TURN = 'turn'
/** The queue of a run without a place. */
export const DEFAULT_QUEUE = 'default'

/** Returns the names for the schema of a store. */
export function namesOf(schema: string): Names {
  return { store: `"${schema}"`, own: `"${ownSchema(schema)}"`, engine: `"${engineSchema(schema)}"` }
}

/** Returns the schema of the cluster of a store. */
export function ownSchema(schema: string): string {
  return `${schema}_cluster`
}

/** Returns the schema that DBOS has for a store. */
export function engineSchema(schema: string): string {
  return `${schema}_dbos`
}
