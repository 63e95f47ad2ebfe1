export {
  BUDGET_QUESTION,
  budgetQuestion,
  describeLimit,
  shareUsed,
  UNPRICED_QUESTION,
  unpricedQuestion,
} from './budget.ts'
export { covers, readCapability, readPattern } from './capability.ts'
export type { Capability, FileRule, Folders, Pattern, CapabilityProblem } from './capability.ts'
export { faults } from './faults.ts'
export { fileRules } from './file-rules.ts'
export { readPolicy, rulesFor } from './file.ts'
export type { PolicyFile } from './file.ts'
export { policySchema } from './policy-schema.ts'
export { createPolicy, deniedToAll } from './policy.ts'
export type { JudgedCall, OperatorPolicy, PolicySettings, PolicyVerdict } from './policy.ts'
export { extraRoots } from './roots.ts'
export { redactSecretShapes } from './secret-shapes.ts'
export { redaction, runRedaction, secretsIn } from './secrets.ts'
export type { Redaction, RunRedaction } from './secrets.ts'
export { readSettings } from './settings-form.ts'
export { type SettingsHost, settingsCodec } from './settings-codec.ts'
export type { AgentChoice, RunLimits, RunRouting, RunSettings } from './settings.ts'
export type { BoundedGrant } from './terms.ts'
export { lesserTrust, readTrust, TRUST_LEVELS } from './trust.ts'
export type { Trust } from './trust.ts'
