import { fieldsOf, listOf } from '../dialects/loose.ts'
import { currentSession } from '../session/context.ts'
import { type AnyFunction, cannotIntercept, intercept } from '../session/intercept.ts'
import { generateFunction, streamFunction } from './chat-calls.ts'
import { messageMaker } from './chat-messages.ts'
import type { NoteRestore } from './contract.ts'
import { isWrapper } from './functions.ts'
import { Restores } from './restores.ts'

/** Methods that may return another model: the one that is asked in the end. */
const DERIVING = ['bindTools', 'withConfig', '_getModelInstance'] as const

/** Where a runnable of LangChain keeps those that it calls: bindings and retries, fallbacks, sequences. */
const INNER = ['bound', 'runnable', 'first', 'last'] as const
const INNER_LISTS = ['fallbacks', 'middle'] as const

/**
 * Replaces in place the functions by which a chat model of LangChain is asked, also those of models within bindings, sequences and
 * fallbacks. In place, because a model calls them on itself and keeps private fields. Throws `R2150` for an object without a chat model,
 * and for one that is frozen; then nothing was changed.
 */
export function wrapChatModel(model: unknown, path: string): () => void {
  const models = chatModelsOf(model)
  if (models.length === 0) throw cannotIntercept(path, whyNot(model))
  const restores = new Restores()
  restores.guard(() => {
    for (const one of models) replaceFunctions(one, restores.note)
  })
  return restores.restore
}

/** True if the calls of a chat model belong to the turn of their caller. */
export function isWrappedChatModel(model: unknown): boolean {
  const models = chatModelsOf(model)
  return models.length > 0 && models.every((one) => isWrapper(fieldsOf(one)['_generate']))
}

/** Returns the chat models that a runnable calls. */
export function chatModelsOf(runnable: unknown): readonly object[] {
  const found = new Set<object>()
  const seen = new Set<unknown>()
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || seen.has(each)) return
    seen.add(each)
    const fields = fieldsOf(each)
    if (typeof fields['_generate'] === 'function' && messageMaker(each) !== undefined) found.add(each)
    for (const name of INNER) visit(fields[name])
    for (const name of INNER_LISTS) listOf(fields[name]).forEach(visit)
  }
  visit(runnable)
  return [...found]
}

function whyNot(model: unknown): string {
  if (typeof model === 'string') return 'it is the name of a model; give the object that initChatModel returns'
  return 'it is no chat model of @langchain/core, and calls none'
}

function replaceFunctions(model: object, note: NoteRestore): void {
  const replace = (key: string, wrap: (original: AnyFunction) => AnyFunction): void => note(intercept(model, key, wrap))
  replace('_generate', generateFunction)
  // LangChain compares these with its own to know whether a model can stream.
  if (isOwnOfModel(model, '_streamResponseChunks')) replace('_streamResponseChunks', streamFunction)
  if (isOwnOfModel(model, '_streamChatModelEvents')) replace('_streamChatModelEvents', (own) => eventsFunction(model, own))
  for (const key of DERIVING) if (typeof fieldsOf(model)[key] === 'function') replace(key, derivingFunction)
}

/** Returns the function of the class of LangChain itself, which is furthest up. */
function inherited(model: object, key: string): unknown {
  let found: unknown
  for (let at: unknown = model; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, key)) found = Reflect.get(at, key)
  return found
}

function isOwnOfModel(model: object, key: string): boolean {
  const own = fieldsOf(model)[key]
  return typeof own === 'function' && own !== inherited(model, key)
}

/** `_streamChatModelEvents` of a model that has one: within a turn its events are made of its chunks, of which nothing is lost. */
function eventsFunction(model: object, original: AnyFunction): AnyFunction {
  const ofChunks = inherited(model, '_streamChatModelEvents') as AnyFunction
  return function (this: unknown, ...args: unknown[]) {
    return (currentSession() === undefined ? original : ofChunks).apply(this, args)
  }
}

/** A function whose result may be another model, at once or later. */
function derivingFunction(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    const derived = original.apply(this, args)
    if (!(derived instanceof Promise)) return adopt(derived)
    return derived.then(adopt)
  }
}

/** A model that was made of a wrapped one is wrapped; it is not restored, since nobody else has it. */
function adopt(derived: unknown): unknown {
  for (const model of chatModelsOf(derived)) if (!isWrapper(fieldsOf(model)['_generate'])) replaceFunctions(model, () => undefined)
  return derived
}
