import { branchValueLost } from './branch-values.ts'
import { actionParameters, defaultChoice, modelKnown, toolKnown } from './calls.ts'
import { counterMissing, unboundedLoop } from './loops.ts'
import {
  duplicateEdge,
  labelStatusShorthand,
  unconditionalToExit,
  allConditionalNoDefault,
  ambiguousRoute,
  deadRoute,
  incompleteConditional,
} from './edge-rules.ts'
import { exitNoOutgoing, multipleExits, startNoIncoming, startNode, terminalNode } from './ends.ts'
import type { LintRule } from './finding.ts'
import { fanInWithoutParallel, lostJoin } from './joins.ts'
import { actionKnown, edgeTargetExists, fidelityValid, graphFileExists, implicitNode, middlewareKnown, retryTargetExists } from './names.ts'
import { goalGateHasRetry, missingResourceBound, promptOnLlmNodes, promptOnlyNode, simulateMissing, typeKnown } from './nodes.ts'
import { orphanNode, reachability } from './reachability.ts'
import { capabilitiesRequired, dangerousSkip, sandboxAvailable } from './safety.ts'

/** The built-in rules in the order in which they are applied: those of reference pipeline 11.3, five about edges, and four about names. */
export const RULES: readonly LintRule[] = [
  startNode,
  terminalNode,
  multipleExits,
  startNoIncoming,
  exitNoOutgoing,
  edgeTargetExists,
  implicitNode,
  reachability,
  orphanNode,
  typeKnown,
  fidelityValid,
  retryTargetExists,
  goalGateHasRetry,
  promptOnLlmNodes,
  promptOnlyNode,
  simulateMissing,
  missingResourceBound,
  actionKnown,
  actionParameters,
  modelKnown,
  toolKnown,
  defaultChoice,
  middlewareKnown,
  graphFileExists,
  dangerousSkip,
  sandboxAvailable,
  capabilitiesRequired,
  unboundedLoop,
  counterMissing,
  lostJoin,
  branchValueLost,
  fanInWithoutParallel,
  incompleteConditional,
  allConditionalNoDefault,
  deadRoute,
  ambiguousRoute,
  unconditionalToExit,
  labelStatusShorthand,
  duplicateEdge,
]
