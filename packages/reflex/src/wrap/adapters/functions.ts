import type { Dialect } from '../dialects/contract.ts'
import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { currentSession, inSession } from '../session/context.ts'
import { type AnyFunction, branded, WRAPPED } from '../session/intercept.ts'

/** A function by which a framework asks a model: its first argument is the request, which has the signal in one of its fields. */
export interface ModelFunctionForm {
  readonly dialect: Dialect
  /** The field of the request that has the signal. */
  readonly signal: string
  /** Returns the failure that the record keeps of one, if the framework reads more of it than its message. */
  readonly kept?: (thrown: unknown) => unknown
  /** Returns the failure for the framework, of one that the record has. */
  readonly revived?: (thrown: unknown) => unknown
}

/** Returns a function that asks a model through the turn of its caller. Outside of a turn it is the original. */
export function askFunction(original: AnyFunction, form: ModelFunctionForm): AnyFunction {
  return branded(function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    if (session === undefined) return original.apply(this, args)
    const { dialect, signal: field, kept, revived } = form
    const [given, ...rest] = args
    const request = fieldsOf(given)
    const ask = (sent: Fields, signal: AbortSignal): unknown =>
      rethrowing(() => original.call(this, { ...sent, [field]: joinedSignal(request[field], signal) }, ...rest), kept)
    return rethrowing(() => session.ask({ dialect, request, canonical: dialect.read(request), ask }), revived)
  }, original)
}

/** A reply that arrives in pieces, and what the framework gets beside it. */
export interface OpenedStream {
  readonly chunks: AsyncIterable<unknown>
  /** What the first call of the model gave beside its stream; nothing for a reply of the record. */
  readonly beside: Fields
}

export interface StreamFunctionForm extends ModelFunctionForm {
  /** Finds the stream in what the original gives. */
  readonly read: (given: unknown) => OpenedStream
  /** Returns what the framework expects in place of it. */
  readonly write: (opened: OpenedStream) => unknown
  /** Makes a chunk of its JSON. Default: the JSON. */
  readonly chunk?: (json: Fields) => Fields
}

/** Returns a function that asks a model for a stream through the turn of its caller. Outside of a turn it is the original. */
export function streamFunction(original: AnyFunction, form: StreamFunctionForm): AnyFunction {
  return branded(function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    if (session === undefined) return original.apply(this, args)
    const { dialect, signal: field, kept, revived, read, write, chunk } = form
    const [given, ...rest] = args
    const request = fieldsOf(given)
    const own = request[field]
    let first: OpenedStream | undefined
    const ask = async (sent: Fields, signal: AbortSignal): Promise<AsyncIterable<unknown>> => {
      const opened = read(await rethrowing(() => original.call(this, { ...sent, [field]: signal }, ...rest), kept))
      first ??= opened
      return opened.chunks
    }
    return rethrowing(async () => {
      const chunks = await session.stream({
        dialect,
        request,
        canonical: dialect.read(request),
        ask,
        ...(own instanceof AbortSignal && { signal: own }),
        ...(chunk !== undefined && { revive: chunk }),
      })
      return write({ chunks, beside: first?.beside ?? {} })
    }, revived)
  }, original)
}

/** Throws a failure as it is to be thrown here. */
async function rethrowing<Value>(act: () => Value | Promise<Value>, as = (thrown: unknown): unknown => thrown): Promise<Value> {
  try {
    return await act()
  } catch (thrown) {
    throw as(thrown)
  }
}

/**
 * Returns a function that calls a tool through the turn of its caller. Its first argument alone is recorded: what a framework passes besides
 * differs from run to run. A tool that is an agent makes its calls within the turn.
 */
export function toolFunction(name: string, original: AnyFunction, isAgent: boolean): AnyFunction {
  return branded(function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    const act = (): unknown => original.apply(this, args)
    if (session === undefined) return act()
    const given = args.slice(0, 1)
    if (isAgent) return session.agent(name, given, { act: (nested) => inSession(nested, () => lastOf(act())) })
    return session.tool(name, given, () => lastOf(act()))
  }, original)
}

/** True for a function that stands in for another one. */
export function isWrapper(value: unknown): boolean {
  return typeof value === 'function' && WRAPPED in value
}

/** Returns the last value of a result that arrives in pieces: it is the result, and the others were preliminary. */
export async function lastOf(given: unknown): Promise<unknown> {
  const result = await given
  if (typeof fieldsOf(result)[Symbol.asyncIterator as never] !== 'function') return result
  let last: unknown
  for await (const piece of result as AsyncIterable<unknown>) last = piece
  return last
}

/** Returns a signal that is aborted with either. */
export function joinedSignal(own: unknown, signal: AbortSignal): AbortSignal {
  return own instanceof AbortSignal ? AbortSignal.any([own, signal]) : signal
}

/** Returns the option of a call that is aborted with a turn; the signal of an input that comes from a record is gone. */
export function abortable(own: unknown, signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  if (signal !== undefined) return { abortSignal: joinedSignal(own, signal) }
  return own instanceof AbortSignal ? { abortSignal: own } : {}
}
