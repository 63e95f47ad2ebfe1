import { type Path, quote, type Stretch, suggester, type Suggester } from '../../../text/index.ts'
import type { BoardRead } from './flow.ts'
import { askedOfCaller, type Before } from './call.ts'
import { isDecided } from './condition.ts'
import { demandOf, missing, NOTHING } from './demand.ts'
import { type Finding, trailText } from './finding.ts'
import { mentionsOfGuard, stretchOf } from './mentions.ts'
import { near } from './near.ts'
import type { Prover } from './prover.ts'
import { missedBy, type Moment } from './search.ts'
import type { Sheet, Stop } from './sheet.ts'
import { type Before as Written, type Wanted, writtenBefore } from './written.ts'

/** A key that somebody cannot do without, and the moments at which it would be missed. */
interface Need extends Wanted {
  readonly moments: readonly Moment[]
  /** What needs it, for people: `node "pay"`. */
  readonly who: string
  readonly at: Path
  readonly part?: 'key'
  readonly within?: Stretch | undefined
  /** Declared by the node itself: what no path writes is `MISSING_REQUIRED_INPUT` already. */
  readonly declared?: 'here' | 'by the child' | undefined
}

/** What a called workflow cannot do without, and how it can come to miss it. */
interface ChildNeed {
  readonly key: string
  readonly nodeId: string
  /** Its contract says that the workflow provides it itself, and it does not. */
  readonly own: boolean
  readonly starts: readonly Before[]
}

/** Needs of one child that its callers are asked about. */
const MOST_NEEDS = 2000
/** Calls inside calls whose needs are looked into. */
const DEEPEST = 40

/** Finds reads of keys that some path to them does not write, across calls. */
export class Reads {
  readonly #prover: Prover
  readonly #needs = new Map<Sheet, readonly ChildNeed[]>()
  #depth = 0

  constructor(prover: Prover) {
    this.#prover = prover
  }

  /** What a run that starts by itself can miss. Keys that nothing here writes and nobody declares are taken to be inputs. */
  findings(sheet: Sheet): Finding[] {
    const needs = sheet.stops.flatMap((stop, place) =>
      stop.linked ? [...ownNeeds(sheet, stop, place), ...this.#ofCall(sheet, stop, place)] : [],
    )
    const written = writtenBefore(this.#prover, sheet, needs, true)
    let names: Suggester | undefined
    const meant = (key: string): string | undefined => near(key, (names ??= suggester(sheet.names())))
    const told = new Set<string>()
    return needs.flatMap((need, i) => {
      const before = written[i]
      const id = `${need.place} ${need.key}`
      if (before === undefined || before === 'surely' || told.has(id)) return []
      const finding = this.#judge(sheet, need, before, meant)
      if (finding === undefined) return []
      told.add(id)
      return [finding]
    })
  }

  #judge(sheet: Sheet, need: Need, before: Written, meant: (key: string) => string | undefined): Finding | undefined {
    const { place, key, declared } = need
    const nodeId = sheet.stops[place]?.id ?? ''
    const { at: path, part, who, within } = need
    const common = { nodeId, key, path, within, ...(part === undefined ? {} : { part }) }
    if (before === 'never' && declared === 'here') return undefined
    if (before === 'unknown') return undefined
    if (before === 'never' && declared === 'by the child' && !sheet.inherits(key)) {
      const fix = `write ${quote(key)} before, hand it down with "inputMap", or declare it in the child as "inherited": true`
      return {
        ...common,
        rule: 'MISSING_CALL_INPUT',
        message: `${who} needs ${quote(key)}, which nothing here provides`,
        fix,
        guess: () => meant(key),
      }
    }
    // A return that never comes is told of where it is named.
    if (before === 'never' && sheet.callsFor(key).some((call) => call.place < place || (call.place === place && need.entered !== true)))
      return undefined
    // What nothing here writes is an input, unless the contracts say that it is not.
    if (before === 'never' && !sheet.isAbsentAtFirst(key)) return undefined
    const answer = this.#prover.reachesAny(sheet, need.moments, 'shown')
    if (answer.verdict !== 'yes') return undefined
    const trail = trailText(sheet, answer.trail)
    return {
      ...common,
      rule: 'READ_BEFORE_WRITE',
      ...(before === 'perhaps' ? { onSomePaths: true } : {}),
      message: `${who} reads ${quote(key)}, which ${before === 'never' ? 'nothing before it writes' : 'some path to it does not write'}`,
      note: `not written on ${trail}`,
      fix: 'write it on each path, give the read an "else", or declare the key as an input with "inherited": true if a caller gives it',
    }
  }

  /** What the child of a calling node needs and reads through to its caller. */
  #ofCall(sheet: Sheet, { invokes, id }: Stop, place: number): Need[] {
    const child = invokes === undefined ? undefined : this.#prover.sheetOf(invokes.workflowId)
    if (invokes === undefined || child === undefined) return []
    return this.#needsOf(child).flatMap(({ key, nodeId, own, starts }): Need[] => {
      const from = invokes.inputMap?.findLast(({ to }) => to === key)?.from ?? key
      const moments = starts.flatMap((start) =>
        askedOfCaller(invokes, start.demand, sheet.domain, NOTHING).map(
          (demand): Moment => ({ place, demand, entered: true, unsure: start.unsure }),
        ),
      )
      const who = `node ${quote(id)} calls ${quote(invokes.workflowId)}, whose node ${quote(nodeId)}`
      return [
        {
          place,
          key: from,
          entered: true,
          moments,
          who,
          at: ['nodes', id, 'invokes', 'workflowId'],
          ...(own ? { declared: 'by the child' } : {}),
        },
      ]
    })
  }

  #needsOf(sheet: Sheet): readonly ChildNeed[] {
    const known = this.#needs.get(sheet)
    if (known !== undefined) return known
    if (this.#depth >= DEEPEST) return []
    this.#depth++
    // A workflow that calls itself needs no more for it than it needs anyway.
    this.#needs.set(sheet, [])
    const needs = sheet.stops.flatMap((stop, place) =>
      stop.linked ? [...ownNeeds(sheet, stop, place, true), ...this.#ofCall(sheet, stop, place)] : [],
    )
    const written = writtenBefore(this.#prover, sheet, needs, false)
    const found = new Map<string, ChildNeed>()
    for (const [i, { key, place, moments, declared }] of needs.entries()) {
      const before = written[i]
      if (before === 'surely' || before === 'unknown' || found.size >= MOST_NEEDS) continue
      const own = declared !== undefined && before === 'never' && !sheet.inherits(key)
      if (found.get(key)?.own === true || (found.has(key) && !own)) continue
      const starts = this.#prover.startsOf(sheet, moments).filter(({ demand }) => demand.claims.get(key)?.absent === true)
      if (starts.length > 0) found.set(key, { key, nodeId: sheet.stops[place]?.id ?? '', own, starts })
    }
    const result = [...found.values()]
    this.#needs.set(sheet, result)
    this.#depth--
    return result
  }
}

/** What those who decide at a node, and the guards of its edges, cannot do without. `inherited`: also what callers provide. */
function ownNeeds(sheet: Sheet, stop: Stop, place: number, inherited = false): Need[] {
  const { id, node, flow } = stop
  const who = `node ${quote(id)}`
  const at = (key: string): readonly Moment[] => [{ place, demand: demandOf(missing(key)), unsure: false }]
  const declared = (node.inputs ?? []).flatMap((input, i): Need[] => {
    if (!input.required || (input.inherited === true && !inherited)) return []
    const mark = input.inherited === true ? {} : { declared: 'here' as const }
    return [{ place, key: input.key, moments: at(input.key), who, at: ['nodes', id, 'inputs', i, 'key'], ...mark }]
  })
  const read = (one: BoardRead, moments: (key: string) => readonly Moment[]): Need[] => {
    if (one.optional === true) return []
    const key = sheet.keyOf(one.path)
    return [{ place, key, moments: moments(key), who, at: ['nodes', id, ...one.at] }]
  }
  const spec = flow.reads.flatMap((one) => read(one, at))
  const ways = flow.ways.flatMap((way) =>
    way.reads.flatMap((one) =>
      read(one, (key) => {
        const before = missedBy(sheet, stop, way, key)
        return before === undefined ? [] : [{ place, demand: before, unsure: flow.unknown }]
      }),
    ),
  )
  return [...declared, ...spec, ...ways, ...guardNeeds(sheet, stop, place, at)]
}

/** Keys without which the expression of a guard fails, where its states cannot be tried out. */
function guardNeeds(sheet: Sheet, { id, leaving }: Stop, place: number, at: (key: string) => readonly Moment[]): Need[] {
  return leaving.flatMap((arc) => {
    const { edge, index } = arc
    const condition = sheet.condition(edge)
    if (isDecided(condition) || condition.needs.length === 0) return []
    const mentions = mentionsOfGuard(id, arc)
    const who = `the guard of edge ${quote(edge.id)}`
    return condition.needs.map((key): Need => {
      const read = mentions.find((mention) => mention.key === key)
      return { place, key, moments: at(key), who, at: ['edges', index, 'guard', 'expr'], within: read && stretchOf(read) }
    })
  })
}
