import { nameParts } from './model-names.ts'
import type { Models } from './types.ts'

/** Waits until a call to a provider may begin, and returns what ends it. Rejects with the reason of the signal. */
export type ProviderLimit = (provider: string, signal: AbortSignal) => Promise<() => Promise<void>>

/**
 * Returns models whose requests wait until the provider of the model that is asked first has room. `limit` is asked for each request; undefined:
 * nothing is limited now. Fallback models count as the first one.
 */
export function limitedModels(models: Models, limit: () => ProviderLimit | undefined): Models {
  return {
    get configured() {
      return models.configured
    },
    name: (request) => models.name(request),
    price: (request) => models.price(request),
    unpricedModels: (request) => models.unpricedModels(request),
    async generate(request, call) {
      const name = models.name(request)
      const leave = name === undefined ? undefined : await limit()?.(providerOf(name), call.signal)
      try {
        return await models.generate(request, call)
      } finally {
        await leave?.()
      }
    },
  }
}

/** Returns the provider of a model, or the name of a model that has none. */
function providerOf(name: string): string {
  const { provider, model } = nameParts(name)
  return provider === '' ? model : provider
}
