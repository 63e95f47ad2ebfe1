import type { TreeNode } from '../manifest/behaviour.ts'
import type { TreeClock } from './memory-run.ts'

/** Live statistics of the nodes of a tree: how often they were ticked, and how long the last tick of each took. */
export class Visits {
  readonly #clock: Pick<TreeClock, 'now'>
  readonly #counts = new Map<number, number>()
  readonly #durations = new Map<number, number>()
  /** The nodes around the one that is ticked, with the time at which each began. */
  readonly #open: { readonly node: TreeNode; readonly since: number }[] = []
  #visited: TreeNode[] = []

  constructor(clock: Pick<TreeClock, 'now'>) {
    this.#clock = clock
  }

  /** The nodes that the last tick has ticked, in its order. */
  get visited(): readonly TreeNode[] {
    return this.#visited
  }
  count(index: number): number {
    return this.#counts.get(index) ?? 0
  }
  /** Milliseconds. */
  duration(index: number): number {
    return this.#durations.get(index) ?? 0
  }

  begin(): void {
    this.#visited = []
  }

  visit(node: TreeNode): void {
    const now = this.#clock.now()
    while (this.#open.length > 0 && !isBelow(node, this.#open.at(-1)?.node)) this.#close(now)
    // A tick that continues at a leaf has visited it already.
    if (this.#open.at(-1)?.node === node) return
    this.#open.push({ node, since: now })
    this.#counts.set(node.index, this.count(node.index) + 1)
    this.#visited.push(node)
  }

  end(): void {
    const now = this.#clock.now()
    while (this.#open.length > 0) this.#close(now)
  }

  #close(now: number): void {
    const last = this.#open.pop()
    if (last !== undefined) this.#durations.set(last.node.index, now - last.since)
  }
}

/** True for a node and those below it. */
function isBelow(node: TreeNode, top: TreeNode | undefined): boolean {
  for (let at: TreeNode | undefined = node; at !== undefined; at = at.parent) if (at === top) return true
  return false
}
