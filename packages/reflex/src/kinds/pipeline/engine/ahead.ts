import { isOn, textOf } from '../dot/graph.ts'
import { mentionsOutcome } from '../language/condition.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { WrittenNode } from '../model/written-node.ts'
import { reachable } from '../check/reach.ts'
import type { Permissions } from '../contract/handler.ts'
import { capabilityCheck } from './capability-check.ts'
import type { FrameStep } from './frame-step.ts'

/**
 * Returns the reason why a pipeline cannot begin, and the first node that it is about: everything that its nodes need and do not get, so that nobody answers a gate before a
 * node fails for a right that was missing from the start. Undefined where nothing is missing. A node whose failure the pipeline handles
 * itself is left to fail, and so is what a gate of the pipeline asks for.
 */
export function missingAhead({ typed, permissions, engine }: FrameStep): { readonly reason: string; readonly node: string } | undefined {
  const denied = new Map<string, string>()
  const lacking: string[] = []
  let first: string | undefined
  const asked = askedByGates(typed)
  for (const id of reachable(typed)) {
    const node = typed.nodes.get(id)
    if (node === undefined || node.canonical === 'gate' || handlesFailure(node, typed)) continue
    const isChecked = engine.chain(node, typed, permissions).members.includes(capabilityCheck)
    for (const need of isChecked ? node.capabilitiesRequired : []) {
      const by = Object.hasOwn(permissions.denied, need) ? permissions.denied[need] : undefined
      if (by === undefined || asked.has(need)) continue
      denied.set(need, by)
      first ??= id
    }
    const lack = lackOf(node, typed, permissions)
    if (lack === undefined) continue
    lacking.push(`${id}: ${lack}`)
    first ??= id
  }
  const refused = [...denied].map(([need, by]) => `${need} is not granted (${by})`)
  if (first === undefined) return undefined
  const fix = `put {"allow": ${JSON.stringify([...denied.keys()])}} into a file and name it with --policy`
  const parts = [...(refused.length === 0 ? [] : [`unauthorized: ${refused.join(', ')}: ${fix}`]), ...lacking]
  return { reason: parts.join('; '), node: first }
}

/** A node of which an edge, or the node itself, says what follows its failure. */
function handlesFailure({ id, node: { attributes } }: TypedNode, typed: TypedGraph): boolean {
  const hasTarget = ['retry_target', 'fallback_retry_target', 'on_error', 'on_failure'].some((key) => textOf(attributes, key) !== undefined)
  if (hasTarget || isOn(attributes, 'auto_status') || isOn(attributes, 'allow_partial')) return true
  return (typed.outgoing.get(id) ?? []).some(({ condition }) => condition !== undefined && mentionsOutcome(condition))
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
