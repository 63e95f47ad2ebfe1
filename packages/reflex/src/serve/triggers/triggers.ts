import type { Reflex } from '../../app/reflex.ts'
import type { Fault } from '../../kernel/index.ts'
import type { ServeMetrics } from '../metrics.ts'
import { RateLimit } from '../rate.ts'
import type { Hook, TriggerConfig } from './config.ts'
import type { Pages } from '../pages.ts'
import { utc } from '../../protocol/plain.ts'
import { DeliveryMarks } from './delivery-marks.ts'
import { Outbox, type OutboxParts } from './outbox.ts'
import { Scheduler } from './scheduler.ts'
import { Schedules } from './schedules.ts'

/** A subscription as lists show it. */
export interface SubscriptionView {
  readonly name: string
  readonly url: string
  /** The runs with events that are not delivered. */
  readonly behind: number
}

export interface TriggerOptions {
  readonly metrics: ServeMetrics
  /** Receives faults that nobody waits for. */
  readonly onTrouble?: ((fault: Fault) => void) | undefined
}

/** The triggers of a server: what starts runs without a client, and what its runs send. */
export class Triggers {
  readonly hooks: Readonly<Record<string, Hook>>
  readonly rates: ReadonlyMap<string, RateLimit>
  readonly schedules: Schedules
  readonly #scheduler: Scheduler
  readonly #declared: TriggerConfig['subscriptions']
  readonly #reflex: Reflex
  readonly #options: Pick<OutboxParts, 'metrics' | 'onTrouble'>
  #outboxes: readonly Outbox[] = []

  constructor(reflex: Reflex, config: TriggerConfig, { metrics, onTrouble = () => undefined }: TriggerOptions) {
    this.hooks = config.hooks
    this.rates = new Map(Object.entries(config.hooks).map(([name, { rate }]) => [name, new RateLimit(rate, () => reflex.host.now())]))
    this.schedules = new Schedules(reflex, config.schedules)
    this.#reflex = reflex
    this.#declared = config.subscriptions
    this.#options = { metrics, onTrouble }
    this.#scheduler = new Scheduler({ reflex, schedules: this.schedules, metrics, onTrouble })
  }

  /** Returns the subscriptions with their last deliveries and failures. Secrets, and what their addresses carry, are left out. */
  async subscriptions(): Promise<readonly SubscriptionView[]> {
    return Promise.all(
      Object.entries(this.#declared).map(async ([name, { url, events, kind, program }]) => {
        const marks = new DeliveryMarks(this.#reflex, name)
        await marks.read()
        const { delivered, givenUp, last, failure } = marks.status
        const { origin, pathname } = new URL(url)
        return {
          name,
          url: `${origin}${pathname}`,
          events,
          kind,
          program,
          delivered,
          givenUp,
          behind: marks.behind.size,
          begun: marks.cursor !== undefined,
          ...(last === undefined ? {} : { last: { id: last.id, time: utc(last.time) } }),
          ...(failure === undefined ? {} : { failure: { ...failure, time: utc(failure.time) } }),
        }
      }),
    )
  }

  start(pages: Pages): void {
    this.#scheduler.start()
    const parts = { reflex: this.#reflex, pages, ...this.#options }
    this.#outboxes = Object.entries(this.#declared).map(([name, subscription]) => new Outbox(parts, name, subscription))
    for (const outbox of this.#outboxes) outbox.start()
  }

  /** Resolves when nothing of it is under way any more. */
  async stop(): Promise<void> {
    await Promise.all([this.#scheduler.stop(), ...this.#outboxes.map((outbox) => outbox.stop())])
  }
}
