// Skills in TypeScript, and what a host says of itself: new Reflex({ skill: { project, compat, functions } }).
export { skill, type SkillDocument } from './face/define.ts'
export { skillModule } from './face/module.ts'
export type { LogContent, SkillOptions } from './plan/skill-host.ts'

// The model: manifests, decisions, results (seed skill 3 to 7).
export type { DecisionRecord, ReasonCode, SkillState } from './model/decision.ts'
export type { Manifest } from './model/manifest.ts'
export type { SkillOutcome } from './model/plan-result.ts'
export type { SkillTool } from './model/skill-tool.ts'
