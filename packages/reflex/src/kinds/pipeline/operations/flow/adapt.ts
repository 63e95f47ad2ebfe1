import type { JsonObject } from '../../../../kernel/index.ts'
import { applyMutations, newNode } from '../adapt/apply.ts'
import { type Mutation, readMutations, MutationRefused, refuse } from '../adapt/mutation.ts'
import { requireAllowed, requireTier, tierOf } from '../adapt/tiers.ts'
import { type NodeOperation, requireUnreferenced, requireOpen } from '../adapt/untrusted-mutations.ts'
import { versionOf } from '../../dot/version.ts'
import { resolveHandler } from '../../model/resolve-handler.ts'
import type { TypedGraph } from '../../model/typed.ts'
import { type DotGraph, type DotNode, integerOf, isOn, textOf } from '../../dot/graph.ts'
import { serializeGraph } from '../../dot/serialize.ts'
import { ADAPTED } from '../../engine/adapting.ts'
import type { Handler, NodeContext } from '../../contract/handler.ts'
import { type Outcome, refusal, success } from '../../contract/outcome.ts'
import { reachable } from '../../contract/skip.ts'
import { levelOf } from '../../../../policy/label.ts'
import { authorLabel } from '../../engine/labelling.ts'
import { authorOf } from '../../model/program-author.ts'
import { readPipeline } from '../../check/read.ts'
import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { uri } from '../../model/capability-uris.ts'
import { key, writes } from '../../model/operation-ports.ts'

/** The default limit of mutations in one execution. */
const MOST = 10

/**
 * Changes the running pipeline (seed pipeline 14, reference pipeline 9): applies all mutations of a list or none. The result is
 * the changed pipeline as text, which the engine uses from then on. A function of the context: a replay gives the same text.
 */
const run: Handler = (nodeContext) => {
  try {
    return changed(nodeContext)
  } catch (thrown) {
    if (thrown instanceof MutationRefused) return refusal(`${nodeContext.node.id}: ${thrown.message}`)
    throw thrown
  }
}

function changed(nodeContext: NodeContext): Outcome {
  const { attributes, node, typed } = nodeContext
  if (nodeContext.isBranch) refuse('a branch cannot change its pipeline: do it before or after the branches')
  const mutations = mutationsOf(nodeContext)
  const graph = changedGraph(nodeContext, mutations)
  const dot = serializeGraph(graph, { stripInternal: false })
  const author = authorOf(typed)
  const { findings } = readPipeline(dot, undefined, {
    operations: typed.operations,
    transformed: true,
    ...(author === undefined ? {} : { author }),
  })
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

function mutationsOf(nodeContext: NodeContext): readonly Mutation[] {
  const { attributes } = nodeContext
  const key = textOf(attributes, 'mutations_key')
  const value = key === undefined ? textOf(attributes, 'mutations') : nodeContext.get(key)
  if (value === undefined || value === null || value === '')
    return refuse(key === undefined ? 'there are no mutations' : `the context has no mutations under ${key}`)
  return readMutations(value, integerOf(attributes, 'max_mutations') ?? MOST)
}

function changedGraph(nodeContext: NodeContext, mutations: readonly Mutation[]): DotGraph {
  const { attributes, permissions, typed, node } = nodeContext
  const tier = tierOf(permissions.trust, nodeContext.get('session.trust_tier'))
  requireTier(tier, textOf(attributes, 'trust_tier'))
  const completed = completedNodes(nodeContext)
  const source = untrustedSource(nodeContext)
  return applyMutations(typed.graph, mutations, {
    kindOf: (one) => kindOf(one, typed),
    closedReason: (id) => (id === node.id ? 'is being executed' : completed.has(id) ? 'is completed' : undefined),
    allow(mutation, leaf, before) {
      requireAllowed(tier, mutation, leaf)
      if (source === undefined) return
      if (mutation.op === 'add_node') requireUnreferenced(mutation.id, typed)
      const one = mutation.op === 'add_node' ? newNode(mutation) : before
      requireOpen(mutation, one === undefined ? undefined : { ...one, ...operationOfNode(one, typed) }, typed.operations, source)
    },
  })
}

/**
 * Returns a description of the origin of the mutations; undefined if the author or the operator wrote them, or a person has
 * reviewed them.
 */
function untrustedSource(nodeContext: NodeContext): string | undefined {
  const key = textOf(nodeContext.attributes, 'mutations_key')
  const label = key === undefined ? authorLabel(nodeContext.permissions) : nodeContext.label(key)
  if (label.level === 0) return undefined
  const level = levelOf(label)
  return label.from === undefined ? `${level} text` : `${label.from} (${level})`
}

/** Returns the operation of a node: as compiled, unless a mutation changes its type. */
function operationOfNode(node: DotNode, { nodes, operations }: TypedGraph): NodeOperation {
  const known = nodes.get(node.id)
  if (known !== undefined && known.node === node) return known
  const resolution = known !== undefined && writtenType(known.node) === writtenType(node) ? known : resolveHandler(node, operations)
  return { facts: operations.facts(operations.types.operationOf(resolution, node.attributes)), custom: resolution.custom }
}

/** Returns the canonical type of a node: as compiled, unless a mutation changes its type. */
function kindOf(node: DotNode, { nodes, operations }: TypedGraph): string {
  const known = nodes.get(node.id)
  return known !== undefined && writtenType(known.node) === writtenType(node) ? known.canonical : resolveHandler(node, operations).canonical
}

function writtenType({ attributes }: DotNode): string {
  return `${textOf(attributes, 'type')} ${textOf(attributes, 'shape')}`
}

/** Returns the nodes that this round has executed, with those in the branches of finished blocks. */
function completedNodes(nodeContext: NodeContext): ReadonlySet<string> {
  const { typed } = nodeContext
  const completed = [...typed.nodes.keys()].filter((id) => nodeContext.outcome(id) !== undefined)
  const inside = completed.flatMap((id) => {
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
  return new Set([...completed, ...inside])
}

export const adapt = defineOperation({
  name: 'adapt',
  does: 'Changes the running pipeline.',
  types: ['graph.adapt'],
  shape: 'octagon',
  dispatch: [{ type: 'adapt' }],
  parameters: {
    mutations: attribute('json', 'The mutations, a list of objects with `op`.'),
    mutations_key: attribute('key', 'The context value with the mutations; wins over `mutations`.'),
    max_mutations: attribute('int', 'The limit of mutations in one execution.', { usual: '10' }),
    dry_run: attribute('bool', 'Only checks the mutations.', { usual: 'false' }),
  },
  requires: ['mutations|mutations_key'],
  reads: [key('mutations_key', undefined, 'control')],
  writes: writes('engine', 'adapt.<id>.'),
  repeat: 'side_effecting',
  needs: (node) => [uri('orchestrator/adapt', node.text('trust_tier') ?? 'probationary')],
  run,
})
