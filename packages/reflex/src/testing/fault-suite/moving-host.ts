import { type VirtualHost, virtualHost } from '../../kernel/index.ts'

/** A still clock that can jump. Timers ignore jumps: they count the time that passes, as timers of a machine do. */
export class MovingHost implements VirtualHost {
  readonly #inner: VirtualHost
  #offset = 0
  #blocked = 0

  constructor(at: number | undefined, seed: number) {
    this.#inner = virtualHost({ seed, ...(at === undefined ? {} : { at }) })
  }

  jump(milliseconds: number): void {
    this.#offset += milliseconds
  }

  /** Lets time pass while the process does nothing, because it is stopped or one of its calls blocks. */
  block(milliseconds: number): void {
    this.#offset += milliseconds
    this.#blocked += milliseconds
  }

  now(): number {
    return this.#inner.now() + this.#offset
  }

  monotonic(): number {
    return this.#inner.monotonic() + this.#blocked
  }

  at(time: number, callback: () => void, background?: boolean): () => void {
    return this.#inner.at(time - this.#offset, callback, background)
  }

  get nextDue(): number | undefined {
    const { nextDue } = this.#inner
    return nextDue === undefined ? undefined : nextDue + this.#offset
  }

  entropy(): string {
    return this.#inner.entropy()
  }

  turn(callback: () => void): void {
    this.#inner.turn(callback)
  }

  advance(milliseconds: number): Promise<void> {
    return this.#inner.advance(milliseconds)
  }

  tick(): Promise<boolean> {
    return this.#inner.tick()
  }

  drain(turns?: number): Promise<void> {
    return this.#inner.drain(turns)
  }
}
