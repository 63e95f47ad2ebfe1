import type { Json } from '../kernel/journal/json.ts'

/** The types of a workflow that was written in TypeScript: its nodes, the values of its board, its result. */
export interface WorkflowTypes {
  readonly nodes: string
  /** The declared keys of the board, and what each holds. */
  readonly values: object
  /** The result of a run. */
  readonly value: unknown
  /** The ids that its edges can have. */
  readonly edges: string
  /** The events of its edges. */
  readonly events: string
}

/** The same of a workflow of which nothing is known: one from a file, or without declarations. */
export interface UnknownTypes {
  readonly nodes: string
  readonly values: Readonly<Record<string, Json>>
  readonly value: Json
  readonly edges: string
  readonly events: string
}
