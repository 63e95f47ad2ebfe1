import type { Host } from '../../../kernel/index.ts'

/** The scripts that one user may begin within a second (SEC-02). */
const MOST = 10
const WINDOW_MS = 1000

/** Limits how often scripts begin, for each user. Those above the limit wait in their order. */
export class ScriptRate {
  readonly #host: Pick<Host, 'now' | 'at'>
  /** The times at which the last scripts of a user begin, oldest first; some may be to come. */
  readonly #times = new Map<string, number[]>()

  constructor(host: Pick<Host, 'now' | 'at'>) {
    this.#host = host
  }

  /**
   * Resolves when a user may run a script. `onWait` is called with the number of scripts in the last second if it has to wait. Rejects with the
   * reason of an aborted signal; its place is not given to another script.
   */
  async take(user: string, signal: AbortSignal, onWait: (count: number) => void): Promise<void> {
    const now = this.#host.now()
    const times = (this.#times.get(user) ?? []).filter((time) => time > now - WINDOW_MS)
    const before = times.at(-MOST)
    const time = before === undefined ? now : Math.max(now, before + WINDOW_MS)
    this.#forgetOld(now)
    this.#times.set(user, [...times, time])
    if (time <= now) return
    onWait(times.length)
    await this.#until(time, signal)
  }

  #until(time: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.#host.at(time, resolve)
      signal.addEventListener(
        'abort',
        () => {
          stop()
          reject(signal.reason)
        },
        { once: true },
      )
    })
  }

  #forgetOld(now: number): void {
    for (const [user, times] of this.#times) if ((times.at(-1) ?? 0) <= now - WINDOW_MS) this.#times.delete(user)
  }
}
