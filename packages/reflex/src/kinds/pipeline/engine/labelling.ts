import type { JsonObject } from '../../../kernel/journal/json.ts'
import { keyOf, type KeyRead, readsOf, type KeyWrite, writesOf } from '../model/node-keys.ts'
import type { Origin } from '../model/operation-ports.ts'
import type { DataClass, TypedNode } from '../model/typed.ts'
import type { Permissions } from '../contract/handler.ts'
import type { Outcome } from '../contract/outcome.ts'
import { combine, DERIVED, type Label, levelOf, TRUSTED, UNTRUSTED } from '../contract/label.ts'
import type { Token } from './middleware.ts'
import { mappedKeys } from '../language/result-mapping.ts'
import { attachmentsLabel, pathLabel } from './path-label.ts'
import { reductions } from './reductions.ts'

/** What a node reads and writes, as its attributes name it; found once for each node. */
interface NodePorts {
  readonly reads: readonly KeyRead[]
  readonly writes: readonly KeyWrite[]
}

const ports = new WeakMap<TypedNode, NodePorts>()

function portsOf(node: TypedNode): NodePorts {
  let found = ports.get(node)
  if (found === undefined) {
    const keyed = { id: node.id, facts: node.facts, attributes: node.node.attributes }
    found = { reads: readsOf(keyed), writes: writesOf(keyed) }
    ports.set(node, found)
  }
  return found
}

export function readsOfNode(node: TypedNode): readonly KeyRead[] {
  return portsOf(node).reads
}

/**
 * The worst of what a node reads; what the author wrote, where it reads nothing. A handler of a host can read everything,
 * and a model is told what the context holds (reference pipeline 6.5).
 */
export function inputsLabel({ context: { node, permissions }, label, worstLabel }: Pick<Token, 'context' | 'label' | 'worstLabel'>): Label {
  if (node.custom !== undefined || node.facts.form === 'model') return combine(authorLabel(permissions), worstLabel())
  const { reads } = portsOf(node)
  return reads.length === 0 ? authorLabel(permissions) : combine(...reads.map(({ key }) => label(key)))
}

/** What the text of a program is worth: the operator vouches for what he runs, nobody for what came from elsewhere. */
export function authorLabel({ trust }: Pick<Permissions, 'trust'>): Label {
  return trust === 'untrusted' ? { ...UNTRUSTED, from: 'author' } : TRUSTED
}

/**
 * Labels what an execution writes: by what it read and by where its operation has it from, with what branches and called
 * programs brought along. Then the checks that the node has made lower what they may (reference pipeline 5.3). Handlers
 * have no part in it, and no author can switch it off.
 */
export function labelOutputs(token: Token, outcome: Outcome, updates: JsonObject): void {
  const { node } = token.context
  const inputs = combine(inputsLabel(token), token.touchedLabel())
  const made = new Map(Object.keys(updates).map((key) => [key, sensitive(node.dataClassification, outputLabel(token, key, inputs))]))
  for (const [key, label] of made) token.mark(key, label)
  if (outcome.preferred_label !== undefined) labelPreferred(token, outputLabel(token, PREFERRED, inputs))
  for (const { key, before, label, why } of reductions(token, outcome, updates, made)) {
    token.note('taint_reduced', { key, why, from: levelOf(before), to: levelOf(label) })
    token.mark(key, label)
  }
}

/** The key under which the engine gives the label that an execution prefers. */
export const PREFERRED = 'preferred_label'

/** A preferred label is text of whoever decided, and derived at least; only what is worse is kept, until another one takes its place. */
function labelPreferred(token: Token, label: Label): void {
  if (label.level > DERIVED.level) token.mark(PREFERRED, label)
  else if (token.label(PREFERRED).level > DERIVED.level) token.mark(PREFERRED, TRUSTED)
}

function outputLabel(token: Token, key: string, inputs: Label): Label {
  const { node } = token.context
  const children = childKeys(node, key)
  const carried = token.carriedLabel(children)
  if (carried !== undefined && children !== undefined) return carried
  const read = combine(attachmentsLabel(token.context), inputs)
  const file = pathLabel(token.context)
  const own = file !== undefined ? combine(file, inputs) : originLabel(originOf(node, key), read, node.id)
  return carried === undefined ? own : combine(own, carried)
}

function originLabel(origin: Origin, inputs: Label, from: string): Label {
  switch (origin) {
    case 'engine':
      return TRUSTED
    case 'inputs':
      return inputs
    case 'outside':
      return combine({ ...UNTRUSTED, from }, inputs)
    default:
      return combine({ ...DERIVED, from }, inputs)
  }
}

/** From the best to the worst. */
const ORIGINS: readonly Origin[] = ['engine', 'inputs', 'derived', 'model', 'outside']

/** Where a key that a node writes has its value from; one that its operation does not name, from the worst that it names. */
function originOf(node: TypedNode, key: string): Origin {
  const { writes } = portsOf(node)
  const named = writes.find((write) => write.key === key || (write.key.endsWith('.') && key.startsWith(write.key)))
  if (named !== undefined) return named.origin
  const least: Origin = node.custom === undefined ? 'inputs' : 'derived'
  return writes.reduce<Origin>((worst, { origin }) => (ORIGINS.indexOf(origin) > ORIGINS.indexOf(worst) ? origin : worst), least)
}

/** What a parent says of a child itself: worth as much as all that the child brought back. */
const OF_CHILD: ReadonlySet<string> = new Set(['status', 'nodes_completed', 'error'])

/**
 * The keys under which a branch or a called program may have had the value that is now written; undefined for a value from all of
 * its keys. A target that is mapped more than once has any of their values.
 */
function childKeys({ id, canonical, facts, node: { attributes } }: TypedNode, key: string): readonly string[] | undefined {
  if (canonical === 'parallel')
    return key.startsWith('parallel.') || attributes.has('items') || attributes.has('items_key') ? undefined : [key]
  if (facts.returns === undefined) return undefined
  const said = `subgraph.${id}.`
  if (key.startsWith(said) && OF_CHILD.has(key.slice(said.length))) return undefined
  const mapped = mappedKeys(attributes).filter(([, parent]) => parent === key)
  if (mapped.length > 0) return mapped.map(([child]) => child)
  const written = keyOf(facts.returns, attributes, id)
  const prefix = written.endsWith('.') ? written : `${written}.`
  const rest = key.startsWith(prefix) ? key.slice(prefix.length) : ''
  return rest === '' || OF_CHILD.has(rest) ? undefined : [rest]
}

/** What a node that handles sensitive data writes is no less so (reference pipeline 5.4). */
export function sensitive(dataClass: DataClass, label: Label): Label {
  const least = dataClass === 'secret' ? 3 : dataClass === 'sensitive' ? 2 : 0
  return label.sensitivity >= least ? label : { ...label, sensitivity: least }
}
