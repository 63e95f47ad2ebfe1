import type { QueueLimits } from './settings.ts'
import type { Turn } from './turns.ts'

/** The turns of a tenant that wait, by priority and then by age. */
class Line {
  #size = 0
  readonly #byPriority = new Map<number, { readonly turns: Turn[]; first: number }>()

  get size(): number {
    return this.#size
  }

  add(turn: Turn): void {
    const { priority = 0 } = turn.run.load
    const line = this.#byPriority.get(priority) ?? { turns: [], first: 0 }
    this.#byPriority.set(priority, line)
    line.turns.push(turn)
    this.#size++
  }

  take(): Turn | undefined {
    for (const priority of [...this.#byPriority.keys()].toSorted((a, b) => a - b)) {
      const line = this.#byPriority.get(priority)
      const turn = line?.turns[line.first]
      if (line === undefined || turn === undefined) continue
      line.first++
      this.#size--
      return turn
    }
    return undefined
  }
}

interface Tenant {
  readonly line: Line
  /** Its turns that are admitted and have not ended. */
  used: number
}

interface Queue {
  readonly limits: QueueLimits
  readonly tenants: Map<string, Tenant>
  used: number
  /** The beginning of the current period of the rate, and what was admitted in it. */
  period: { readonly number: number; admitted: number }
}

/**
 * Decides which turns are admitted: as many as living workers have slots, within the limits of their queue. Queues share by weight, the
 * tenants of a queue alike: the next turn is that of the tenant with the fewest admitted ones.
 */
export class Admission {
  readonly #queues = new Map<string, Queue>()
  #used = 0
  #waiting = 0

  constructor(limits: Readonly<Record<string, QueueLimits>>) {
    for (const [name, one] of Object.entries(limits))
      this.#queues.set(name, { limits: one, tenants: new Map(), used: 0, period: { number: -1, admitted: 0 } })
  }

  get waiting(): number {
    return this.#waiting
  }

  /** The turns that are admitted and have not ended. */
  get used(): number {
    return this.#used
  }

  add(turn: Turn): void {
    this.#tenantOf(turn).line.add(turn)
    this.#waiting++
  }

  /** Returns the next turn to be admitted, and counts it; undefined if none waits or there is no room. */
  next(now: number, window: number): Turn | undefined {
    if (this.#used >= window || this.#waiting === 0) return undefined
    const queues = [...this.#queues.values()].filter((queue) => mayAdmit(queue, now) && nextTenant(queue) !== undefined)
    const queue = least(queues, ({ used, limits: { share = 1 } }) => used / share)
    const tenant = queue === undefined ? undefined : nextTenant(queue)
    const turn = tenant?.line.take()
    if (queue === undefined || tenant === undefined || turn === undefined) return undefined
    queue.used++
    queue.period.admitted++
    tenant.used++
    this.#used++
    this.#waiting--
    return turn
  }

  /** Gives the room of a turn back. */
  release(turn: Turn): void {
    this.#queueOf(turn).used--
    this.#tenantOf(turn).used--
    this.#used--
  }

  #queueOf(turn: Turn): Queue {
    const { queue: name } = turn.run.load
    const queue = this.#queues.get(name)
    if (queue === undefined) throw new Error(`there is no queue ${name}`)
    return queue
  }

  #tenantOf(turn: Turn): Tenant {
    const { tenants } = this.#queueOf(turn)
    const { tenant: name } = turn.run.load
    const tenant = tenants.get(name) ?? { line: new Line(), used: 0 }
    tenants.set(name, tenant)
    return tenant
  }
}

function mayAdmit(queue: Queue, now: number): boolean {
  const { slots = Number.POSITIVE_INFINITY, pauses = [], rate } = queue.limits
  if (queue.used >= slots || pauses.some(({ from, to }) => from <= now && now < to)) return false
  if (rate === undefined) return true
  const number = Math.floor(now / rate.perMs)
  if (queue.period.number !== number) queue.period = { number, admitted: 0 }
  return queue.period.admitted < rate.most
}

function nextTenant({ limits: { tenantSlots = Number.POSITIVE_INFINITY }, tenants }: Queue): Tenant | undefined {
  return least(
    [...tenants.values()].filter(({ line, used }) => line.size > 0 && used < tenantSlots),
    ({ used }) => used,
  )
}

function least<Item>(items: readonly Item[], of: (item: Item) => number): Item | undefined {
  return items.reduce<Item | undefined>((best, item) => (best === undefined || of(item) < of(best) ? item : best), undefined)
}
