import type { CustomGuard } from './definition.ts'
import type { GuardRegistry } from './engine.ts'

/** Why a workflow was refused: the seed's and reference's own codes. */
export type ValidationErrorCode =
  | 'DUPLICATE_WORKFLOW_ID'
  | 'EMPTY_WORKFLOW'
  | 'INVALID_ENTRY_NODE'
  | 'NODE_ID_MISMATCH'
  | 'INVALID_EDGE'
  | 'NO_TERMINAL_NODES'
  | 'CYCLE_DETECTED'
  | 'SCHEMA_VIOLATION'
  | 'UNKNOWN_GUARD_REFERENCE'
  | 'WORKFLOW_NOT_FOUND'

/** How declared inputs and outputs can fail to fit. */
export type VerificationWarningCode = 'MISSING_REQUIRED_INPUT' | 'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS'

/** A declaration that does not fit the others. */
export interface VerificationWarning {
  readonly code: VerificationWarningCode
  readonly workflowId: string
  readonly nodeId: string
  readonly key: string
  readonly message: string
}

/** What `verify` found; `valid` means that there are no warnings. */
export interface VerificationResult {
  readonly workflowId: string
  readonly valid: boolean
  readonly warnings: VerificationWarning[]
}

/** What a workflow in JSON needs beside its text. */
export interface LoadWorkflowOptions {
  /** Functions for the guards of type `custom`, by name. */
  readonly guards?: GuardRegistry
  /** The file that the text came from, for messages. */
  readonly file?: string
}

/** Names for guards that are functions. */
export type GuardNameMap = ReadonlyMap<CustomGuard['evaluate'], string>

/** What a workflow needs to become JSON. */
export interface SerializeWorkflowOptions {
  readonly guardNames?: GuardNameMap
}
