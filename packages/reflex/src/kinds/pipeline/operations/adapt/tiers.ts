import { lesserTrust, type Trust, TRUST_LEVELS } from '../../../../policy/index.ts'
import { type Mutation, refuse } from './mutation.ts'

/** What each level of trust may do beside what those before it may (reference pipeline 9); a leaf has no edge that leaves it. */
const ALLOWED: Readonly<Record<Trust, readonly (Mutation['op'] | 'remove_leaf')[]>> = {
  untrusted: [],
  probationary: ['modify_attrs'],
  trusted: ['add_edge', 'remove_edge'],
  veteran: ['add_node', 'remove_leaf'],
  autonomous: ['remove_node'],
}

/**
 * Attributes that say what a node does, with which rights, and what may change it: below `autonomous` they stay as their
 * author wrote them (reference pipeline 5.6, no. 6).
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
/** A parameter of an action can be the text of its command. */
const FIXED_PREFIXES = ['tool_hooks.', 'param.', 'arg.']

/**
 * How far a change is trusted: as far as the run, or less if the session says less (reference pipeline 9). A word that is
 * no level is the least.
 */
export function tierOf(run: string, session: unknown): Trust {
  const runTier = levelOf(run)
  if (session === undefined || session === null) return runTier
  return lesserTrust(runTier, typeof session === 'string' ? levelOf(session) : 'untrusted')
}

function levelOf(word: string): Trust {
  return TRUST_LEVELS.find((level) => level === word.trim().toLowerCase()) ?? 'untrusted'
}

/** Throws `MutationRefused` for a node that wants more trust than there is, or what is no level. */
export function requireTier(tier: Trust, least: string | undefined): void {
  if (least === undefined || least.trim() === '') return
  const wanted = TRUST_LEVELS.find((level) => level === least.trim().toLowerCase())
  if (wanted === undefined) refuse(`trust_tier is ${JSON.stringify(least)}, which is no tier`)
  else if (TRUST_LEVELS.indexOf(tier) < TRUST_LEVELS.indexOf(wanted)) refuse(`needs the tier ${wanted}, and this is ${tier}`)
}

/** Throws `MutationRefused` for a change that a level of trust does not allow; `leaf`: no edge leaves the node that is removed. */
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
