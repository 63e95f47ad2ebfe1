import { type Call, isFault, isInterruption, type Json, type Redactor } from '../../../kernel/index.ts'
import { redactedFault } from '../../../models/index.ts'
import type { RunSettings } from '../../../policy/index.ts'

/** What a port does. */
export type Perform = (call: Call<RunSettings>) => Promise<Json>

/** Returns a `perform` whose results and failures have no text that looks like a secret. */
export function withoutSecrets(act: Perform, redact: Redactor): Perform {
  return async (call) => {
    try {
      return redact(await act(call))
    } catch (thrown) {
      if (isFault(thrown)) throw redactedFault(thrown, redact)
      const text = thrown instanceof Error ? thrown.message : thrown
      if (typeof text !== 'string' || isInterruption(thrown)) throw thrown
      const message = redact(text)
      throw message === text || typeof message !== 'string' ? thrown : new Error(message)
    }
  }
}
