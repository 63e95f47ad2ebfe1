import { agentsModel } from '../dialects/agents-model.ts'
import type { CanonicalRequest } from '../dialects/contract.ts'
import { type Fields, fieldsOf } from '../dialects/loose.ts'
import { currentSession } from '../session/context.ts'
import { type AnyFunction, branded, cannotIntercept, intercept } from '../session/intercept.ts'
import { isWrapper, joinedSignal } from './functions.ts'
import { Restores } from './restores.ts'
import { standIn } from './stand-in.ts'

/**
 * Replaces in place the function by which a provider gives models: each gets a stand-in. Throws `R2150` for an object without `getModel`, and
 * for a frozen one.
 */
export function wrapProvider(provider: unknown, path: string): () => void {
  if (typeof provider !== 'object' || provider === null || typeof fieldsOf(provider)['getModel'] !== 'function')
    throw cannotIntercept(path, 'it has no model provider with getModel; give the one of the runner')
  return intercept(provider, 'getModel', (original) => {
    const known = new WeakMap<object, Map<unknown, object>>()
    const replaced = (model: unknown, name: unknown): unknown => {
      if (typeof model !== 'object' || model === null || isWrapper(fieldsOf(model)['getResponse'])) return model
      const named = known.get(model) ?? new Map<unknown, object>()
      known.set(model, named)
      const replacement = named.get(name) ?? standInModel(model, name)
      named.set(name, replacement)
      return replacement
    }
    return function (this: unknown, ...args: unknown[]) {
      const model = original.apply(this, args)
      return model instanceof Promise ? model.then((one) => replaced(one, args[0])) : replaced(model, args[0])
    }
  })
}

/** Replaces in place the functions by which a model of an agent is asked. Throws `R2150` for an object without them, and for a frozen one. */
export function wrapModel(model: unknown, path: string): () => void {
  if (typeof model !== 'object' || model === null || typeof fieldsOf(model)['getResponse'] !== 'function')
    throw cannotIntercept(path, 'it is no model with getResponse')
  const restores = new Restores()
  restores.guard(() => {
    restores.note(intercept(model, 'getResponse', (original) => responseFunction(original, undefined)))
    if (typeof fieldsOf(model)['getStreamedResponse'] === 'function')
      restores.note(intercept(model, 'getStreamedResponse', (original) => streamFunction(original, undefined)))
  })
  return restores.restore
}

function standInModel(model: object, name: unknown): object {
  const { getResponse, getStreamedResponse } = fieldsOf(model)
  const replaced = (original: unknown, wrap: (original: AnyFunction, name: unknown) => AnyFunction): AnyFunction =>
    branded(wrap((original as AnyFunction).bind(model), name), original as AnyFunction)
  return standIn(model, {
    ...(typeof getResponse === 'function' && { getResponse: replaced(getResponse, responseFunction) }),
    ...(typeof getStreamedResponse === 'function' && { getStreamedResponse: replaced(getStreamedResponse, streamFunction) }),
  })
}

/** `getResponse(request)`. */
function responseFunction(original: AnyFunction, name: unknown): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    if (session === undefined) return original.apply(this, args)
    const request = fieldsOf(args[0])
    return session.ask({
      dialect: agentsModel,
      request,
      canonical: canonicalOf(request, name),
      ask: (sent, signal) => original.call(this, { ...sent, signal: joinedSignal(request['signal'], signal) }),
    })
  }
}

/** `getStreamedResponse(request)`. */
function streamFunction(original: AnyFunction, name: unknown): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const session = currentSession()
    if (session === undefined) return original.apply(this, args)
    const request = fieldsOf(args[0])
    const own = request['signal']
    const opened = session.stream({
      dialect: agentsModel,
      request,
      canonical: canonicalOf(request, name),
      signal: own instanceof AbortSignal ? own : undefined,
      ask: (sent, signal) => original.call(this, { ...sent, signal }) as AsyncIterable<unknown>,
    })
    return eventsOf(opened)
  }
}

async function* eventsOf(opened: Promise<AsyncIterable<Fields>>): AsyncGenerator<Fields> {
  yield* await opened
}

/** The name by which the provider was asked for the model stands in no request. */
function canonicalOf(request: Fields, name: unknown): CanonicalRequest {
  const canonical = agentsModel.read(request)
  return typeof name === 'string' && name !== '' ? { ...canonical, params: { model: name, ...canonical.params } } : canonical
}
