import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { didYouMean, quote, pathOnly, type Locator } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { proofFaults } from '../proof/faults.ts'
import type { Finding } from '../proof/finding.ts'
import type { Effects } from '../proof/flow.ts'
import { prove, proveRefusals } from '../proof/prove.ts'
import type { Lookup } from '../proof/prover.ts'
import type { VerificationResult, VerificationWarningCode, Workflow } from '../types/index.ts'

export type { Lookup } from '../proof/prover.ts'
export type { BoardRead, BoardWrite, Effects, NodeFlow, DecisionCase } from '../proof/flow.ts'

/** The codes of findings that follow from declarations and edges alone. */
const DECLARED = {
  MISSING_REQUIRED_INPUT: 'R1054',
  RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS: 'R1055',
  UNREACHABLE_NODE: 'R1052',
} as const satisfies Partial<Record<VerificationWarningCode, string>>

const PROVED = {
  NO_VALID_EDGE: 'R1061',
  DEAD_EDGE: 'R1062',
  READ_BEFORE_WRITE: 'R1063',
  UNKNOWN_KEY: 'R1064',
  MISSING_CALL_INPUT: 'R1065',
  ENDLESS_RECURSION: 'R1066',
  CONTRACT_MISMATCH: 'R1067',
  UNDECLARED_KEY: 'R1068',
  UNKNOWN_PART: 'R1069',
  VALUE_REFUSED: 'R1070',
  NEVER_EVALUATED: 'R1071',
} as const satisfies Record<Exclude<VerificationWarningCode, keyof typeof DECLARED>, string>

/**
 * Checks the consistency of a workflow without a run (seed workflow 1.6, 6.1, 6.3): its nodes can be reached, no state leaves it
 * without an open edge, each read is preceded by a write on each path and across calls, return maps name written keys, recursion
 * can end, and contracts of calls fit. The structure of the workflow must be valid.
 * `lookup` finds called workflows. `effects` returns the reads and writes of agents, read from their specs. Without `effects`,
 * the declarations of nodes are complete if there are any, and otherwise nothing is known. Work is bounded by counting, so the
 * check ends on any input. Nodes that could not be decided are `unknown` and do not make the workflow invalid. Neither do checks
 * that some paths satisfy.
 */
export function verifyWorkflow(workflow: Workflow, lookup?: Lookup, effects?: Effects): VerificationResult {
  const { findings, undecided } = prove(workflow, { lookup, effects })
  const faultsWithPlace = faultsOf(findings, pathOnly)
  const warnings = findings.map(({ rule, nodeId, key, message, onSomePaths }, i) => {
    const finding = faultsWithPlace[i]
    const paths = onSomePaths === true ? { onSomePaths } : {}
    return { code: rule, workflowId: workflow.id, nodeId, key, message, ...paths, ...(finding === undefined ? {} : { finding }) }
  })
  const valid = warnings.every(({ onSomePaths }) => onSomePaths === true)
  return { workflowId: workflow.id, valid, warnings, ...(undecided.length === 0 ? {} : { unknown: undecided }) }
}

/** Returns the findings of `verifyWorkflow` as faults with places, for `reflex validate`, without those of the structure. */
export function verificationFindings(workflow: Workflow, lookup?: Lookup, locate: Locator = pathOnly, effects?: Effects): Fault[] {
  return faultsOf(
    prove(workflow, { lookup, effects }).findings.filter(({ structural }) => structural !== true),
    locate,
  )
}

/** Returns only the errors among these findings, at low cost: for the start of a run, since `validate` reports the rest. */
export function errorFindings(workflow: Workflow, lookup?: Lookup, locate: Locator = pathOnly, effects?: Effects): Fault[] {
  return faultsOf(proveRefusals(workflow, { lookup, effects }), locate)
}

const MOST_GUESSES = 50

function faultsOf(findings: readonly Finding[], locate: Locator): Fault[] {
  return findings.map(({ rule, message, path, part, within: span, note, fix, guess, data }, i) => {
    const meant = i < MOST_GUESSES ? guess?.() : undefined
    const noteText = [note, didYouMean(meant)].filter((one) => one !== undefined).join('; ')
    const details: FaultDetails = {
      rule,
      ...locate(path, { part, span, note: noteText === '' ? undefined : noteText }),
      fix: meant === undefined ? fix : `write ${quote(meant)}`,
      ...(data === undefined ? {} : { data }),
    }
    return isDeclared(rule) ? faults.make(DECLARED[rule], message, details) : proofFaults.make(PROVED[rule], message, details)
  })
}

function isDeclared(rule: VerificationWarningCode): rule is keyof typeof DECLARED {
  return Object.hasOwn(DECLARED, rule)
}
