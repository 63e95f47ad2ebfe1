import type { Fault, Json } from './types.ts'

/** A failure of a request: the fault that the server answered with, or one of the connection. */
export class ReflexError extends Error {
  /** A code of the catalogue; `reflex explain CODE` shows its page. */
  readonly code: string
  /** The status of the answer; 0 if there is none. */
  readonly status: number
  /** The action that can solve it: `retry`, `fail`, `wait` or `bug`. */
  readonly verdict: Fault['verdict']
  /** The action that solves it, in words. */
  readonly fix: string | undefined
  /** The fault as the server sent it, with its place and data. */
  readonly fault: Fault

  constructor(status: number, fault: Fault, cause?: unknown) {
    super(fault.message, { cause })
    this.name = 'ReflexError'
    this.code = fault.code
    this.status = status
    this.verdict = fault.verdict
    this.fix = fault.fix
    this.fault = fault
  }
}

/** Returns the error for a server that cannot be reached. */
export function unreachable(url: string, cause: unknown): ReflexError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const fix = 'start the server with reflex serve, or correct the url'
  return new ReflexError(0, { code: 'R6070', verdict: 'retry', message: `${url} cannot be reached: ${why}`, fix }, cause)
}

/** Returns the error in an answer. An answer that has none does not come from Reflex. */
export async function errorOf(response: Response): Promise<ReflexError> {
  const text = await response.text().catch(() => '')
  const fault = faultIn(text)
  return fault === undefined ? foreign(response) : new ReflexError(response.status, fault)
}

/** Returns the error for an answer that is not from Reflex. */
export function foreign({ status, url }: Response, cause?: unknown): ReflexError {
  const fix = 'check the url: another server, or a proxy, may answer there'
  const message = `${url} answered ${status} with something that is not from Reflex`
  return new ReflexError(status, { code: 'R6071', verdict: status >= 500 ? 'retry' : 'fail', message, fix }, cause)
}

function faultIn(text: string): Fault | undefined {
  try {
    const document = JSON.parse(text) as { readonly error?: Json } | null
    const error = document?.error
    return typeof error === 'object' && error !== null && 'code' in error && 'message' in error ? (error as unknown as Fault) : undefined
  } catch {
    return undefined
  }
}
