import type { Graph, GraphNode } from '../programs/graph.ts'
import type { PictureLine } from '../programs/kind-view.ts'
import { countCells } from '../text/index.ts'
import type { Follower, RunningNode } from './follower.ts'
import type { Row } from './layout.ts'
import type { Look } from './look.ts'
import { money, type TotalUsage, usageFacts } from './model-usage.ts'
import { duration } from './units.ts'
import { count } from '../protocol/plain.ts'

/** Facts about a run that are known when it begins. */
export interface ProgressFacts {
  /** The time at which this process began to continue the run, in milliseconds since the epoch. */
  readonly since: number
  /** True if another process carries the run on. */
  readonly isFollowed?: boolean
  /** Its usage so far. */
  readonly usage: () => TotalUsage
  /** Returns the nodes of its program with their states, if its kind draws them. */
  readonly picture?: ((now: number) => readonly PictureLine[]) | undefined
  /** Returns what it has done so far, for a kind whose programs do not go from node to node. */
  readonly soFar?: (() => readonly string[]) | undefined
  /** The graph of its program, if its kind has one, draws no picture, and goes from node to node. */
  readonly graph?: Graph | undefined
  /** The limits that the operator set. */
  readonly limits: Readonly<{ steps?: number; time?: number; tokens?: number; cost?: number }>
}

/**
 * Returns the running nodes, with those in branches and called programs below the node that started them; then the
 * nodes that certainly come next.
 */
export function runningRows(follower: Follower, about: ProgressFacts | undefined, now: number): Row[] {
  const running = treeOrder([...follower.running.values()])
  return [...running.map((one) => rowOf(one, now)), ...nextRow(follower, running, about?.graph)]
}

function rowOf({ name, depth, since, activity, isAsking, isWaiting, spent, branches }: RunningNode, now: number): Row {
  const text = branches === undefined ? activity : branchesText(branches)
  const facts = [duration(now - since), ...(spent.tokens === 0 ? [] : usageFacts(spent).slice(1, 2))]
  return { depth, node: name, mark: isAsking ? 'asks' : isWaiting ? 'waits' : 'running', facts, ...(text === '' ? {} : { text }) }
}

/** Returns the progress of branches: `1 of 3 in, quorum 2 of 3`. */
function branchesText({ all, endedCount: ended, rule }: NonNullable<RunningNode['branches']>): string {
  return `${ended} of ${all} in${rule === '' ? '' : `, ${rule}`}`
}

/** Orders nodes as a tree: each below the nearest running node above it, in the order in which they began. */
function treeOrder(running: readonly RunningNode[]): RunningNode[] {
  const above = (one: RunningNode): RunningNode | undefined =>
    running
      .filter((other) => other !== one && one.place.startsWith(`${other.place}/`))
      .reduce<RunningNode | undefined>(
        (nearest, other) => ((nearest?.place.length ?? -1) > other.place.length ? nearest : other),
        undefined,
      )
  const below = (parent: RunningNode | undefined): RunningNode[] =>
    running.filter((one) => above(one) === parent).flatMap((one) => [one, ...below(one)])
  return below(undefined)
}

/** The most nodes ahead that are shown. */
const MOST_AHEAD = 6

/**
 * Returns the row `○ join  ○ merge, asks a person`: the nodes that certainly come, up to the first that has several
 * edges.
 */
function nextRow(follower: Follower, running: readonly RunningNode[], graph: Graph | undefined): Row[] {
  if (graph === undefined) return []
  const current = running.filter(({ depth, branch }) => depth === 0 || branch !== undefined).map(({ node }) => node)
  const known = new Set([...current, ...follower.ended])
  const ahead = current.flatMap((node) => nodesAhead(node, graph)).filter(({ id }) => !known.has(id))
  const [first, ...rest] = [...new Map(ahead.map((node) => [node.id, node])).values()].slice(0, MOST_AHEAD)
  if (first === undefined) return []
  return [{ depth: 0, mark: 'open', node: aheadName(first), ...(rest.length === 0 ? {} : { nextNodes: rest.map(aheadName) }) }]
}

function nodesAhead(from: string, { nodes, edges }: Graph): GraphNode[] {
  const found: GraphNode[] = []
  let at = from
  for (let i = 0; i < MOST_AHEAD; i++) {
    const targets = new Set(edges.flatMap(({ from: source, to }) => (source === at ? [to] : [])))
    const [only] = targets
    const node = targets.size === 1 ? nodes.find(({ id }) => id === only) : undefined
    if (node === undefined || found.includes(node)) break
    found.push(node)
    at = node.id
  }
  return found
}

function aheadName({ id, form }: GraphNode): string {
  return form === 'question' ? `${id}, asks a person` : id
}

/**
 * Returns `9.2 s · 2 of 6 stages · $0.040 of $2 · ctrl-c leaves it resumable`: the facts that fit on one line. The hint
 * has priority.
 */
export function footer({ ended }: Follower, about: ProgressFacts | undefined, now: number, look: Look): string[] {
  const hint = about?.isFollowed === true ? 'ctrl-c stops following it' : 'ctrl-c leaves it resumable'
  if (about === undefined) return [look.paint('dim', look.text(hint))]
  const { since, usage, graph, limits, soFar } = about
  const nodes = graph?.nodes.filter(({ still }) => still !== true) ?? []
  const done = nodes.filter(({ id }) => ended.has(id)).length
  const facts = [
    ofLimit(duration(now - since), limits.time === undefined ? undefined : duration(limits.time)),
    ...(soFar?.() ?? (nodes.length < 2 ? [] : [`${done} of ${nodes.length} stages`])),
    ...limitFacts(usage(), limits),
    hint,
  ]
  while (facts.length > 1 && countCells(facts.join(' · ')) > look.room) facts.splice(facts.length > 2 ? 1 : 0, 1)
  return [look.paint('dim', look.text(facts.join(' · ')))]
}

function limitFacts({ usd, tokens, unpriced }: TotalUsage, { cost, tokens: most }: ProgressFacts['limits']): string[] {
  const isUnpriced = tokens > 0 && unpriced === tokens
  const limit = cost === undefined ? undefined : money(cost)
  const spent = isUnpriced && cost === undefined ? [] : [ofLimit(isUnpriced ? 'unpriced' : money(usd), limit)]
  return [
    ...(tokens === 0 && cost === undefined ? [] : spent),
    ...(most === undefined && unpriced === 0 ? [] : [`${ofLimit(count(tokens), most === undefined ? undefined : count(most))} tok`]),
  ]
}

function ofLimit(used: string, most: string | undefined): string {
  return most === undefined ? used : `${used} of ${most}`
}
