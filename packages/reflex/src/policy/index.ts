export {
  BOUNDS,
  boundsReached,
  BUDGET,
  budgetQuestion,
  describeBound,
  raisedBounds,
  shareUsed,
  UNPRICED,
  unpricedQuestion,
} from './budget.ts'
export type { Bounds, Used } from './budget.ts'
export { covers, readCapability, readPattern } from './capability.ts'
export type { Capability, FileRule, Folders, Pattern, Unreadable } from './capability.ts'
export { faults } from './faults.ts'
export { fileRules } from './file-rules.ts'
export { readPolicy, rulesFor } from './file.ts'
export type { PolicyFile } from './file.ts'
export { policySchema } from './shape.ts'
export { createPolicy, deniedToAll } from './policy.ts'
export type { OperatorPolicy, PolicySettings, Verdict } from './policy.ts'
export { ownRoots } from './roots.ts'
export { withoutShapes } from './secret-shapes.ts'
export { redaction, runRedaction, secretsIn } from './secrets.ts'
export type { Redaction, RunRedaction } from './secrets.ts'
export type { BoundedGrant } from './terms.ts'
export { lesserTrust, readTrust, TRUST_LEVELS } from './trust.ts'
export type { Trust } from './trust.ts'
