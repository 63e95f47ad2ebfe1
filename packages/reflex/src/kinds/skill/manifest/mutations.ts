import type { Manifest } from '../model/manifest.ts'

/** The mutations that give a slot another value. */
export const VALUE_MUTATIONS = [
  'empty_string',
  'wrong_type',
  'overlong',
  'unicode_confusable',
  'shell_meta',
  'leading_dash',
  'path_traversal',
  'url_authority',
  'template_injection',
] as const

/** The mutations of generated cases (reference skill 1.23). Each slot has one more: `alt_` with its name, another valid value. */
export const MUTATIONS = [
  'missing_slot',
  ...VALUE_MUTATIONS,
  'tool_error',
  'tool_timeout',
  'tool_garbage',
  'partial_failure_at_k',
  'duplicate_call',
  'policy_deny',
  'stale_compat',
  'budget_tight',
] as const

/** Returns the mutations of a skill; `all` stands for every mutation, and for another value of each slot. */
export function mutationsOf({ tests, signature }: Manifest): readonly string[] {
  const every = [...MUTATIONS, ...signature.inputs.map(({ name }) => `alt_${name}`)]
  return [...new Set(tests.fuzz.mutations.flatMap((mutation) => (mutation === 'all' ? every : [mutation])))]
}
