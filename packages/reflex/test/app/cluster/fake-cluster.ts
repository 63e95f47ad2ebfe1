import {
  checkQueueName,
  type Cluster,
  type ClusterFacts,
  type ClusterPackage,
  noQueue,
  type QueueFacts,
  type QueueLimits,
  type RunPlace,
  type TurnFacts,
  type TurnOutcome,
  type WorkerParts,
} from '../../../src/store/index.ts'
import type { Store } from '../../../src/kernel/index.ts'
import type { VirtualHost } from '../../../src/testing/index.ts'

/** A cluster in this process over any store: it gives each due run to a worker that can run its program. */
export class FakeCluster implements ClusterPackage {
  /** The places of runs. */
  readonly places = new Map<string, RunPlace>()
  readonly workers: WorkerParts[] = []
  /** The turns, in the order in which they ended. */
  readonly turns: (readonly [run: string, worker: string, outcome: TurnOutcome])[] = []
  readonly addresses: string[] = []
  /** The calls to models and tools that asked for room. */
  readonly calls: string[] = []
  readonly made = new Map<string, QueueFacts>([['default', emptyQueue('default')]])
  /** What `facts` says beyond the queues. */
  said: Partial<ClusterFacts> = {}
  /** Resolves when there is room for calls. */
  room: Promise<void> = Promise.resolve()
  /** Resolves when workers end that were told to. */
  end: Promise<void> = Promise.resolve()
  /** What `turn` says of runs. */
  readonly waiting = new Map<string, TurnFacts>()
  readonly #store: Store
  readonly #host: VirtualHost
  readonly #underWay = new Set<string>()
  /** The runs that get a turn although nothing is due. */
  readonly #resumed = new Set<string>()

  constructor(store: Store, host: VirtualHost) {
    this.#store = store
    this.#host = host
  }

  async openCluster(address: string): Promise<Cluster> {
    this.addresses.push(address)
    return this.#cluster()
  }

  async findCluster(): Promise<Cluster> {
    return this.#cluster()
  }

  /** Gives every due run its turns, until nothing is due that a worker can take. */
  async settle(): Promise<void> {
    for (let found = true, round = 0; found && round < 50; round++) {
      found = false
      const due = new Set([...(await this.#store.due(this.#host.now())), ...this.#resumed])
      this.#resumed.clear()
      for (const run of due) found = (await this.#turn(run)) || found
      await this.#host.drain(20)
    }
  }

  async #turn(run: string): Promise<boolean> {
    const [, kind, rev] = (await this.#store.read(run, 0))?.row.program ?? []
    const refused = this.turns.filter(([of, , { did }]) => of === run && did === 'lacks').map(([, worker]) => worker)
    const parts = this.workers.find(({ can, worker }) => can.includes(`kind:${kind}@${rev}`) && !refused.includes(worker.id))
    if (parts === undefined || this.#underWay.has(run)) return false
    this.#underWay.add(run)
    const outcome = await parts.carry(run, this.places.get(run)?.queue ?? 'default')
    this.#underWay.delete(run)
    this.turns.push([run, parts.worker.id, outcome])
    return outcome.did !== 'failed'
  }

  #cluster(): Cluster {
    return {
      work: async (parts) => {
        this.workers.push(parts)
        parts.limitCalls({
          isLimited: () => true,
          enter: async (call) => {
            this.calls.push(`enter ${call}`)
            await this.room
            return () => void this.calls.push(`leave ${call}`)
          },
        })
        return {
          drain: async () => {
            await this.end
            this.workers.splice(this.workers.indexOf(parts), 1)
          },
        }
      },
      enlist: async (run, place) => {
        if (!this.made.has(place.queue ?? 'default')) throw noQueue(place.queue ?? 'default', [...this.made.keys()])
        this.places.set(run, place)
      },
      queues: async () => [...this.made.values()],
      setQueue: async (name, limits) => this.#setQueue(name, limits),
      removeQueue: async (name) => {
        if (!this.made.delete(name)) throw noQueue(name, [...this.made.keys()])
      },
      retry: async (run) => this.said.stuck?.some((one) => one.run === run) === true,
      resume: async (run) => {
        const { status } = (await this.#store.read(run, 0))?.row ?? {}
        if (status !== 'running' && status !== 'suspended') return false
        this.#resumed.add(run)
        return true
      },
      facts: async () => ({
        workers: [],
        waiting: [],
        missing: [],
        missingCount: 0,
        stuck: [],
        stuckCount: 0,
        crashing: [],
        crashingCount: 0,
        retrying: [],
        retryingCount: 0,
        ...this.said,
        queues: [...this.made.values()],
      }),
      turn: async (run) => this.waiting.get(run),
      close: async () => undefined,
    }
  }

  #setQueue(name: string, limits: QueueLimits): QueueFacts {
    checkQueueName(name)
    const { share, ...others } = limits
    const made = { ...(this.made.get(name) ?? emptyQueue(name)), ...others, ...(typeof share === 'number' ? { share } : {}) }
    this.made.set(name, made)
    return made
  }
}

function emptyQueue(name: string): QueueFacts {
  return {
    name,
    slots: null,
    tenantSlots: null,
    share: 0.8,
    rate: null,
    tenantRate: null,
    paused: false,
    waiting: 0,
    admitted: 0,
    begun: 0,
  }
}
