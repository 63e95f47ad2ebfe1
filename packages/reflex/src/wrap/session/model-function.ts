import type { Dialect } from '../dialects/contract.ts'
import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { ClientCall, clientReply } from './client-reply.ts'
import { ClientStream } from './client-stream.ts'
import { type AgentSession, currentSession } from './context.ts'
import { type AnyFunction, branded } from './intercept.ts'
import { plainForm } from './plain-dialect.ts'

/** Stands in for a function that asks a model: its request, with `stream: true` for a stream, then options with a signal. */
export function modelFunction(original: AnyFunction, dialect: Dialect): AnyFunction {
  return branded(function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    if (session === undefined) return original.apply(this, args)
    const [given, options, ...rest] = args
    const request = given as Fields
    const { signal } = fieldsOf(options)
    const call = new ClientCall({ ...fieldsOf(options), body: given })
    const parts: FunctionCall = {
      session,
      dialect,
      request,
      call,
      signal: signal instanceof AbortSignal ? signal : undefined,
      ask: (sent, aborted) =>
        call.take(original.call(this, sent === given ? given : plainForm(given, sent), { ...fieldsOf(options), signal: aborted }, ...rest)),
    }
    return fieldsOf(given)['stream'] === true ? streamed(parts) : whole(parts)
  }, original)
}

interface FunctionCall {
  readonly session: AgentSession
  readonly dialect: Dialect
  readonly request: Fields
  readonly call: ClientCall
  /** The caller's own. */
  readonly signal: AbortSignal | undefined
  readonly ask: (sent: Fields, signal: AbortSignal) => Promise<unknown>
}

function whole({ session, dialect, request, call, signal, ask }: FunctionCall): Promise<unknown> {
  const data = session.ask({
    dialect,
    request,
    canonical: dialect.read(request),
    ask: (sent, aborted) => ask(sent, signal === undefined ? aborted : AbortSignal.any([signal, aborted])),
  })
  return clientReply({ data, facts: call.facts, props: call.props, body: (reply) => JSON.stringify(reply) })
}

function streamed({ session, dialect, request, call, signal, ask }: FunctionCall): Promise<ClientStream> {
  const controller = new AbortController()
  const chunks = session.stream({
    dialect,
    request,
    canonical: dialect.read(request),
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    ask: (sent, aborted) => ask(sent, aborted) as Promise<AsyncIterable<unknown>>,
  })
  const data = chunks.then((read) => new ClientStream(read, controller))
  return clientReply({ data, facts: call.facts, props: call.props, body: (stream) => stream.toEvents() })
}
