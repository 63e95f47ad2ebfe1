import type { CountedLimits } from './machine/limits.ts'

/** The limits of a call of Lua. What is absent has the default of its purpose. */
export interface LuaLimits {
  /** The wall time in milliseconds, at most 30,000. It ends what no counter sees, by ending the worker. */
  readonly timeoutMs?: number | undefined
  /** Executed instructions, allocated units of 16 bytes and visited items together. By default 4,000 for each millisecond of the timeout. */
  readonly steps?: number | undefined
  /** Live memory of Lua in bytes. */
  readonly memoryBytes?: number | undefined
  /** What is returned and written in bytes. */
  readonly resultBytes?: number | undefined
}

/** What a call of Lua is for. */
export type LuaPurpose = 'load' | 'script' | 'condition'

/** The longest wall time of a call in milliseconds. Longer ones are shortened to it. */
export const MOST_TIMEOUT_MS = 30_000

/**
 * Steps for each millisecond of the timeout. A machine of 2026 executes some 100,000 in that time, so the counter, which is equal everywhere, ends
 * a call before the clock does on machines twenty times as slow.
 */
export const STEPS_PER_MS = 4_000

/** The wall time of a call in milliseconds. */
export const TIMEOUT_MS: Readonly<Record<LuaPurpose, number>> = { load: 5_000, script: 5_000, condition: 1_000 }

const MB = 1024 * 1024
/** Live memory in bytes. */
export const MEMORY_BYTES: Readonly<Record<LuaPurpose, number>> = { load: 50 * MB, script: 50 * MB, condition: 10 * MB }

/** What a call may return and write, in bytes. */
export const RESULT_BYTES = 8 * MB

/** The longest text of Lua in bytes of UTF-8. */
export const TEXT_BYTES = MB

/** The limits of a call with its defaults. */
export interface ResolvedLimits {
  readonly timeoutMs: number
  readonly counted: CountedLimits
}

/** Returns the limits of a call: the given ones, shortened to what is allowed, and defaults. */
export function resolveLimits(purpose: LuaPurpose, limits: LuaLimits = {}): ResolvedLimits {
  const timeoutMs = Math.min(limits.timeoutMs ?? TIMEOUT_MS[purpose], MOST_TIMEOUT_MS)
  return {
    timeoutMs,
    counted: {
      steps: Math.min(limits.steps ?? Infinity, timeoutMs * STEPS_PER_MS),
      memoryBytes: Math.min(limits.memoryBytes ?? MEMORY_BYTES[purpose], MEMORY_BYTES.script),
      resultBytes: Math.min(limits.resultBytes ?? RESULT_BYTES, RESULT_BYTES),
    },
  }
}
