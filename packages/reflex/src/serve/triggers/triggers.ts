import type { Reflex } from '../../app/reflex.ts'
import type { Fault } from '../../kernel/index.ts'
import type { ServeMetrics } from '../metrics.ts'
import { RateLimit } from '../rate.ts'
import type { Hook, TriggerConfig } from './config.ts'
import { Scheduler } from './scheduler.ts'
import { Schedules } from './schedules.ts'

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

  constructor(reflex: Reflex, config: TriggerConfig, { metrics, onTrouble = () => undefined }: TriggerOptions) {
    this.hooks = config.hooks
    this.rates = new Map(Object.entries(config.hooks).map(([name, { rate }]) => [name, new RateLimit(rate, () => reflex.host.now())]))
    this.schedules = new Schedules(reflex, config.schedules)
    this.#scheduler = new Scheduler({ reflex, schedules: this.schedules, metrics, onTrouble })
  }

  subscriptions(): Promise<readonly object[]> {
    return Promise.resolve([])
  }

  start(): void {
    this.#scheduler.start()
  }

  /** Resolves when nothing of it is under way any more. */
  async stop(): Promise<void> {
    await this.#scheduler.stop()
  }
}
