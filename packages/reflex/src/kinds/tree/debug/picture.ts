import { isList, type Json } from '../../../kernel/index.ts'
import type { PictureLine } from '../../../programs/kind-view.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { type FindTree, type LaidNode, Layout } from '../compile/layout.ts'
import { type Breakpoint, debugState, isPaused } from '../tick/debug-state.ts'
import { failureTrace } from '../tick/failures.ts'
import { FRESH, HAS_FAILED, IS_RUNNING, SUCCEEDED } from '../tick/states.ts'
import { TreeState } from '../tick/tree-state.ts'
import { isInherited, nodeText } from './node-text.ts'

/** What a picture shows of a tree: the program, its position, its blackboard, and the time. */
export interface PicturedTree {
  readonly def: CompiledTree
  readonly position: Json | undefined
  readonly get: (key: string) => Json | undefined
  /** Finds the trees to which it refers. */
  readonly find: FindTree
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A node with its state at a record. */
export interface NodeState {
  readonly node: LaidNode
  readonly status: 'FRESH' | 'RUNNING' | 'SUCCESS' | 'FAILURE'
  /** True if the walk has stopped before it. */
  readonly isPaused: boolean
  /** The milliseconds for which it has been RUNNING, in the time of the tree. */
  readonly ms: number | undefined
  readonly depth: number
}

const STATUSES = { [FRESH]: 'FRESH', [IS_RUNNING]: 'RUNNING', [SUCCEEDED]: 'SUCCESS', [HAS_FAILED]: 'FAILURE' } as const

/** Returns the nodes of a tree in preorder with their states. Nodes above a leaf for which a tick has stopped are RUNNING. */
export function nodeStates({ def, position, find, now }: Pick<PicturedTree, 'def' | 'position' | 'find' | 'now'>): NodeState[] {
  if (!isList(position)) return []
  const state = new TreeState(new Layout(def, find))
  state.load(position)
  const active = new Set<number>()
  const open = state.open === undefined ? undefined : state.layout.nodes[state.open.index]
  for (let at = open; at !== undefined; at = at.parent) active.add(at.index)
  const stopped = isPaused(state) ? open?.index : undefined
  const statusOf = (node: LaidNode): NodeState['status'] =>
    active.has(node.index) && node.index !== stopped ? 'RUNNING' : (STATUSES[state.state(node) as keyof typeof STATUSES] ?? 'FRESH')
  const visit = (node: LaidNode, depth: number): NodeState[] => {
    const isRunning = state.state(node) === IS_RUNNING
    const ms = isRunning ? Math.max(0, state.timeAt(now) - state.since(node.index)) : undefined
    return [
      { node, status: statusOf(node), isPaused: node.index === stopped, ms, depth },
      ...node.children.flatMap((child) => visit(child, depth + 1)),
    ]
  }
  return visit(state.layout.root, 0)
}

const MARKS = { FRESH: 'open', RUNNING: 'running', SUCCESS: 'done', FAILURE: 'failed' } as const

/** Draws a tree with the states of its nodes: a mark, the id, the type or what a condition tests, a reason, and how long it has been RUNNING. */
export function treePicture(tree: PicturedTree): PictureLine[] {
  const { breaks = {}, forced = {} } = debugState(tree.get) ?? {}
  const { entries } = failureTrace(tree.get)
  return nodeStates(tree).map(({ node, status, isPaused: stops, ms, depth }) => {
    const failure = status === 'FAILURE' ? entries.findLast(({ node_path }) => node_path === node.path) : undefined
    const text = [
      failure === undefined || isInherited(failure.reason, node) ? nodeText(node) : failure.reason,
      ...(forced[node.path] === undefined ? [] : [`forced: ${forced[node.path]}`]),
      ...(breaks[node.path] === undefined ? [] : [breakText(breaks[node.path])]),
      ...(stops ? ['paused before it'] : []),
    ]
    return {
      depth,
      mark: stops ? 'waits' : MARKS[status],
      node: node.id,
      path: node.path,
      text: text.filter((part) => part !== '').join(' · '),
      ...(ms === undefined ? {} : { ms }),
    }
  })
}

function breakText(found: Breakpoint | undefined): string {
  if (found === undefined) return ''
  const { enabled, condition, hit_count } = found
  return `${enabled ? 'break' : 'break off'}${condition === undefined ? '' : ` when ${condition}`}${hit_count > 0 ? `, ${hit_count} ${hit_count === 1 ? 'hit' : 'hits'}` : ''}`
}
