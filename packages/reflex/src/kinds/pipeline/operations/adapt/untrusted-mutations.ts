import type { AttributeRow } from '../../model/attribute-row.ts'
import { valueProblem } from '../../model/attribute-value.ts'
import type { OperationFacts } from '../../model/operation-facts.ts'
import type { OperationTable } from '../../model/operation-table.ts'
import { type Attributes, type DotNode, integerOf, isOn, textOf } from '../../dot/graph.ts'
import type { TypedGraph } from '../../model/typed.ts'
import { PRESETS } from '../../model/retry-presets.ts'
import { durationOf } from '../../language/duration.ts'
import { type AttributeChanges, type Mutation, refuse } from './mutation.ts'

/** The range of a change of an attribute: any value, a lower one, or at most the retries of the longest preset. */
type Reach = 'any' | 'lower' | 'retries'

/**
 * The attributes of model nodes that untrusted text may change. Every other attribute stays as the author wrote it, and so
 * does every node of another type (decisions, untrusted mutations).
 */
export const OPEN_ATTRIBUTES: Readonly<Record<string, Reach>> = {
  prompt: 'any',
  llm_model: 'any',
  llm_provider: 'any',
  reasoning_effort: 'any',
  temperature: 'any',
  max_tokens: 'lower',
  timeout: 'lower',
  max_retries: 'retries',
}

/** Attributes that make an added node a model node. */
const TYPE_ATTRIBUTES: ReadonlySet<string> = new Set(['type', 'shape'])
const MOST_RETRIES = Math.max(...Object.values(PRESETS).map(({ attempts }) => attempts)) - 1

/** The handler of a node, by its type and its attributes. */
export interface NodeOperation {
  readonly facts: OperationFacts
  readonly custom?: string | undefined
}

/**
 * Throws `MutationRefused` for a change that untrusted text may not make. `node`: the node that is changed or added, after the changes
 * so far, and its handler; `source`: where the text comes from.
 */
export function requireOpen(
  mutation: Mutation,
  node: (DotNode & NodeOperation) | undefined,
  { attributes: known }: OperationTable,
  source: string,
): void {
  const why = `the mutations come from ${source}, and nobody has reviewed them`
  if (mutation.op !== 'modify_attrs' && mutation.op !== 'add_node') refuse(`${mutation.op} is not allowed: ${why}`)
  const { id, attrs, op } = mutation
  if (node === undefined) return
  const before: Attributes = op === 'add_node' ? new Map() : node.attributes
  if (!isOpenNode(node)) refuse(`${op}: ${id} is not a plain model node, only its author can change it: ${why}`)
  for (const key of attrs.keys()) {
    if (op === 'add_node' && TYPE_ATTRIBUTES.has(key)) continue
    const problem = changeProblem(known.find('node', key, node.facts.name), key, attrs, before)
    if (problem !== undefined) refuse(`${key} of ${id} ${problem}: ${why}`)
  }
}

/**
 * Throws `MutationRefused` for an added node that changes the path of the run although no edge leads to it: the pipeline names its id
 * already, or treats it as a start or an exit.
 */
export function requireUnreferenced(id: string, { graph: { nodes, attributes }, operations }: TypedGraph): void {
  // Also a missing node can be named.
  const names = operations.rows.flatMap(({ name, aliases, type }) => (type === 'node' ? [name, ...aliases] : []))
  const named = [attributes, ...[...nodes.values()].map((node) => node.attributes)].some((all) =>
    names.some((name) => textOf(all, name)?.trim() === id),
  )
  if (named) refuse(`add_node: the pipeline continues at ${id} already: nobody has reviewed the mutations`)
  if (/^(start|exit|end)$/i.test(id)) refuse(`add_node: ${id} is the name of a start or an exit: nobody has reviewed the mutations`)
}

/** A model node whose answer no gate and no council uses. */
function isOpenNode({ facts, custom, attributes }: DotNode & NodeOperation): boolean {
  const isJudge = isOn(attributes, 'goal_gate') || textOf(attributes, 'perspective') !== undefined
  return facts.form === 'model' && custom === undefined && !isJudge
}

function changeProblem(
  row: AttributeRow | 'ignored' | undefined,
  key: string,
  attrs: AttributeChanges,
  before: Attributes,
): string | undefined {
  if (row === undefined || row === 'ignored') return CLOSED
  const reach = Object.hasOwn(OPEN_ATTRIBUTES, row.name) ? OPEN_ATTRIBUTES[row.name] : undefined
  const value = attrs.get(key) ?? null
  if (reach === undefined) return CLOSED
  if (value === null) return reach === 'any' ? undefined : 'cannot be removed'
  const after: Attributes = new Map([[key, { value, provenance: 'transform' }]])
  const problem = valueProblem(row, key, after)
  if (problem !== undefined) return problem === 'duration' ? 'is not a duration' : problem
  return reach === 'any' ? undefined : rangeProblem(key, reach, before, after)
}

const CLOSED = 'cannot be changed'

function rangeProblem(key: string, reach: Exclude<Reach, 'any'>, before: Attributes, after: Attributes): string | undefined {
  const now = amountOf(key, before)
  const limit = reach === 'retries' ? Math.max(MOST_RETRIES, now ?? 0) : (now ?? Infinity)
  const amount = amountOf(key, after) ?? 0
  if (amount < 0 || (reach === 'lower' && amount === 0)) return 'is too low'
  return amount > limit ? `can be ${limit} at most` : undefined
}

/** Returns the effective limit; undefined where there is none, as with a timeout of 0. */
function amountOf(key: string, attributes: Attributes): number | undefined {
  return key === 'timeout' ? durationOf(attributes, key) || undefined : integerOf(attributes, key)
}
