import { isFault } from '../../kernel/index.ts'

/** The name of an error before its message. */
const NAMED = /^([A-Z]\w{0,60}): /

/** Returns the error that a record is given: its message begins with its name, which LangChain gives the model as well. */
export function recordedError(thrown: unknown): unknown {
  return thrown instanceof Error && !isFault(thrown) ? new Error(String(thrown), { cause: thrown }) : thrown
}

/** Returns the error of a recorded call as its tool threw it: with its name and message. */
export function revivedError(thrown: unknown): unknown {
  if (!isFault(thrown) || typeof thrown.cause !== 'string') return thrown
  const [whole, name] = NAMED.exec(thrown.cause) ?? []
  if (whole === undefined || name === undefined) return thrown
  return Object.assign(new Error(thrown.cause.slice(whole.length), { cause: thrown }), { name })
}
