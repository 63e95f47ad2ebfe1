import type { Json } from '../kernel/journal/json.ts'

/** What a workflow that was written in TypeScript tells the compiler of itself: its nodes, what its board holds, what it answers. */
export interface WorkflowTypes {
  readonly nodes: string
  /** The declared keys of the board, and what each holds. */
  readonly values: object
  /** What a run answers with. */
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
