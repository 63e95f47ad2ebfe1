import type { JsonObject } from '../../../../kernel/journal/json.ts'
import { applyMutations, newNode } from '../adapt/apply.ts'
import { type Mutation, readMutations, Refused, refuse } from '../adapt/mutation.ts'
import { requireAllowed, requireTier, tierOf } from '../adapt/tiers.ts'
import { type Performed, requireApart, requireOpen } from '../adapt/untrusted.ts'
import { versionOf } from '../../dot/version.ts'
import { operationOf } from '../../model/operation.ts'
import { type CustomHandler, resolveHandler } from '../../model/resolve.ts'
import type { TypedGraph } from '../../model/typed.ts'
import { type DotGraph, type DotNode, integerOf, isOn, textOf } from '../../dot/graph.ts'
import { serializeGraph } from '../../dot/serialize.ts'
import { ADAPTED } from '../../engine/adapting.ts'
import type { Handler, Scene } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { reachable } from '../../contract/skip.ts'
import { levelOf } from '../../contract/label.ts'
import { authorLabel } from '../../engine/labelling.ts'
import { authorOf } from '../../model/vouching.ts'
import { readPipeline } from '../../check/read.ts'

/** Changes that one execution may make, unless the node says otherwise. */
const MOST = 10

/**
 * Changes the pipeline that runs (seed pipeline 14, reference pipeline 9): all of a list of changes, or none. What it gives
 * is the changed pipeline as text, which the engine takes; `custom` are the handlers of the host, which new nodes may name.
 * A function of the scene: on a replay it gives the same text.
 */
export function adaptHandler(custom: ReadonlyMap<string, CustomHandler>): Handler {
  return (scene) => {
    const { id } = scene.node
    try {
      return adapted(scene, custom)
    } catch (thrown) {
      if (thrown instanceof Refused) return refusal(`${id}: ${thrown.message}`)
      throw thrown
    }
  }
}

function adapted(scene: Scene, custom: ReadonlyMap<string, CustomHandler>): Outcome {
  const { attributes, node, typed } = scene
  if (scene.isBranch) refuse('a branch cannot change its pipeline: do it before the branches or behind them')
  const mutations = mutationsOf(scene)
  const graph = changedGraph(scene, mutations, custom)
  const dot = serializeGraph(graph, { stripInternal: false })
  const author = authorOf(typed)
  const { findings } = readPipeline(dot, undefined, { transformed: true, custom, ...(author === undefined ? {} : { author }) })
  const wrong = findings.filter(({ severity }) => severity === 'error')
  if (wrong.length > 0)
    refuse(`the changed pipeline has errors: ${wrong.map(({ rule, message }) => `${rule ?? 'error'}: ${message}`).join('; ')}`)
  const count = `${mutations.length} mutation${mutations.length === 1 ? '' : 's'}`
  if (isOn(attributes, 'dry_run')) {
    const updates: JsonObject = { [`adapt.${node.id}.dry_run`]: true, [`adapt.${node.id}.valid_ops`]: mutations.length }
    return success(updates, { notes: `${count} valid, none applied` })
  }
  const version = versionOf(graph)
  const updates: JsonObject = { [ADAPTED]: dot, [`adapt.${node.id}.version`]: version, [`adapt.${node.id}.applied_ops`]: mutations.length }
  return success(updates, { notes: `${count} applied, version ${version}` })
}

function mutationsOf(scene: Scene): readonly Mutation[] {
  const { attributes } = scene
  const key = textOf(attributes, 'mutations_key')
  const value = key === undefined ? textOf(attributes, 'mutations') : scene.get(key)
  if (value === undefined || value === null || value === '')
    return refuse(key === undefined ? 'there are no mutations' : `the context has no mutations under ${key}`)
  return readMutations(value, integerOf(attributes, 'max_mutations') ?? MOST)
}

function changedGraph(scene: Scene, mutations: readonly Mutation[], custom: ReadonlyMap<string, CustomHandler>): DotGraph {
  const { attributes, charter, typed, node } = scene
  const tier = tierOf(charter.trust, scene.get('session.trust_tier'))
  requireTier(tier, textOf(attributes, 'trust_tier'))
  const done = completedIn(scene)
  const source = untrustedSource(scene)
  return applyMutations(typed.graph, mutations, {
    kindOf: (one) => kindOf(one, typed, custom),
    settled: (id) => (id === node.id ? 'is being executed' : done.has(id) ? 'is completed' : undefined),
    allow(mutation, leaf, before) {
      requireAllowed(tier, mutation, leaf)
      if (source === undefined) return
      if (mutation.op === 'add_node') requireApart(mutation.id, typed.graph)
      const one = mutation.op === 'add_node' ? newNode(mutation) : before
      requireOpen(mutation, one === undefined ? undefined : { ...one, ...performedBy(one, typed, custom) }, source)
    },
  })
}

/** Words for the origin of the mutations; empty if the author or the operator wrote them, or a person has reviewed them. */
function untrustedSource(scene: Scene): string | undefined {
  const key = textOf(scene.attributes, 'mutations_key')
  const said = key === undefined ? authorLabel(scene.charter) : scene.label(key)
  if (said.level === 0) return undefined
  const level = levelOf(said)
  return said.from === undefined ? `${level} text` : `${said.from} (${level})`
}

/** The handler of a node: as in the whole pipeline, unless a change sets another. */
function performedBy(node: DotNode, { nodes }: TypedGraph, custom: ReadonlyMap<string, CustomHandler>): Performed {
  const known = nodes.get(node.id)
  if (known !== undefined && known.node === node) return known
  const resolution = known !== undefined && saysType(known.node) === saysType(node) ? known : resolveHandler(node, custom)
  return { operation: operationOf(resolution, node.attributes), custom: resolution.custom }
}

/** What a node is: as it was found in the whole pipeline, unless a change says something else. */
function kindOf(node: DotNode, { nodes }: TypedGraph, custom: ReadonlyMap<string, CustomHandler>): string {
  const known = nodes.get(node.id)
  return known !== undefined && saysType(known.node) === saysType(node) ? known.canonical : resolveHandler(node, custom).canonical
}

function saysType({ attributes }: DotNode): string {
  return `${textOf(attributes, 'type')} ${textOf(attributes, 'shape')}`
}

/** Nodes that this lap has executed, those in the branches of a block included: the block is done with them. */
function completedIn(scene: Scene): ReadonlySet<string> {
  const { typed } = scene
  const done = [...typed.nodes.keys()].filter((id) => scene.outcome(id) !== undefined)
  const inside = done.flatMap((id) => {
    const join = typed.joins.get(id)
    if (join === undefined) return []
    return [
      ...reachable(
        typed,
        (typed.outgoing.get(id) ?? []).map(({ edge }) => edge.to),
        join,
      ),
    ]
  })
  return new Set([...done, ...inside])
}
