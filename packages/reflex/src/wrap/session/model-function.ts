import type { Dialect } from '../dialects/contract.ts'
import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { currentSession } from './context.ts'
import { type AnyFunction, branded } from './intercept.ts'
import { plainForm } from './plain-dialect.ts'

/** Stands in for a function that asks a model: its request, with `stream: true` for a stream, then options with a signal. */
export function modelFunction(original: AnyFunction, dialect: Dialect): AnyFunction {
  return branded(function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    if (session === undefined) return original.apply(this, args)
    const [given, options, ...rest] = args
    const request = given as Fields
    const own = fieldsOf(options)['signal']
    const signal = own instanceof AbortSignal ? own : undefined
    const ask = (sent: Fields, aborted: AbortSignal): unknown =>
      original.call(this, sent === given ? given : plainForm(given, sent), { ...fieldsOf(options), signal: aborted }, ...rest)
    const call = { dialect, request, canonical: dialect.read(request) }
    if (fieldsOf(given)['stream'] !== true)
      return session.ask({
        ...call,
        ask: (sent, aborted) => ask(sent, signal === undefined ? aborted : AbortSignal.any([signal, aborted])),
      })
    return session.stream({ ...call, signal, ask: (sent, aborted) => ask(sent, aborted) as Promise<AsyncIterable<unknown>> })
  }, original)
}
