/** Leaves the room of a call. A second call of it does nothing. */
export type Leave = () => void

/**
 * Limits the calls under way of all processes together, by what they use, such as `tool:refund` (`Traits.uses`). The runtime asks it before a call begins:
 * a call without room has not begun, and its run continues beside it. A replay asks nobody.
 */
export interface Admission {
  /** True if calls that use this may have to wait. Asked before each of them, so it answers from memory. */
  isLimited(use: string): boolean
  /**
   * Waits for room for one call, and resolves with a function that leaves it. Rejects when the signal is aborted. Any other rejection fails the
   * call, so an implementation does not reject while its server is away: it asks again.
   */
  enter(use: string, signal: AbortSignal): Promise<Leave>
}
