import { type Path, quote, type TextSpan, suggester, type Suggester } from '../../../text/index.ts'
import type { BoardRead } from './flow.ts'
import { callerDemands, type Precondition } from './call-preconditions.ts'
import { isDecided } from './condition.ts'
import { demandOf, missingKey, NO_DEMAND } from './demand.ts'
import { type Finding, trailText } from './finding.ts'
import { mentionsOfGuard, spanOf } from './mentions.ts'
import { similarKey } from './similar-key.ts'
import type { Prover } from './prover.ts'
import { demandWithMissing, type Moment } from './search.ts'
import type { Layout, ProofNode } from './layout.ts'
import { type WriteCertainty as Written, type WantedKey, writtenBefore } from './written-before.ts'

/** A required key, and the moments at which it would be missing. */
interface Need extends WantedKey {
  readonly moments: readonly Moment[]
  /** The reader, in words: `node "pay"`. */
  readonly reader: string
  readonly at: Path
  readonly part?: 'key'
  readonly within?: TextSpan | undefined
  /** Set if the node declares the input itself. A key that no path writes is then already reported as `MISSING_REQUIRED_INPUT`. */
  readonly declared?: 'here' | 'by the child' | undefined
}

/** A key that a called workflow requires, and the demands under which it is missing. */
interface ChildNeed {
  readonly key: string
  readonly nodeId: string
  /** True if the contract says that the workflow provides the key itself, but it does not. */
  readonly isOwn: boolean
  readonly starts: readonly Precondition[]
}

/** The limit of required keys of one child that its callers are checked for. */
const MOST_NEEDS = 2000
/** The limit of nested calls whose required keys are checked. */
const DEEPEST = 40

/** Finds reads of keys that some path to them does not write, across calls. */
export class ReadChecks {
  readonly #prover: Prover
  readonly #needs = new Map<Layout, readonly ChildNeed[]>()
  #depth = 0

  constructor(prover: Prover) {
    this.#prover = prover
  }

  /** Returns the findings for a run that starts by itself. A key that nothing writes or declares is assumed to be an input. */
  findings(layout: Layout): Finding[] {
    const needs = layout.nodes.flatMap((proofNode, place) =>
      proofNode.isLinked ? [...ownNeeds(layout, proofNode, place), ...this.#needsOfCall(layout, proofNode, place)] : [],
    )
    const written = writtenBefore(this.#prover, layout, needs, true)
    let names: Suggester | undefined
    const meant = (key: string): string | undefined => similarKey(key, (names ??= suggester(layout.names())))
    const reported = new Set<string>()
    return needs.flatMap((need, i) => {
      const before = written[i]
      const id = `${need.place} ${need.key}`
      if (before === undefined || before === 'surely' || reported.has(id)) return []
      const finding = this.#findingFor(layout, need, before, meant)
      if (finding === undefined) return []
      reported.add(id)
      return [finding]
    })
  }

  #findingFor(layout: Layout, need: Need, before: Written, meant: (key: string) => string | undefined): Finding | undefined {
    const { place, key, declared } = need
    const nodeId = layout.nodes[place]?.id ?? ''
    const { at: path, part, reader, within } = need
    const common = { nodeId, key, path, within, ...(part === undefined ? {} : { part }) }
    if (before === 'never' && declared === 'here') return undefined
    if (before === 'unknown') return undefined
    if (before === 'never' && declared === 'by the child' && !layout.isInherited(key)) {
      const fix = `write ${quote(key)} before the call, pass it with "inputMap", or declare it in the child as "inherited": true`
      return {
        ...common,
        rule: 'MISSING_CALL_INPUT',
        message: `${reader} needs ${quote(key)}, which nothing in this workflow provides`,
        fix,
        guess: () => meant(key),
      }
    }
    // A return that never happens is reported at the return map.
    if (before === 'never' && layout.callsFor(key).some((call) => call.place < place || (call.place === place && need.entered !== true)))
      return undefined
    // A key that nothing writes is an input, unless the contracts exclude that.
    if (before === 'never' && !layout.isAbsentAtStart(key)) return undefined
    const answer = this.#prover.reachesAny(layout, need.moments, 'shown')
    if (answer.verdict !== 'yes') return undefined
    const trail = trailText(layout, answer.trail)
    return {
      ...common,
      rule: 'READ_BEFORE_WRITE',
      ...(before === 'perhaps' ? { onSomePaths: true } : {}),
      message: `${reader} reads ${quote(key)}, which ${before === 'never' ? 'no earlier node writes' : 'some path to it does not write'}`,
      note: `not written on ${trail}`,
      fix: 'write it on each path, give the read an "else", or declare the key as an input with "inherited": true if a caller gives it',
    }
  }

  /** Returns the keys that the child of a calling node requires and reads from its caller. */
  #needsOfCall(layout: Layout, { invokes, id }: ProofNode, place: number): Need[] {
    const child = invokes === undefined ? undefined : this.#prover.layoutOf(invokes.workflowId)
    if (invokes === undefined || child === undefined) return []
    return this.#needsOf(child).flatMap(({ key, nodeId, isOwn, starts }): Need[] => {
      const from = invokes.inputMap?.findLast(({ to }) => to === key)?.from ?? key
      const moments = starts.flatMap((start) =>
        callerDemands(invokes, start.demand, layout.domain, NO_DEMAND).map(
          (demand): Moment => ({ place, demand, entered: true, isUncertain: start.isUncertain }),
        ),
      )
      const reader = `node ${quote(id)} calls ${quote(invokes.workflowId)}, whose node ${quote(nodeId)}`
      return [
        {
          place,
          key: from,
          entered: true,
          moments,
          reader,
          at: ['nodes', id, 'invokes', 'workflowId'],
          ...(isOwn ? { declared: 'by the child' } : {}),
        },
      ]
    })
  }

  #needsOf(layout: Layout): readonly ChildNeed[] {
    const known = this.#needs.get(layout)
    if (known !== undefined) return known
    if (this.#depth >= DEEPEST) return []
    this.#depth++
    // The recursive call of a workflow requires no further keys.
    this.#needs.set(layout, [])
    const needs = layout.nodes.flatMap((proofNode, place) =>
      proofNode.isLinked ? [...ownNeeds(layout, proofNode, place, true), ...this.#needsOfCall(layout, proofNode, place)] : [],
    )
    const written = writtenBefore(this.#prover, layout, needs, false)
    const found = new Map<string, ChildNeed>()
    for (const [i, { key, place, moments, declared }] of needs.entries()) {
      const before = written[i]
      if (before === 'surely' || before === 'unknown' || found.size >= MOST_NEEDS) continue
      const isOwn = declared !== undefined && before === 'never' && !layout.isInherited(key)
      if (found.get(key)?.isOwn === true || (found.has(key) && !isOwn)) continue
      const starts = this.#prover.startsOf(layout, moments).filter(({ demand }) => demand.claims.get(key)?.absent === true)
      if (starts.length > 0) found.set(key, { key, nodeId: layout.nodes[place]?.id ?? '', isOwn, starts })
    }
    const result = [...found.values()]
    this.#needs.set(layout, result)
    this.#depth--
    return result
  }
}

/** Returns the keys that the agent at a node and the guards of its edges require. `inherited`: include keys that callers provide. */
function ownNeeds(layout: Layout, proofNode: ProofNode, place: number, inherited = false): Need[] {
  const { id, node, flow } = proofNode
  const reader = `node ${quote(id)}`
  const at = (key: string): readonly Moment[] => [{ place, demand: demandOf(missingKey(key)), isUncertain: false }]
  const declared = (node.inputs ?? []).flatMap((input, i): Need[] => {
    if (!input.required || (input.inherited === true && !inherited)) return []
    const declaration = input.inherited === true ? {} : { declared: 'here' as const }
    return [{ place, key: input.key, moments: at(input.key), reader, at: ['nodes', id, 'inputs', i, 'key'], ...declaration }]
  })
  const read = (item: BoardRead, moments: (key: string) => readonly Moment[]): Need[] => {
    if (item.optional === true) return []
    const key = layout.keyOf(item.path)
    return [{ place, key, moments: moments(key), reader, at: ['nodes', id, ...item.at] }]
  }
  const spec = flow.reads.flatMap((item) => read(item, at))
  const cases = flow.cases.flatMap((decisionCase) =>
    decisionCase.reads.flatMap((item) =>
      read(item, (key) => {
        const before = demandWithMissing(layout, proofNode, decisionCase, key)
        return before === undefined ? [] : [{ place, demand: before, isUncertain: flow.writesAnyKey }]
      }),
    ),
  )
  return [...declared, ...spec, ...cases, ...guardNeeds(layout, proofNode, place, at)]
}

/** Returns the keys without which the expression of a guard fails, if its states cannot be tried. */
function guardNeeds(layout: Layout, { id, outgoing }: ProofNode, place: number, at: (key: string) => readonly Moment[]): Need[] {
  return outgoing.flatMap((arc) => {
    const { edge, index } = arc
    const condition = layout.condition(edge)
    if (isDecided(condition) || condition.needs.length === 0) return []
    const mentions = mentionsOfGuard(id, arc)
    const reader = `the guard of edge ${quote(edge.id)}`
    return condition.needs.map((key): Need => {
      const read = mentions.find((mention) => mention.key === key)
      return { place, key, moments: at(key), reader, at: ['edges', index, 'guard', 'expr'], within: read && spanOf(read) }
    })
  })
}
