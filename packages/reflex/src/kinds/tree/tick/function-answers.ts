import { causeOf, type Fault, isFault, isList, isObject, type Json } from '../../../kernel/index.ts'
import type { FunctionAnswer } from '../compile/pure-functions.ts'
import { faults } from '../model/faults.ts'
import { CALLBACK } from '../nodes/conditions.ts'
import type { CodeResult, CodeWrite } from '../nodes/run-code.ts'

/** Returns the result of a function: a boolean of a condition, otherwise a status with its writes. Throws `R1254` for an answer of a condition that takes longer. */
export function functionResult(name: string, as: Json | undefined, answer: FunctionAnswer, writes: readonly CodeWrite[]): Json {
  if (as === 'condition') return conditionResult(name, answer)
  return { ...(as === CALLBACK ? {} : statusOf(answer)), ...(writes.length === 0 ? {} : { writes }) } as unknown as Json
}

/** The failure of a function that has thrown: its own message, without which nobody could act on it. */
export function functionFailed(name: string, thrown: unknown): Fault {
  if (isFault(thrown)) return thrown
  const cause = causeOf(thrown)
  return faults.make('R1254', `the function ${name} failed: ${typeof cause === 'string' ? cause : cause.message}`, { cause: thrown })
}

/** Returns the fault of a condition that does not answer at once. */
export function answersAtOnce(name: string, did: string): Fault {
  return faults.make('R1254', `the function ${name} ${did}; a condition answers at once`, {
    fix: 'read the value in an action that writes it to the blackboard, and test the key',
  })
}

/** Reads the answer of a condition: a status, or any value, which is true unless it is false or nothing. */
function conditionResult(name: string, answer: FunctionAnswer): boolean {
  const status = isObject(answer) && 'status' in answer ? answer.status : answer
  switch (typeof status === 'string' ? status.toUpperCase() : status) {
    case 'SUCCESS':
      return true
    case 'RUNNING':
      throw answersAtOnce(name, 'answered RUNNING')
    case 'FAILURE':
    case false:
    case null:
    case undefined:
      return false
    default:
      return true
  }
}

/** Only a status is an answer of an action: true, nothing or a number is a mistake, and a failure. */
function statusOf(answer: FunctionAnswer): CodeResult {
  const status = isObject(answer) && !isList(answer) ? answer.status : answer
  const reason = isObject(answer) && typeof answer.reason === 'string' ? { reason: answer.reason } : {}
  switch (typeof status === 'string' ? status.toUpperCase() : status) {
    case 'SUCCESS':
      return { status: 'success', ...reason }
    case 'FAILURE':
      return { status: 'failure', ...reason }
    case 'RUNNING':
      return { status: 'running' }
    default:
      return { status: 'failure', reason: `the function answered ${JSON.stringify(answer) ?? 'nothing'}, which is no status` }
  }
}
