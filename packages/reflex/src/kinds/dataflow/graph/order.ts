/** The order of the nodes of a graph, and those that no order has: nodes of cycles and nodes after them. */
export interface Order {
  readonly order: readonly number[]
  readonly rest: readonly number[]
}

/**
 * Returns the canonical order of the nodes `n0` to `n<count - 1>`: of those that are ready, the one whose id is smallest as text comes
 * first, so `n10` comes before `n2` (reference 4.2). `next[i]` are the nodes after node `i`, one entry for each edge. Takes
 * O((n + e) log n).
 */
export function canonicalOrder(next: readonly (readonly number[])[]): Order {
  const byRank = textOrder(next.length)
  const ranks = new Int32Array(next.length)
  for (const [rank, node] of byRank.entries()) ranks[node] = rank
  const waiting = new Int32Array(next.length)
  for (const after of next) for (const node of after) waiting[node] = (waiting[node] ?? 0) + 1
  const ready = new Heap()
  for (const [rank, node] of byRank.entries()) if (waiting[node] === 0) ready.push(rank)
  const order: number[] = []
  for (let rank = ready.pop(); rank !== undefined; rank = ready.pop()) {
    const node = byRank[rank] ?? 0
    order.push(node)
    for (const after of next[node] ?? []) {
      const left = (waiting[after] ?? 0) - 1
      waiting[after] = left
      if (left === 0) ready.push(ranks[after] ?? 0)
    }
  }
  return { order, rest: order.length === next.length ? [] : byRank.filter((node) => (waiting[node] ?? 0) > 0) }
}

/** Returns the numbers below `count` in the order of their decimal texts: 0, 1, 10, 100, 11, 2. */
export function textOrder(count: number): number[] {
  const list: number[] = []
  if (count > 0) list.push(0)
  for (let at = 1; list.length < count; ) {
    list.push(at)
    if (at * 10 < count) at *= 10
    else {
      while (at % 10 === 9 || at + 1 >= count) at = Math.floor(at / 10)
      at++
    }
  }
  return list
}

/** A binary heap: the smallest number comes first. */
class Heap {
  readonly #items: number[] = []

  push(item: number): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent] ?? 0
      if (above <= item) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (first === undefined || last === undefined || items.length === 0) return first
    let at = 0
    for (;;) {
      const left = at * 2 + 1
      const smaller = (items[left + 1] ?? Infinity) < (items[left] ?? Infinity) ? left + 1 : left
      const below = items[smaller]
      if (below === undefined || below >= last) break
      items[at] = below
      at = smaller
    }
    items[at] = last
    return first
  }
}
