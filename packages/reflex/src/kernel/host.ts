/**
 * The only door to time and randomness. A run never calls it while it decides: the time of a step is that
 * of the last recorded input, and random draws derive from the seed and the record number.
 */
export interface Host {
  /** Milliseconds since the epoch, whole. */
  now(): number
  /** 128 bits from the outside, as 32 hexadecimal digits: seeds and trace ids. */
  entropy(): string
  /** Calls back in the next turn of the event loop, after what is already due. */
  turn(callback: () => void): void
  /**
   * Calls back once `now()` has reached `time`; the returned function calls it off. What happens in the background
   * does not keep the process alive.
   */
  at(time: number, callback: () => void, background?: boolean): () => void
}

const LONGEST_TIMEOUT = 2 ** 31 - 1

/** The machine's own clock and randomness. Works in Node and in browsers. */
export const systemHost: Host = {
  now: () => Date.now(),
  entropy: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  turn: 'setImmediate' in globalThis ? (callback) => void setImmediate(callback) : (callback) => void setTimeout(callback, 0),
  at(time, callback, background = false) {
    let timer: ReturnType<typeof setTimeout>
    const arm = () => {
      const left = time - Date.now()
      timer = setTimeout(left > LONGEST_TIMEOUT ? arm : callback, Math.min(Math.max(left, 0), LONGEST_TIMEOUT))
      // A browser's timers are numbers, and keep nothing alive.
      if (background && typeof timer === 'object') timer.unref()
    }
    arm()
    return () => clearTimeout(timer)
  },
}
