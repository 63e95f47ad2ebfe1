import { type JsonObject, isList } from '../../../kernel/index.ts'
import { keyOf, type KeyRead, readsOf, type KeyWrite, writesOf } from '../model/node-keys.ts'
import type { Origin } from '../model/operation-ports.ts'
import type { DataClass, TypedNode } from '../model/typed.ts'
import type { Permissions, NodeContext } from '../contract/handler.ts'
import type { Outcome } from '../contract/outcome.ts'
import { combine, DERIVED, type Label, levelOf, TRUSTED, UNTRUSTED } from '../../../policy/label.ts'
import type { Token } from './middleware.ts'
import { mappedKeys } from '../language/result-mapping.ts'
import { reductions } from './reductions.ts'
import { WrittenNode } from '../model/written-node.ts'
import { listOf, textOf } from '../dot/graph.ts'

/** The reads and writes of a node, as its attributes name them; computed once for each node. */
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
 * Returns the worst label of a node's inputs; the author's label if it reads nothing. A handler of a host can read
 * everything, and a model is shown the context (reference pipeline 6.5).
 */
export function inputsLabel(token: Pick<Token, 'context' | 'label' | 'worstLabel'>): Label {
  const { node, permissions } = token.context
  if (node.custom !== undefined || node.facts.form === 'model') return combine(authorLabel(permissions), token.worstLabel())
  const { reads } = portsOf(node)
  return reads.length === 0 ? authorLabel(permissions) : combine(...reads.map(({ key }) => token.label(key)))
}

/**
 * Returns the label of a program's own text: the operator vouches for the programs that they run; other text is
 * untrusted.
 */
export function authorLabel({ trust }: Pick<Permissions, 'trust'>): Label {
  return trust === 'untrusted' ? { ...UNTRUSTED, from: 'author' } : TRUSTED
}

/**
 * Labels the writes of an execution: by its inputs and by the origin that its operation declares, with the labels that
 * branches and called programs returned. Then the checks of the node lower labels where they may (reference pipeline
 * 5.3). Handlers do not take part, and no author can disable it.
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

/** The key of the label that an execution prefers. */
export const PREFERRED = 'preferred_label'

/**
 * Labels a preferred label. It is text of the decider, so it is at least derived; only a worse label is stored, until
 * another preferred label replaces it.
 */
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

/** The origins, from the best to the worst. */
const ORIGINS: readonly Origin[] = ['engine', 'inputs', 'derived', 'model', 'outside']

/**
 * Returns the origin of a key that a node writes. A key that its operation does not declare has the worst declared
 * origin.
 */
function originOf(node: TypedNode, key: string): Origin {
  const { writes } = portsOf(node)
  const named = writes.find((write) => write.key === key || (write.key.endsWith('.') && key.startsWith(write.key)))
  if (named !== undefined) return named.origin
  const least: Origin = node.custom === undefined ? 'inputs' : 'derived'
  return writes.reduce<Origin>((worst, { origin }) => (ORIGINS.indexOf(origin) > ORIGINS.indexOf(worst) ? origin : worst), least)
}

/** The keys that a parent writes about a child itself; they have the worst label of everything that the child returned. */
const OF_CHILD: ReadonlySet<string> = new Set(['status', 'nodes_completed', 'error'])

/**
 * Returns the keys under which a branch or a called program may have written the value; undefined if the value may come
 * from any of its keys. A target that is mapped several times may have any of their values.
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

/** Returns a label with at least the sensitivity of the node that writes the value (reference pipeline 5.4). */
export function sensitive(dataClass: DataClass, label: Label): Label {
  const least = dataClass === 'secret' ? 3 : dataClass === 'sensitive' ? 2 : 0
  return label.sensitivity >= least ? label : { ...label, sensitivity: least }
}

/** Matches the names of files that probably contain secrets (reference pipeline 5.3). */
const SECRET = /\.env|credential|secret|private_key/i

/**
 * Returns the level and the sensitivity of the file that a node opens, by where it lies: below the work folder derived, else from
 * outside; undefined for a node that opens none.
 */
function pathLabel(scene: NodeContext): Label | undefined {
  const { opens } = scene.node.facts
  const opened = opens?.(new WrittenNode(scene.attributes))
  if (opened === undefined) return undefined
  const paths = opened.map((file) => ('path' in file ? file.path : scene.get(file.key)))
  const path = paths.find((one) => one !== undefined)
  return labelOf(scene, typeof path === 'string' ? path.trim() : '')
}

/** Returns the label of the files that a node shows to its model; trusted if there are none. */
function attachmentsLabel(scene: NodeContext): Label {
  const { attributes } = scene
  const key = textOf(attributes, 'attachments_context_key')?.trim() ?? ''
  if (key === '' && !attributes.has('attachments')) return TRUSTED
  const found = key === '' ? undefined : scene.get(key)
  const given = [...listOf(attributes, 'attachments'), ...(isList(found) ? found : [found])]
  return combine(...given.flatMap((path) => (typeof path === 'string' && !path.startsWith('data:') ? [labelOf(scene, path)] : [])))
}

function labelOf({ permissions, node }: NodeContext, path: string): Label {
  if (SECRET.test(path)) return { ...UNTRUSTED, sensitivity: 3, from: node.id }
  const isInside =
    !/^([\\/]|[A-Za-z]:|~|\$)/.test(path) || [permissions.workdir, permissions.folder].some((root) => path.startsWith(`${root}/`))
  return { ...(isInside ? DERIVED : UNTRUSTED), from: node.id }
}
