import { isOn, textOf } from '../dot/graph.ts'
import { mentionsOutcome, testsOutcomeOnly } from '../language/condition.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { WrittenNode } from '../model/written-node.ts'
import { reachable } from '../check/reach.ts'
import type { Permissions } from '../contract/handler.ts'
import { capabilityCheck } from './capability-check.ts'
import type { FrameStep } from './frame-step.ts'
import { routeFailure, routeLeniently } from './routing.ts'

/** The number of things that a message names. */
const MOST_NAMED = 20

/**
 * Returns the reason why a pipeline cannot begin, and its first node: the capabilities that its nodes need and do not get. So no
 * person answers a gate of a run that must fail later for a right that was missing from the start. Undefined if nothing is missing.
 * Nodes whose failure the pipeline handles, and capabilities that a gate of the pipeline asks for, do not count.
 */
export function missingAhead({ typed, permissions, engine }: FrameStep): { readonly reason: string; readonly node: string } | undefined {
  const denied = new Map<string, string>()
  const lacking: string[] = []
  let first: string | undefined
  const asked = askedByGates(typed)
  for (const id of reachable(withoutOptional(typed))) {
    const node = typed.nodes.get(id)
    if (node === undefined || node.canonical === 'gate') continue
    const isChecked = engine.chain(node, typed, permissions).members.includes(capabilityCheck)
    const needs = isChecked ? node.capabilitiesRequired.filter((need) => !asked.has(need) && Object.hasOwn(permissions.denied, need)) : []
    const lack = turnsFailure(node) ? undefined : lackOf(node, typed, permissions)
    if ((needs.length === 0 && lack === undefined) || continuesAfterFailure(node, typed, permissions)) continue
    first ??= id
    for (const need of needs) denied.set(need, permissions.denied[need] ?? '')
    if (lack !== undefined) lacking.push(`${id}: ${lack}`)
  }
  if (first === undefined) return undefined
  const refused = firstOf([...denied].map(([need, by]) => `${need} is not granted (${by})`))
  const fix = `put {"allow": ${JSON.stringify([...denied.keys()].slice(0, MOST_NAMED))}} into a file and name it with --policy`
  const unauthorized = refused.length === 0 ? [] : [`unauthorized: ${refused.join(', ')}: ${fix}`]
  return { reason: [...unauthorized, ...firstOf(lacking)].join('; '), node: first }
}

/** Returns the first texts of a list, and the number of the others. */
function firstOf(texts: readonly string[]): readonly string[] {
  return texts.length <= MOST_NAMED ? texts : [...texts.slice(0, MOST_NAMED), `and ${texts.length - MOST_NAMED} more`]
}

/** Returns the pipeline without the branches whose failure it says that it does not need to succeed. */
function withoutOptional(typed: TypedGraph): TypedGraph {
  const optional = [...typed.nodes.values()].filter(({ canonical, node: { attributes } }) => {
    if (canonical !== 'parallel') return false
    return textOf(attributes, 'error_policy') === 'ignore' || (textOf(attributes, 'join_policy') ?? 'wait_all') !== 'wait_all'
  })
  if (optional.length === 0) return typed
  const outgoing = new Map(typed.outgoing)
  for (const { id } of optional) outgoing.delete(id)
  return { ...typed, outgoing }
}

/** True if the walk may continue after the failure of a node: an edge, a jump or the operator says where. */
function continuesAfterFailure({ id, node: { attributes } }: TypedNode, typed: TypedGraph, { routing }: Permissions): boolean {
  const edges = typed.outgoing.get(id) ?? []
  // A value that is not known yet may open an edge that also asks for the outcome.
  if (edges.some(({ condition }) => condition !== undefined && mentionsOutcome(condition) && !testsOutcomeOnly(condition))) return true
  const request = { typed, node: id, outcome: { status: 'fail' as const }, get: () => undefined }
  if (routeFailure(request) !== undefined) return true
  return routing?.onUnroutedFailure === 'lenient' && !isOn(attributes, 'goal_gate') && routeLeniently(request) !== undefined
}

/** True if a node turns a failure of its work into another outcome. A refusal stays a failure. */
function turnsFailure({ node: { attributes } }: TypedNode): boolean {
  const onError = textOf(attributes, 'on_error') ?? 'fail'
  return onError !== 'fail' || isOn(attributes, 'auto_status') || isOn(attributes, 'allow_partial')
}

/** The capabilities that gates of the pipeline ask for themselves. */
function askedByGates(typed: TypedGraph): ReadonlySet<string> {
  return new Set(
    [...typed.nodes.values()].flatMap(({ canonical, capabilitiesRequired }) => (canonical === 'gate' ? capabilitiesRequired : [])),
  )
}

function lackOf(
  { facts, custom, node }: TypedNode,
  { graph }: TypedGraph,
  { actions, services, simulated }: Permissions,
): string | undefined {
  // A host that states nothing is not known, and a simulated one lacks nothing.
  if (simulated === true || custom !== undefined || actions === undefined || services === undefined) return undefined
  return facts.lacks?.(new WrittenNode(node.attributes, graph.attributes), { actions, services })
}
