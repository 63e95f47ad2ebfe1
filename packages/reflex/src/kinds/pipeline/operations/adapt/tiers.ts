import { lesserTrust, type Trust, TRUST_LEVELS } from '../../../../policy/index.ts'
import { type Mutation, refuse } from './mutation.ts'

/** The mutations that each trust level adds to those of the lower levels (reference pipeline 9). A leaf has no outgoing edge. */
const ALLOWED: Readonly<Record<Trust, readonly (Mutation['op'] | 'remove_leaf')[]>> = {
  untrusted: [],
  probationary: ['modify_attrs'],
  trusted: ['add_edge', 'remove_edge'],
  veteran: ['add_node', 'remove_leaf'],
  autonomous: ['remove_node'],
}

/**
 * Attributes that determine what a node does, its permissions, and who may change it. Below `autonomous` only the author can
 * set them (reference pipeline 5.6, no. 6).
 */
const FIXED: ReadonlySet<string> = new Set([
  'type',
  'shape',
  'target',
  'purpose',
  'mode',
  'source',
  'op',
  'predicate',
  'action',
  'command',
  'tool_command',
  'sandbox',
  'function',
  'item_type',
  'handler_type',
  'item_handler',
  'handler_attrs',
  'program',
  'graph_name',
  'graph_file',
  'source_file',
  'stack.child_dotfile',
  'skip_middleware',
  'middleware',
  'mandatory_middleware',
  'capabilities',
  'trust_tier',
  'data_class',
  'sensitive',
  'sanitizes',
  'min_tier',
  'resource_uri',
  'capability',
  'reviews_keys',
  'review_target',
  'review_on_choice',
  'human.default_choice',
  'use_tools',
  'tools',
  'pre_hook',
  'post_hook',
  'mutations',
  'mutations_key',
  'max_mutations',
  'dry_run',
])
/** A parameter of an action can contain the text of its command. */
const FIXED_PREFIXES = ['tool_hooks.', 'param.', 'arg.']

/**
 * Returns the trust level of a mutation: that of the run, or that of the session if it is lower (reference pipeline 9). An
 * unknown word counts as the lowest level.
 */
export function tierOf(run: string, session: unknown): Trust {
  const runTier = levelOf(run)
  if (session === undefined || session === null) return runTier
  return lesserTrust(runTier, typeof session === 'string' ? levelOf(session) : 'untrusted')
}

function levelOf(word: string): Trust {
  return TRUST_LEVELS.find((level) => level === word.trim().toLowerCase()) ?? 'untrusted'
}

/** Throws `MutationRefused` for a node that requires a higher trust level, or an unknown one. */
export function requireTier(tier: Trust, least: string | undefined): void {
  if (least === undefined || least.trim() === '') return
  const wanted = TRUST_LEVELS.find((level) => level === least.trim().toLowerCase())
  if (wanted === undefined) refuse(`trust_tier is ${JSON.stringify(least)}, which is not a tier`)
  else if (TRUST_LEVELS.indexOf(tier) < TRUST_LEVELS.indexOf(wanted)) refuse(`needs the tier ${wanted}; this is ${tier}`)
}

/** Throws `MutationRefused` for a mutation that a trust level does not allow. `leaf`: no edge leaves the node to remove. */
export function requireAllowed(tier: Trust, mutation: Mutation, leaf: boolean): void {
  const { op } = mutation
  const allowed = TRUST_LEVELS.slice(0, TRUST_LEVELS.indexOf(tier) + 1).flatMap((level) => ALLOWED[level])
  if (!allowed.includes(op) && !(op === 'remove_node' && leaf && allowed.includes('remove_leaf'))) {
    const what = op === 'remove_node' && allowed.includes('remove_leaf') ? `remove_node of ${mutation.id}, which edges leave,` : op
    refuse(`${what} is not allowed at the tier ${tier}`)
  }
  if (op !== 'modify_attrs' || tier === 'autonomous') return
  const fixed = [...mutation.attrs.keys()].find((key) => FIXED.has(key) || FIXED_PREFIXES.some((prefix) => key.startsWith(prefix)))
  if (fixed !== undefined) refuse(`${fixed} of ${mutation.id} cannot be changed at the tier ${tier}`)
}
