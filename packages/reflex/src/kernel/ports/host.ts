/**
 * The only door to time and randomness. A run never calls it while it decides: the time of a step is that
 * of the last recorded input, and random draws derive from the seed and the record number.
 */
export interface Host {
  /** Milliseconds since the epoch, whole. */
  now(): number
  /** Milliseconds since some fixed moment. Nobody sets this clock; it may stand still while the machine sleeps. */
  monotonic(): number
  /** 128 bits from the outside, as 32 hexadecimal digits: seeds and trace ids. */
  entropy(): string
  /** Calls back in the next turn of the event loop, after what is already due. */
  turn(callback: () => void): void
  /**
   * Calls back once `now()` has reached `time`, or as much time has gone by as there was until then: after the clock was
   * set back, `now()` may still be before it. The returned function calls it off. What happens in the background does not
   * keep the process alive.
   */
  at(time: number, callback: () => void, background?: boolean): () => void
}

/** A machine that sleeps stops its timers and not its clock, so the clock is looked at again at least this often, in milliseconds. */
const MAX_TIMER_MS = 10_000

/** The machine's own clock and randomness. Works in Node and in browsers. */
export const systemHost: Host = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  entropy: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  turn: 'setImmediate' in globalThis ? (callback) => void setImmediate(callback) : (callback) => void setTimeout(callback, 0),
  at(time, callback, background = false) {
    let timer: ReturnType<typeof setTimeout>
    let left = time - Date.now()
    const arm = () => {
      const next = Math.min(Math.max(left, 0), MAX_TIMER_MS)
      left -= next
      timer = setTimeout(() => (left <= 0 || Date.now() >= time ? callback() : arm()), next)
      // A browser's timers are numbers, and keep nothing alive.
      if (background && typeof timer === 'object') timer.unref()
    }
    arm()
    return () => clearTimeout(timer)
  },
}
