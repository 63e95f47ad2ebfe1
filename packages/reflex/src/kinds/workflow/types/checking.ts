import type { Fault } from '../../../kernel/journal/fault.ts'
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

/** What can be proved wrong before a run. The first two are the reference's own (workflow 10). */
export type VerificationWarningCode =
  | 'MISSING_REQUIRED_INPUT'
  | 'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS'
  | 'UNREACHABLE_NODE'
  | 'NO_VALID_EDGE'
  | 'DEAD_EDGE'
  | 'READ_BEFORE_WRITE'
  | 'UNKNOWN_KEY'
  | 'MISSING_CALL_INPUT'
  | 'ENDLESS_RECURSION'
  | 'CONTRACT_MISMATCH'
  | 'UNDECLARED_KEY'
  | 'UNKNOWN_PART'
  | 'VALUE_REFUSED'
  | 'NEVER_EVALUATED'

/** Something that will not work, or not always. */
export interface VerificationWarning {
  readonly code: VerificationWarningCode
  readonly workflowId: string
  readonly nodeId: string
  /** The board key that it is about; empty where it is about none. */
  readonly key: string
  readonly message: string
  /** Some paths satisfy it and others do not: the workflow stays valid. */
  readonly onSomePaths?: true
  /** The same as a fault: with a path, a guess at what was meant, and what to do. */
  readonly finding?: Fault
}

/** A node of which nobody can say whether each state of the board leaves it an open edge, and why. */
export interface UndecidedNode {
  readonly nodeId: string
  readonly why: string
}

/** The result of `verify`; `valid` is false if a need of a node is met on no path, such as a key that no path writes. */
export interface VerificationResult {
  readonly workflowId: string
  readonly valid: boolean
  readonly warnings: VerificationWarning[]
  /** The nodes with several edges that could not be decided, if there are any; they make nothing invalid. */
  readonly unknown?: readonly UndecidedNode[]
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
