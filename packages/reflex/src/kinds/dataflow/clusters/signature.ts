import { quote } from '../../../text/index.ts'
import type { PortType } from '../model/value.ts'
import { type LinkedCluster, primitiveOf } from './linked.ts'
import type { DefinitionReport } from './report.ts'

export type SignatureKind = 'SourceLike' | 'ComputeLike' | 'TriggerLike' | 'ActionLike'

/** The shape of a cluster, as those see it who use it. It follows from its primitives (reference 3.5). */
export interface Signature {
  readonly kind: SignatureKind
  /** No input is wireable: it takes edges from the cluster around, and nothing leaves it. */
  readonly inputs: readonly { readonly name: string; readonly type: PortType; readonly required: boolean; readonly wireable: false }[]
  /** An output of an action is not wireable. */
  readonly outputs: readonly { readonly name: string; readonly type: PortType; readonly wireable: boolean }[]
  readonly has_side_effects: boolean
  /** True if it has no inputs and each node without edges into it is a source. */
  readonly is_origin: boolean
}

/** Returns the signature of a cluster. Outputs that lead nowhere are left out. */
export function signatureOf(cluster: LinkedCluster): Signature {
  const inputs = cluster.source.definition.inputs.map((input) => ({ ...input, wireable: false as const }))
  const outputs = [...cluster.outputs].flatMap(([name, port]) => {
    const found = primitiveOf(port)
    const type = found?.primitive.manifest.outputs.find((output) => output.name === found.port)?.type
    return found === undefined || type === undefined ? [] : [{ name, type, wireable: found.primitive.kind !== 'action' }]
  })
  return {
    kind: kindOf(inputs.length, outputs),
    inputs,
    outputs,
    has_side_effects: hasActions(cluster, new Map()),
    is_origin: inputs.length === 0 && startsWithSources(cluster, new Set(), new Map()),
  }
}

function kindOf(inputs: number, outputs: Signature['outputs']): SignatureKind {
  const wireable = outputs.filter((output) => output.wireable)
  if (wireable.length === 0) return 'ActionLike'
  if (inputs === 0 && wireable.every(({ type }) => type !== 'Event')) return 'SourceLike'
  return wireable.some(({ type }) => type === 'Event') ? 'TriggerLike' : 'ComputeLike'
}

function hasActions(cluster: LinkedCluster, known: Map<LinkedCluster, boolean>): boolean {
  const before = known.get(cluster)
  if (before !== undefined) return before
  const found = cluster.nodes.some(
    ({ target }) =>
      target !== undefined && ('primitive' in target ? target.primitive.kind === 'action' : hasActions(target.cluster, known)),
  )
  known.set(cluster, found)
  return found
}

/** True if each primitive without an edge into it is a source. `wired`: the inputs that the cluster around feeds. */
function startsWithSources(cluster: LinkedCluster, wired: ReadonlySet<string>, known: Map<LinkedCluster, Map<string, boolean>>): boolean {
  const key = JSON.stringify([...wired].sort())
  const byInputs = known.get(cluster) ?? new Map<string, boolean>()
  known.set(cluster, byInputs)
  const before = byInputs.get(key)
  if (before !== undefined) return before
  const live = cluster.edges.filter(({ from }) => from === undefined || !('external' in from) || wired.has(from.external))
  const ports = Map.groupBy(live, ({ to }) => to.node)
  const result = cluster.nodes.every((node) => {
    const { target } = node
    const edges = ports.get(node) ?? []
    if (target === undefined) return true
    if ('primitive' in target) return target.primitive.kind === 'source' || edges.length > 0
    return startsWithSources(target.cluster, new Set(edges.map(({ to }) => to.port)), known)
  })
  byInputs.set(key, result)
  return result
}

/** Checks that a declared signature claims nothing that is not true: rule D.11 for wireable outputs, D.10 for everything else. */
export function checkSignature(report: DefinitionReport, cluster: LinkedCluster): void {
  const declared = cluster.source.definition.declaredSignature
  if (declared === undefined) return
  const real = signatureOf(cluster)
  const add = (rule: 'D.10' | 'D.11', message: string, path: readonly (string | number)[], fix: string): void =>
    report.add('R1319', `the declared signature ${message}`, ['declared_signature', ...path], { rule, fix })
  for (const field of ['kind', 'has_side_effects', 'is_origin'] as const) {
    if (declared[field] !== undefined && declared[field] !== real[field])
      add(
        'D.10',
        `has ${field} ${String(declared[field])}, and it is ${String(real[field])}`,
        [field],
        `write ${JSON.stringify(real[field])}`,
      )
  }
  for (const side of ['inputs', 'outputs'] as const) {
    const known = new Map<string, { readonly type: PortType; readonly wireable: boolean }>(real[side].map((port) => [port.name, port]))
    for (const [index, port] of (declared[side] ?? []).entries()) {
      const path = [side, index]
      const found = known.get(port.name)
      const name = `${side.slice(0, -1)} ${quote(port.name)}`
      if (found === undefined) add('D.10', `has the ${name}, which does not exist`, path, 'remove it')
      else if (port.type !== undefined && port.type !== found.type)
        add('D.10', `has the ${name} of type ${port.type}, and it is ${found.type}`, [...path, 'type'], `write "${found.type}"`)
      if (found !== undefined && 'wireable' in port && port.wireable && !found.wireable)
        add('D.11', `has the wireable ${name}, which an action gives`, [...path, 'wireable'], 'write false')
    }
  }
}
