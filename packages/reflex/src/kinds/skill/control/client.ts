import type { z } from 'zod'
import { type Fault, type Host, isFault, type Json } from '../../../kernel/index.ts'
import { guardedFetch } from '../../../models/index.ts'
import { faults } from './faults.ts'
import { failure } from './messages.ts'
import type { ControlSettings } from './settings.ts'

/** After so many failures in a row nothing is asked for a while. */
const FAILURES = 3
/** Milliseconds until it is tried again. */
const PROBE_AFTER = 30_000
/** The most characters of a message of the control plane that are passed on. */
const MOST_SAID = 300

/** What a client needs of its host. */
export interface ControlWorld {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'at'>
  /** Hears once when the control plane stops to answer, and once when it answers again. */
  readonly report: (fault: Fault) => void
}

export interface ControlRequest<Schema extends z.ZodType> {
  readonly method: 'GET' | 'POST'
  /** The path with its query: `/v1/policy/check`. */
  readonly path: string
  readonly body?: unknown
  /** The same for the same question: a repeated request is answered as the first. */
  readonly key?: string
  readonly etag?: string | undefined
  /** The form of the answer. */
  readonly answer: Schema
}

/** An answer; without a value it is that nothing has changed. */
export interface ControlAnswer<Value> {
  readonly value?: Value
  readonly etag?: string
}

/**
 * Asks a control plane: one try, a limit of time, no redirect. After three failures in a row it is left alone for 30 seconds, and then one
 * request tries again (reference skill 1.25).
 */
export class ControlClient {
  readonly settings: ControlSettings
  readonly #world: ControlWorld
  #failures = 0
  #probeAt = 0

  constructor(settings: ControlSettings, world: ControlWorld) {
    this.settings = settings
    this.#world = world
  }

  /** Makes a request. Throws `R2170` for no answer and `R2172` for one that refuses. */
  async request<Schema extends z.ZodType>(request: ControlRequest<Schema>): Promise<ControlAnswer<z.output<Schema>>> {
    const { host } = this.#world
    if (this.#failures >= FAILURES) {
      if (host.monotonic() < this.#probeAt) throw this.#down('it has failed three times in a row, and is asked again later')
      // The others wait for what this one finds.
      this.#probeAt = host.monotonic() + PROBE_AFTER
    }
    try {
      const answer = await this.#send(request)
      this.#answers()
      return answer
    } catch (thrown) {
      if (isRefusal(thrown)) this.#answers()
      else if (isDown(thrown)) this.#fails(thrown)
      throw thrown
    }
  }

  async #send<Schema extends z.ZodType>({ method, path, body, key, etag, answer }: ControlRequest<Schema>) {
    const { url, token, timeoutMs } = this.settings
    const { host } = this.#world
    const stop = new AbortController()
    const cancel = host.at(host.now() + timeoutMs, () => stop.abort(), true)
    try {
      const response = await guardedFetch(`${url}${path}`, {
        method,
        signal: stop.signal,
        headers: {
          accept: 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(etag === undefined ? {} : { 'if-none-match': etag }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (response.status === 304) return {}
      const said = jsonOf(await response.text())
      if (response.status >= 400 && response.status < 500) throw refusal(response.status, said)
      if (!response.ok) throw this.#down(`it answered ${response.status}`)
      const read = answer.safeParse(said)
      if (!read.success) throw this.#down('its answer is not of the form that was agreed')
      const tag = response.headers.get('etag')
      return { value: read.data, ...(tag === null ? {} : { etag: tag }) }
    } catch (thrown) {
      if (isDown(thrown) || isRefusal(thrown)) throw thrown
      throw this.#down(stop.signal.aborted ? `it took longer than ${timeoutMs} ms` : messageOf(thrown), thrown)
    } finally {
      cancel()
    }
  }

  #answers(): void {
    const wasDown = this.#failures > 0
    this.#failures = 0
    if (wasDown) this.#world.report(faults.finding('R2171', `${hostOf(this.settings)} answers again`, {}))
  }

  #fails(fault: Fault): void {
    this.#failures++
    this.#probeAt = this.#world.host.monotonic() + PROBE_AFTER
    if (this.#failures === 1) this.#world.report(faults.finding('R2170', fault.message, { severity: 'warning' }))
  }

  #down(why: string, cause?: unknown): Fault {
    return faults.make('R2170', `${hostOf(this.settings)} does not answer: ${why}`, { cause })
  }
}

/** True for no answer. */
export function isDown(thrown: unknown): thrown is Fault {
  return isFault(thrown) && thrown.code === 'R2170'
}

/** True for an answer that refuses. */
export function isRefusal(thrown: unknown): thrown is Fault {
  return isFault(thrown) && thrown.code === 'R2172'
}

/** The server alone: the rest of an address can hold a secret. */
function hostOf({ url }: ControlSettings): string {
  return new URL(url).host
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function refusal(status: number, said: Json | undefined): Fault {
  const read = failure.safeParse(said)
  const why = read.success ? `${read.data.error.code}: ${read.data.error.message}`.slice(0, MOST_SAID) : 'it does not say why'
  return faults.make('R2172', `the control plane answered ${status}: ${why}`, { data: { status } })
}

function messageOf(thrown: unknown): string {
  const { cause } = thrown instanceof Error ? thrown : {}
  if (cause instanceof Error && cause.message !== '') return cause.message
  return thrown instanceof Error ? thrown.message : 'it cannot be reached'
}
