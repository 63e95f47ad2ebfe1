import { once } from '../../../text/index.ts'
import type { CompiledSkill } from '../manifest/compiled.ts'
import type { Manifest } from '../model/manifest.ts'
import { type Cues, readCues } from './cues.ts'
import type { FunctionTable } from './functions.ts'
import { purposeStems } from './relevance.ts'

/** A compiled skill, prepared for decisions. */
export interface BoundSkill extends CompiledSkill {
  readonly cues: Cues
  /** The stems of what its manifest says about its purpose, read when a bulletin first asks for them. */
  readonly purpose: () => ReadonlySet<string>
  /** The names of the slots that must have a value. */
  readonly required: ReadonlySet<string>
  /** The functions that its expressions were compiled with. */
  readonly functions: FunctionTable
}

/**
 * Prepares a skill for decisions. It must have been compiled with `functions.expressionFunctions` as the functions of its host, so that its
 * expressions get their answers from the decision that evaluates them.
 */
export function bindSkill(skill: CompiledSkill, functions: FunctionTable): BoundSkill {
  const { manifest } = skill
  const purpose = once(() => purposeStems(manifest))
  return { ...skill, cues: readCues(manifest.activation), purpose, required: requiredSlots(manifest), functions }
}

/** Returns the slots that must have a value: those declared so, those that the activation names, and those that must be present. */
function requiredSlots({ signature, activation, preconditions }: Manifest): ReadonlySet<string> {
  const named = new Set([...activation.required_slots, ...preconditions.data_present])
  return new Set(signature.inputs.filter(({ name, required }) => required || named.has(name)).map(({ name }) => name))
}
