import { anthropic } from '../dialects/anthropic.ts'
import type { Dialect } from '../dialects/contract.ts'
import { openAiChat } from '../dialects/openai-chat.ts'
import { openAiResponses } from '../dialects/openai-responses.ts'
import { fieldsOf } from '../dialects/loose.ts'
import { type AnyFunction, cannotIntercept } from './intercept.ts'

/** A function of a client by which an agent asks its model. */
export interface ModelFunction {
  readonly owner: object
  readonly key: string
  /** The names that lead to it from the client. */
  readonly path: readonly string[]
  readonly dialect: Dialect
}

const FUNCTIONS: readonly { readonly path: readonly string[]; readonly dialect: Dialect }[] = [
  { path: ['chat', 'completions', 'create'], dialect: openAiChat },
  { path: ['responses', 'create'], dialect: openAiResponses },
  { path: ['messages', 'create'], dialect: anthropic },
]

/** The interfaces that a plain function may have. */
export const FUNCTION_DIALECTS = { 'openai-chat': openAiChat, 'openai-responses': openAiResponses, anthropic } as const
export type FunctionDialect = keyof typeof FUNCTION_DIALECTS

/** Returns the functions of a client that ask a model, known by their names. Throws `R2150` for a client that has none. */
export function modelFunctions(client: object): readonly ModelFunction[] {
  const found = FUNCTIONS.flatMap(({ path, dialect }) => {
    const owner = path.slice(0, -1).reduce<unknown>((at, name) => fieldsOf(at)[name], client)
    const key = path.at(-1) ?? ''
    if (typeof owner !== 'object' || owner === null || typeof fieldsOf(owner)[key] !== 'function') return []
    return [{ owner, key, path, dialect }]
  })
  if (found.length === 0) {
    const names = FUNCTIONS.map(({ path }) => path.join('.')).join(', ')
    throw cannotIntercept('llm', `it is no function and has none of ${names}`)
  }
  return found
}

/** Returns an object that stands in for a client: its functions that ask a model are replaced, everything else is its own. */
export function clientProxy(client: object, replace: (original: AnyFunction, dialect: Dialect) => AnyFunction): object {
  const made: { client: object } = { client }
  for (const { path, dialect } of modelFunctions(client))
    made.client = proxyAt(made.client, path, { replace: (original) => replace(original, dialect), proxy: () => made.client })
  return made.client
}

/** Methods beside `create` that call it, by the client that their object has. */
const HELPERS: readonly unknown[] = ['stream', 'parse', 'runTools']
/** The property under which the objects of a client have it. */
const CLIENT = '_client'

interface Standing {
  readonly replace: (original: AnyFunction) => AnyFunction
  /** Returns what stands in for the whole client. */
  readonly proxy: () => object
}

function proxyAt(target: object, [name = '', ...rest]: readonly string[], standing: Standing): object {
  const inner = (Reflect.get(target, name) as object | AnyFunction) ?? {}
  const isOwner = rest.length === 0
  const replaced = isOwner ? standing.replace((inner as AnyFunction).bind(target)) : proxyAt(inner, rest, standing)
  // An own target: a proxy must show the read-only properties of its target as they are, and a frozen client has only such.
  const proxy: object = new Proxy(Object.create(Object.getPrototypeOf(target) as object | null) as object, {
    get: (_, key) => {
      if (key === name) return replaced
      if (isOwner && key === CLIENT) return standing.proxy()
      const value: unknown = Reflect.get(target, key)
      return bound(isOwner && HELPERS.includes(key) ? proxy : target, value)
    },
    has: (_, key) => Reflect.has(target, key),
    set: (_, key, value) => Reflect.set(target, key, value),
  })
  return proxy
}

/** Methods with private fields need their own object. */
function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? (value as AnyFunction).bind(target) : value
}
