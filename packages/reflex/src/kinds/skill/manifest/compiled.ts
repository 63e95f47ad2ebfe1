import type { Expression } from '../../../text/index.ts'
import type { Compensation, Manifest, PlanStep, SlotExtractor } from '../model/manifest.ts'
import type { SkillTool } from '../model/skill-tool.ts'
import type { CompiledValue } from '../templates/compiled-value.ts'
import type { CompiledExtractor } from '../templates/extract.ts'

/** A condition of a manifest: an invariant, a guard or a reason to deny. */
export interface CompiledRule {
  readonly text: string
  readonly expression: Expression
}

/** A call of a tool or a program. `descriptor` is absent for a program and for a tool that the host does not know. */
export interface CompiledCall {
  readonly tool: string
  readonly descriptor?: SkillTool | undefined
  readonly isProgram: boolean
  /** False only if the tool is declared to change nothing. */
  readonly isEffectful: boolean
  /** The arguments, as an object. An argument that is a command line is rendered as a list: the program and its arguments. */
  readonly args: CompiledValue
  readonly guards: readonly CompiledRule[]
}

export interface CompiledStep extends CompiledCall {
  readonly step: PlanStep
  /** What is copied from the result, by path of the blackboard. */
  readonly captures: readonly { readonly path: string; readonly extract: CompiledExtractor }[]
}

export interface CompiledCompensation extends CompiledCall {
  readonly entry: Compensation
}

export interface CompiledSlotExtractor {
  readonly slot: string
  /** `user_text`, or a path of the blackboard. */
  readonly from: SlotExtractor['from']
  readonly extract: CompiledExtractor
}

/** What a skill needs and the host does not have. A skill that lacks something is unbound: it is not offered. */
export interface Unbound {
  readonly tools: readonly string[]
  readonly functions: readonly string[]
  readonly facts: readonly string[]
}

/** A manifest, ready to be decided on and to be run: nothing of it is parsed again. */
export interface CompiledSkill {
  readonly manifest: Manifest
  /** The content hash. */
  readonly hash: string
  readonly steps: readonly CompiledStep[]
  readonly verify?: CompiledStep
  readonly compensation: readonly CompiledCompensation[]
  /** A template of a text. */
  readonly idempotenceKey?: CompiledValue
  /** A template for each output. */
  readonly results: readonly { readonly output: string; readonly value: CompiledValue }[]
  readonly invariants: readonly CompiledRule[]
  readonly denyIf: readonly CompiledRule[]
  readonly slotExtractors: readonly CompiledSlotExtractor[]
  readonly requiredSlots: readonly string[]
  /** True if it can change something outside of its blackboard. */
  readonly hasEffects: boolean
  readonly unbound: Unbound
}
