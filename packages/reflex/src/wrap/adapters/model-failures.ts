import { isFault } from '../../kernel/index.ts'
import { fieldsOf } from '../dialects/loose.ts'
import { faults } from '../session/faults.ts'

/** The marks by which the AI SDK knows its errors, of whichever copy of the package. */
const MARKS = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError']

/** What was thrown in this process. */
const THROWN = new WeakMap<object, unknown>()

/**
 * Returns the failure of a model as the record keeps it: frameworks ask again after one that says `isRetryable`, and a resumed turn must do
 * the same.
 */
export function keptFailure(thrown: unknown): unknown {
  const { isRetryable, message, statusCode } = fieldsOf(thrown)
  if (isRetryable !== true) return thrown
  const fault = faults.make('R2161', String(message), { cause: thrown, ...(typeof statusCode === 'number' && { data: { statusCode } }) })
  THROWN.set(fault, thrown)
  return fault
}

/** Returns the failure that the framework gets: the one that was thrown, or one that it treats alike. */
export function revivedFailure(thrown: unknown): unknown {
  if (!isFault(thrown) || thrown.code !== 'R2161') return thrown
  if (THROWN.has(thrown)) return THROWN.get(thrown)
  return Object.assign(new Error(thrown.message), {
    name: 'AI_APICallError',
    isRetryable: true,
    url: '',
    requestBodyValues: {},
    // The framework has waited already, before the process ended.
    responseHeaders: { 'retry-after-ms': '0' },
    ...fieldsOf(thrown.data),
    ...Object.fromEntries(MARKS.map((mark) => [Symbol.for(mark), true])),
  })
}
