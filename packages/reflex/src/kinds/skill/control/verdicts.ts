import type { Host } from '../../../kernel/index.ts'
import type { GateSnapshot } from '../model/decision.ts'
import { type ControlClient, isDown, isRefusal } from './client.ts'
import { type PolicyCheck, policyVerdict, type PolicyVerdict } from './messages.ts'

/** A verdict of the control plane, as a decision has it. */
export type RemoteVerdict = NonNullable<GateSnapshot['remote']>

interface KeptVerdict extends PolicyVerdict {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
}

/** The most verdicts that are kept; the oldest leave first. */
const MOST_KEPT = 10_000

/**
 * The verdicts of a control plane, of one process. One that is fresh is taken without a question. While the control plane is down, an older
 * denial still counts, an older permission only for a skill that changes nothing outside, and without either the verdict is `unavailable`.
 */
export class Verdicts {
  readonly #client: ControlClient
  readonly #host: Pick<Host, 'monotonic'>
  readonly #kept = new Map<string, KeptVerdict>()

  constructor(client: ControlClient, host: Pick<Host, 'monotonic'>) {
    this.#client = client
    this.#host = host
  }

  /** Asks for an execution. `key`: the same for the same execution. Throws nothing. */
  async ask(question: PolicyCheck, { hasEffects, key }: { readonly hasEffects: boolean; readonly key: string }): Promise<RemoteVerdict> {
    const name = JSON.stringify(question)
    const kept = this.#kept.get(name)
    const age = kept === undefined ? Number.POSITIVE_INFINITY : (this.#host.monotonic() - kept.at) / 1000
    const { policyTtlS, staleIfDownS } = this.#client.settings
    if (kept !== undefined && age < Math.min(kept.ttl_s, policyTtlS)) return remote(kept, age)
    try {
      const { value } = await this.#client.request({ method: 'POST', path: '/v1/policy/check', body: question, key, answer: policyVerdict })
      if (value === undefined) return unavailable('it says that nothing has changed')
      this.#keep(name, { ...value, at: this.#host.monotonic() })
      return { verdict: value.verdict, reason: value.reason, cached: false, age_s: 0 }
    } catch (thrown) {
      if (isRefusal(thrown)) return unavailable(thrown.message)
      if (!isDown(thrown)) throw thrown
      const counts = kept !== undefined && age < staleIfDownS && (kept.verdict !== 'allow' || !hasEffects)
      return counts ? remote(kept, age) : unavailable(thrown.message)
    }
  }

  #keep(name: string, verdict: KeptVerdict): void {
    this.#kept.delete(name)
    this.#kept.set(name, verdict)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}

function remote({ verdict, reason }: KeptVerdict, age: number): RemoteVerdict {
  return { verdict, reason, cached: true, age_s: Math.floor(age) }
}

function unavailable(reason: string): RemoteVerdict {
  return { verdict: 'unavailable', reason, cached: false, age_s: 0 }
}
