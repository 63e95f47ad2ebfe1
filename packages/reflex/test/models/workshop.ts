import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { onTestFinished } from 'vitest'
import { type Fault, type FaultData, isFault, type Json, type JsonObject, systemHost } from '../../src/kernel/index.ts'
import {
  createModels,
  faults,
  type ModelCall,
  type ModelRequest,
  type Models,
  type ModelsOptions,
  type ScriptedReply,
  scriptedModel,
} from '../../src/models/index.ts'
import { type VirtualHost, virtualHost } from '../../src/testing/index.ts'
import { type OpenAiServer, type OpenAiServerOptions, startOpenAi } from './openai-server.ts'

export const KEY = 'sk-proj-hush0123456789'

/** A request of one user message. */
export function saying(content: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: 'user', content }], ...more }
}

export interface WatchedCall extends ModelCall {
  readonly parts: Json[]
  abort(reason: Error): void
}

/** A call as a port gets it, with readable progress. */
export function watched(key = 'otter-2m9q:1'): WatchedCall {
  const controller = new AbortController()
  const parts: Json[] = []
  return { signal: controller.signal, key, parts, part: (delta) => void parts.push(delta), abort: (reason) => controller.abort(reason) }
}

/** Starts a server for this test; it is removed after the test. */
export async function server(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const started = await startOpenAi(options)
  onTestFinished(() => started.close())
  return started
}

/** Models that use the server by its base URL, with the real clock. */
export function modelsOf(at: OpenAiServer, options: Partial<ModelsOptions> = {}): Models {
  return createModels({ host: systemHost, environment: { REFLEX_API_KEY: KEY }, baseUrl: at.url, model: 'llama3', ...options })
}

/** Returns a model of the AI SDK on the server, as an application creates one. */
export function sdkModel(at: OpenAiServer): ReturnType<ReturnType<typeof createOpenAICompatible>> {
  return createOpenAICompatible({ name: 'acme', baseURL: at.url, apiKey: KEY, includeUsage: true })('m1')
}

/** Returns the fault with which a promise rejects. */
export async function faultOf(promise: Promise<unknown>): Promise<FaultData> {
  try {
    await promise
  } catch (thrown) {
    if (isFault(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

/**
 * Settles as a promise does, while the clock of a virtual host advances to everything that is due within `reach`
 * milliseconds: waits between tries end immediately, distant deadlines do not pass.
 */
export async function played<Value>(host: VirtualHost, promise: Promise<Value>, reach = 30_000): Promise<Value> {
  const state = { done: false }
  const marked = promise.finally(() => (state.done = true))
  marked.catch(() => undefined)
  while (!state.done) {
    await host.drain(1)
    if (host.nextDue !== undefined && host.nextDue - host.now() <= reach) await host.tick()
  }
  return marked
}

/** The failure of a try with a busy provider. */
export const busy = (data: JsonObject = {}): Fault => faults.make('R4009', 'slow down', { data })

/** Models whose default gives these replies, on their own clock. */
export function workshop(
  replies: readonly ScriptedReply[],
  options: Partial<ModelsOptions> = {},
): { host: VirtualHost; models: Models; elapsed: () => number } {
  const host = virtualHost()
  const began = host.now()
  const models = createModels({ host, model: scriptedModel(replies, 'first'), ...options })
  return { host, models, elapsed: () => host.now() - began }
}
