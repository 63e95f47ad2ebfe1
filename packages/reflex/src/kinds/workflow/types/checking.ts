import type { Fault } from '../../../kernel/index.ts'
import type { CustomGuard } from './definition.ts'
import type { GuardRegistry } from './engine.ts'

/** The code of a refused workflow, from the seed and the reference. */
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

/** The codes of mistakes that can be proved before a run. The first two are those of the reference (workflow 10). */
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

/** A mistake that makes some or all runs fail. */
export interface VerificationWarning {
  readonly code: VerificationWarningCode
  readonly workflowId: string
  readonly nodeId: string
  /** The board key of the warning; empty if there is none. */
  readonly key: string
  readonly message: string
  /** Set if some paths satisfy the check and others do not. The workflow stays valid then. */
  readonly onSomePaths?: true
  /** The warning as a fault: with a path, a suggestion, and a fix. */
  readonly finding?: Fault
}

/** A node for which it is undecided if each state of the board leaves it an open edge, with the reason. */
export interface UndecidedNode {
  readonly nodeId: string
  readonly why: string
}

/** The result of `verify`. `valid` is false if a need of a node is met on no path, such as a key that no path writes. */
export interface VerificationResult {
  readonly workflowId: string
  readonly valid: boolean
  readonly warnings: VerificationWarning[]
  /** The nodes with several edges that could not be decided, if there are any. They do not make the workflow invalid. */
  readonly unknown?: readonly UndecidedNode[]
}

/** Options for loading a workflow from JSON. */
export interface LoadWorkflowOptions {
  /** Functions for the guards of type `custom`, by name. */
  readonly guards?: GuardRegistry
  /** The file that the text came from, for messages. */
  readonly file?: string
}

/** Names of guards that are functions. */
export type GuardNameMap = ReadonlyMap<CustomGuard['evaluate'], string>

/** Options for writing a workflow as JSON. */
export interface SerializeWorkflowOptions {
  readonly guardNames?: GuardNameMap
}
