import { didYouMean, quote } from '../../../text/index.ts'
import { inputsOf, outputsOf, requiredOf } from '../model/operation-facts.ts'
import type { TypedNode } from '../model/typed.ts'
import type { CanonicalType } from '../model/resolution.ts'
import { isOn, textOf } from '../dot/graph.ts'
import { type LintFinding, type LintRule, listed } from './finding.ts'
import { guesser } from './guess.ts'
import { jumpsOf } from './reach.ts'
import { valuesThat } from './search.ts'
import type { LintSubject } from './subject.ts'

/** True if a node calls a model with its prompt. */
function asksModel({ facts }: TypedNode): boolean {
  return facts.form === 'model'
}

function hasText({ node }: TypedNode, attribute: string): boolean {
  return (textOf(node.attributes, attribute) ?? '').trim() !== ''
}

/** Returns a finding for each node that has a statement and that is wrong. A node without a statement already has its own finding. */
function findingsPerNode(
  { nodes }: LintSubject,
  isWrong: (node: TypedNode) => boolean,
  make: (node: TypedNode) => LintFinding,
): LintFinding[] {
  const finding = listed((node: TypedNode) => ({ node: node.id, ...make(node) }))
  return valuesThat(nodes, (node) => node.node.implicit !== true && isWrong(node)).map(finding)
}

/** An unknown type is a warning; from an untrusted author it is an error (reference pipeline 4.1). */
export const typeKnown: LintRule = {
  name: 'type_known',
  code: 'R1129',
  apply(subject) {
    const guess = guesser(subject.operations.types.names())
    const severity = subject.options.author === 'untrusted' ? 'error' : undefined
    const isUnknown = ({ unknown }: TypedNode): boolean => unknown !== undefined
    return findingsPerNode(subject, isUnknown, ({ id, unknown = '', rawType }) => {
      const meant = guess(unknown)
      const message = `${quote(id)} has the unknown type ${quote(unknown)}; ${rawType === unknown ? 'it fails when it is executed' : `it is handled as ${quote(rawType)}`}`
      const fix = meant === undefined ? {} : { fix: `write ${quote(meant)}` }
      return { message, attribute: 'type', note: didYouMean(meant), severity, ...fix }
    })
  },
}

/** A goal gate at an exit has no effect: the exit has no outcome yet (reference pipeline 3.7). */
export const goalGateHasRetry: LintRule = {
  name: 'goal_gate_has_retry',
  code: 'R1132',
  apply(subject) {
    const there = (target: string): boolean => subject.nodes.has(target)
    if (!subject.hasAny(['goal_gate']) || jumpsOf(subject.graph.attributes).some(there)) return []
    const isStuck = ({ node, canonical }: TypedNode): boolean =>
      isOn(node.attributes, 'goal_gate') && canonical !== 'exit' && !jumpsOf(node.attributes).some(there)
    return findingsPerNode(subject, isStuck, ({ id }) => ({
      message: `the goal gate ${quote(id)} has no retry target`,
      attribute: 'goal_gate',
      fix: 'write retry_target beside it',
    }))
  },
}

/** Reports the text that the model gets instead of a prompt (reference pipeline 11.3). */
export const promptOnLlmNodes: LintRule = {
  name: 'prompt_on_llm_nodes',
  code: 'R1133',
  apply: (subject) =>
    findingsPerNode(
      subject,
      (node) => asksModel(node) && !hasText(node, 'prompt') && !hasText(node, 'prompt_context_key'),
      (node) => {
        const instead = hasText(node, 'label') ? 'its label' : 'its id'
        const how = node.by === 'fallback' ? 'as a box without a type it asks a model' : 'it asks a model'
        return { message: `${quote(node.id)} has no prompt; ${how}, which gets ${instead}`, fix: 'write prompt="…"' }
      },
    ),
}

/** Types whose handlers do almost nothing without attributes. */
const NEEDS_ATTRIBUTES: ReadonlySet<CanonicalType> = new Set(['transform', 'exec', 'read', 'write', 'gate', 'map', 'compose'])
/** Attributes that these types read in addition to those of their operations. */
const OTHER_OPERATIVE = ['transform', 'operation', 'output_key', 'predicate', 'target', 'source', 'mode', 'item_type', 'handler_type']

/** Finds prompts on nodes that need attributes instead (reference pipeline 4.4). */
export const promptOnlyNode: LintRule = {
  name: 'prompt_only_node',
  code: 'R1134',
  apply: (subject) =>
    findingsPerNode(subject, hasOnlyPrompt, (node) => {
      const chosen = subject.operations.types.choice(node.canonical)?.attribute
      const fix = chosen === undefined ? undefined : `set ${chosen}, or write type="codergen"`
      return {
        message: `${quote(node.id)} has only a prompt; ${node.rawType} nodes do not read prompts`,
        attribute: 'prompt',
        fix,
      }
    }),
}

function hasOnlyPrompt(node: TypedNode): boolean {
  if (!NEEDS_ATTRIBUTES.has(node.canonical) || node.custom !== undefined || !hasText(node, 'prompt')) return false
  const { facts } = node
  const { attributes } = node.node
  const reads = inputsOf(facts, attributes).map(({ attribute }) => attribute)
  if (reads.includes('prompt') || facts.takesPrompt === true) return false
  const operative = [
    ...reads,
    ...outputsOf(facts, attributes).map(({ attribute = '' }) => attribute),
    ...requiredOf(facts, attributes).flatMap((one) => one.split('|')),
    ...OTHER_OPERATIVE,
  ]
  return !operative.some((attribute) => hasText(node, attribute))
}

export const simulateMissing: LintRule = {
  name: 'simulate_missing',
  code: 'R1135',
  apply: (subject) =>
    findingsPerNode(
      subject,
      subject.hasAny(['simulate']) ? (node) => asksModel(node) && !node.node.attributes.has('simulate') : asksModel,
      ({ id }) => ({ message: `${quote(id)} does not say whether it may be simulated` }),
    ),
}

/** Types with side effects. Questions, timers and blocks have other limits. */
const ACTS: ReadonlySet<CanonicalType> = new Set(['exec', 'write', 'compose', 'map'])

/** For calls of models this is only information: the host limits them (reference pipeline 11.3). */
export const missingResourceBound: LintRule = {
  name: 'missing_resource_bound',
  code: 'R1136',
  apply: (subject) =>
    findingsPerNode(
      subject,
      (node) => (asksModel(node) || hasEffects(node)) && !hasText(node, 'timeout') && !hasText(node, 'max_retries'),
      (node) => ({
        message: `${quote(node.id)} has neither timeout nor max_retries`,
        severity: asksModel(node) ? 'info' : undefined,
        fix: 'write timeout="5m", or what fits',
      }),
    ),
}

function hasEffects({ idempotency, canonical }: TypedNode): boolean {
  return idempotency === 'side_effecting' && ACTS.has(canonical)
}
