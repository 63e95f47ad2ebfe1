import { isObject } from '../../../../kernel/index.ts'
import { type Outcome, outcomeProblem, readOutcome, refusal } from '../../contract/outcome.ts'
import { parseJson } from '../../language/parse-json.ts'

/**
 * Returns the outcome of a stage whose command has written a `status.json`: its fields win over the handler's outcome, and its
 * notes are appended. An unreadable file fails the stage, and `auto_status` does not change that (reference pipeline 6.4).
 */
export function withStatus(outcome: Outcome, text: string | undefined): Outcome {
  if (text === undefined) return outcome
  const parsed = parseJson(text)
  if (isObject(parsed) && parsed['written_by'] === 'engine') return outcome
  const stated = readOutcome(parsed)
  const problem = parsed === undefined ? 'it is not JSON' : outcomeProblem(parsed)
  if (stated === undefined || problem !== undefined)
    return refusal(`invalid status file: ${problem ?? 'it is not an outcome'}`, { ...updatesOf(outcome), written: true })
  const { failure_reason: found, retryable, notes, context_updates, ...rest } = outcome
  const isBad = stated.status === 'fail' || stated.status === 'retry'
  const allNotes = [notes, stated.notes].filter((note) => note !== undefined)
  return {
    ...rest,
    ...(isBad && found !== undefined ? { failure_reason: found } : {}),
    ...(isBad && retryable !== undefined ? { retryable } : {}),
    ...stated,
    ...(context_updates === undefined && stated.context_updates === undefined
      ? {}
      : { context_updates: { ...context_updates, ...stated.context_updates } }),
    ...(allNotes.length === 0 ? {} : { notes: allNotes.join('\n') }),
    written: true,
  }
}

function updatesOf({ context_updates }: Outcome): Pick<Outcome, 'context_updates'> {
  return context_updates === undefined ? {} : { context_updates }
}
