import type { Change } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { FindDefinition } from '../../../programs/kind-view.ts'
import type { NodeStatus } from '../tick/node-states.ts'
import { recordNodes } from './record-nodes.ts'

/** A node whose status has changed, with the record in which it did. */
export interface HistoryEntry {
  readonly record: number
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  readonly tree_id: string
  readonly node_path: string
  readonly status: NodeStatus
  /** The event of the record: a message, a time, or the end of an operation. */
  readonly event_type: string
}

export interface HistoryQuery {
  readonly node?: string
  readonly status?: string
  readonly limit?: number
  readonly offset?: number
}

/** What a node has done so far. */
export interface NodeStatistics {
  readonly runs: number
  readonly successes: number
  readonly failures: number
  /** The milliseconds of its completed times of RUNNING. */
  readonly running_ms: number
  readonly average_ms: number
  readonly last_failure?: number
}

/** The newest changes of statuses of a tree, and the statistics of its nodes. It is fed with the records of a run, live or stored. */
export class TreeHistory {
  readonly #most: number
  readonly #ring: HistoryEntry[] = []
  readonly #nodes = new Map<
    string,
    { runs: number; successes: number; failures: number; ms: number; since?: number; lastFailure?: number }
  >()

  constructor(most = 100) {
    this.#most = most
  }

  /** Adds a record of the tree, as observers of a run and readers of a stored one get it. */
  add(change: Change<CompiledTree>, definition: FindDefinition): void {
    const { n, at, record, def } = change
    for (const { node, before, status } of recordNodes(change, definition)) {
      if (status === before) continue
      this.#count(node.path, status, at)
      const entry = { record: n, timestamp: at, tree_id: def.id, node_path: node.path, status, event_type: record.input?.[0] ?? 'tick' }
      this.#ring.push(entry)
      if (this.#ring.length > this.#most) this.#ring.shift()
    }
  }

  #count(path: string, status: NodeStatus, at: number): void {
    const node = this.#nodes.get(path) ?? { runs: 0, successes: 0, failures: 0, ms: 0 }
    this.#nodes.set(path, node)
    if (status === 'RUNNING') {
      node.runs++
      node.since = at
      return
    }
    if (node.since !== undefined) node.ms += at - node.since
    else if (status !== 'FRESH') node.runs++
    delete node.since
    if (status === 'SUCCESS') node.successes++
    if (status === 'FAILURE') {
      node.failures++
      node.lastFailure = at
    }
  }

  /** Returns changes, the newest first. */
  query({ node, status, limit = this.#most, offset = 0 }: HistoryQuery = {}): HistoryEntry[] {
    const found = this.#ring.filter(
      (one) => (node === undefined || one.node_path === node) && (status === undefined || one.status === status),
    )
    return found.toReversed().slice(offset, offset + limit)
  }

  statistics(path: string): NodeStatistics {
    const { runs, successes, failures, ms, lastFailure } = this.#nodes.get(path) ?? { runs: 0, successes: 0, failures: 0, ms: 0 }
    return {
      runs,
      successes,
      failures,
      running_ms: ms,
      average_ms: runs === 0 ? 0 : ms / runs,
      ...(lastFailure === undefined ? {} : { last_failure: lastFailure }),
    }
  }
}
