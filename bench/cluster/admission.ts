import type { QueueLimits } from './settings.ts'
import type { Turn } from './turns.ts'
import { WaitingLine } from './waiting-line.ts'

/** The part of all slots of which every tenant may take any, if the queue does not state another. */
const SHARE = 0.8
/** The slots that a tenant leaves free for each of its turns above an equal part, until the others' part of the slots is free. */
const LEFT_FREE = 2
/** The most turns that take the place of one that ended, and that a bite of a tick admits of each queue. */
const AT_END = 4
export const AT_TICK = 64

interface Tenant {
  readonly line: WaitingLine
  /** Its turns that are admitted and have not ended. */
  used: number
}

interface Queue {
  readonly limits: QueueLimits
  readonly tenants: Map<string, Tenant>
  used: number
  /** The turns that the rate allows now, and the time at which they were counted. */
  tokens: { readonly count: number; readonly at: number }
}

/**
 * Decides which turns are admitted: of each queue as many as living workers have slots, within its limits. Of those that wait, the lowest
 * number of priority goes first, then the tenant with the fewest admitted turns, then the oldest. A tenant with more than
 * an equal part of the slots leaves two free for each turn above it, until the part that is kept for others is free.
 */
export class Admission {
  readonly #queues = new Map<string, Queue>()
  #used = 0
  #waiting = 0

  constructor(limits: Readonly<Record<string, QueueLimits>>) {
    for (const [name, one] of Object.entries(limits))
      this.#queues.set(name, { limits: one, tenants: new Map(), used: 0, tokens: { count: one.rate?.most ?? 0, at: 0 } })
  }

  get waiting(): number {
    return this.#waiting
  }

  /** The turns that are admitted and have not ended. */
  get used(): number {
    return this.#used
  }

  /** Admits a turn that has become due if there is room; otherwise it waits. Returns true if it is admitted. */
  due(turn: Turn, now: number, room: number): boolean {
    const [queue, tenant] = [this.#queueOf(turn), this.#tenantOf(turn)]
    if (mayAdmit(queue, now, room) && mayTake(queue, tenant, room)) {
      this.#take(queue, tenant, now)
      return true
    }
    tenant.line.add(turn)
    this.#waiting++
    return false
  }

  /** Gives the room of a turn that has ended back. Returns the turns of its queue that are admitted in its place. */
  release(turn: Turn, now: number, room: number): readonly Turn[] {
    const queue = this.#queueOf(turn)
    queue.used--
    this.#tenantOf(turn).used--
    this.#used--
    return this.#next(queue, now, room, AT_END)
  }

  /** Returns the turns that a tick admits. */
  tick(now: number, room: number): readonly Turn[] {
    return [...this.#queues.values()].flatMap((queue) => this.#next(queue, now, room, AT_TICK))
  }

  #next(queue: Queue, now: number, room: number, most: number): readonly Turn[] {
    const turns: Turn[] = []
    while (turns.length < most && mayAdmit(queue, now, room)) {
      const tenant = first([...queue.tenants.values()].filter((one) => one.line.size > 0 && mayTake(queue, one, room)))
      const turn = tenant?.line.take()
      if (tenant === undefined || turn === undefined) break
      this.#take(queue, tenant, now)
      this.#waiting--
      turns.push(turn)
    }
    return turns
  }

  #take(queue: Queue, tenant: Tenant, now: number): void {
    if (queue.limits.rate !== undefined) queue.tokens = { count: tokensOf(queue, now) - 1, at: now }
    queue.used++
    tenant.used++
    this.#used++
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
    const tenant = tenants.get(name) ?? { line: new WaitingLine(), used: 0 }
    tenants.set(name, tenant)
    return tenant
  }
}

function mayAdmit(queue: Queue, now: number, room: number): boolean {
  const { slots = room, pauses = [], rate } = queue.limits
  if (queue.used >= Math.min(room, slots) || pauses.some(({ from, to }) => from <= now && now < to)) return false
  return rate === undefined || tokensOf(queue, now) >= 1
}

function tokensOf({ limits: { rate }, tokens }: Queue, now: number): number {
  return rate === undefined ? 0 : Math.min(rate.most, tokens.count + ((now - tokens.at) * rate.most) / rate.perMs)
}

/** The rule of fairness: `may_take` in `packages/cluster/src/sql/admission.ts`. */
function mayTake(queue: Queue, tenant: Tenant, room: number): boolean {
  const { slots = room, tenantSlots = room, share = SHARE } = queue.limits
  const all = Math.min(room, slots)
  if (tenant.used >= tenantSlots) return false
  const others = [...queue.tenants.values()].filter((one) => one !== tenant && one.used > 0).length
  const above = Math.max(0, tenant.used + 1 - all / (others + 2))
  const kept = all - Math.max(1, Math.floor(all * share + 1e-9))
  return queue.used + Math.min(kept, above * LEFT_FREE) < all
}

/** Returns the tenant whose turn goes first. */
function first(tenants: readonly Tenant[]): Tenant | undefined {
  return tenants.reduce<Tenant | undefined>((best, one) => (best === undefined || goesBefore(one, best) ? one : best), undefined)
}

function goesBefore(one: Tenant, other: Tenant): boolean {
  const priority = one.line.priority - other.line.priority
  return priority < 0 || (priority === 0 && one.used < other.used)
}
