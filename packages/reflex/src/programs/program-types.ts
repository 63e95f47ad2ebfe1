import type { Json, JsonObject } from '../kernel/index.ts'

/** The types of a workflow written in TypeScript: its nodes, its board values, its result. */
export interface WorkflowTypes {
  readonly nodes: string
  /** The declared keys of the board, with the types of their values. */
  readonly values: object
  /** The result of a run. */
  readonly value: unknown
  /** The ids that its edges can have. */
  readonly edges: string
  /** The events of its edges. */
  readonly events: string
}

/** The types of a workflow without known types: from a file, or without declarations. */
export interface UnknownTypes {
  readonly nodes: string
  readonly values: Readonly<Record<string, Json>>
  readonly value: Json
  readonly edges: string
  readonly events: string
}

/** Inputs of a run by name: the declared keys with their types, or any keys if the program declares none. */
export type InputOf<Types extends WorkflowTypes> = string extends keyof Types['values']
  ? JsonObject
  : { readonly [Key in keyof Types['values']]?: Types['values'][Key] }

/** Absent at run time: these keys only carry types. */
declare const TYPES: unique symbol
declare const VALUES: unique symbol

/** A program in memory that carries the types of its parts. */
export interface TypedProgram<Types = UnknownTypes> {
  readonly [TYPES]?: Types
}

/** A kind that carries the type of the values that it takes as programs, such as the graph of a pipeline. */
export interface TakesValues<Value> {
  readonly [VALUES]?: Value
}

/** The type of the values that a kind takes as programs. */
export type ValuesOf<Kind> = Kind extends TakesValues<infer Value> ? Value : never
