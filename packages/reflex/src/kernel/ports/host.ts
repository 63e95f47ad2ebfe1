/**
 * The only access to time and randomness. A run never calls it while it decides: the time of a step is that of the last
 * recorded input, and random numbers derive from the seed and the record number.
 */
export interface Host {
  /** Returns milliseconds since the epoch, as a whole number. */
  now(): number
  /** Returns milliseconds since a fixed moment. Nobody sets this clock; it may stop while the machine sleeps. */
  monotonic(): number
  /** Returns 128 random bits as 32 hexadecimal digits, for seeds and trace ids. */
  entropy(): string
  /** Calls back in the next turn of the event loop, after everything that is already due. */
  turn(callback: () => void): void
  /**
   * Calls back when `now()` has reached `time`, or after the remaining time has passed: if the clock was set back, `now()` may
   * still be before `time`. The returned function cancels the callback. `background` callbacks do not keep the process alive.
   */
  at(time: number, callback: () => void, background?: boolean): () => void
}

/**
 * The longest timer in milliseconds. A machine in sleep mode stops its timers but not its clock, so the clock is checked at
 * least this often.
 */
const MAX_TIMER_MS = 10_000

/** The clock and the randomness of the machine. Works in Node and in browsers. */
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
      // Timers of browsers are numbers, and keep nothing alive.
      if (background && typeof timer === 'object') timer.unref()
    }
    arm()
    return () => clearTimeout(timer)
  },
}
