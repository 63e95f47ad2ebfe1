import { readBaseUrl } from './base-url.ts'
import { type Cloud, cloudOf } from './clouds.ts'
import { faults } from './faults.ts'
import { guardedFetch } from './http.ts'
import { isLanguageModel, type LanguageModel, languageModel } from './language-model.ts'
import {
  knownProvider,
  missingKey,
  missingPackage,
  nameParts,
  nameProblem,
  type NameContext,
  providerAddress,
  type Server,
  serverOf,
} from './model-names.ts'
import type { Model } from './types.ts'

/** The settings with which models are found. */
export interface ProviderWorld extends NameContext {
  readonly scrub: (text: string) => string
}

/**
 * Returns the model for a name. With a base URL, that is a model of the server there, `llama3` or `local:llama3`,
 * unless the name starts with a known provider; otherwise it is `provider:name`, through the package
 * `@ai-sdk/provider`.
 *
 * Throws `R4002` for a name that means no model, `R4003` if the package is missing, `R4004` if the key is missing.
 * Nothing is sent before the model is asked.
 */
export async function findModel(name: string, world: ProviderWorld): Promise<Model> {
  const problem = nameProblem(name, world)
  if (problem !== undefined) throw problem
  const parts = nameParts(name)
  const server = serverOf(world, parts)
  if (server !== undefined) return serverModel(name, parts.provider === 'local' ? parts.model : name, server, world)
  const cloud = cloudOf(parts.provider)
  return cloud === undefined ? providerModel(name, parts.provider, parts.model, world) : cloudModel(name, cloud, parts.model, world)
}

async function serverModel(name: string, model: string, { url: address, from }: Server, world: ProviderWorld): Promise<Model> {
  const create = await providerFactory('openai-compatible', name)
  const { url, query } = readBaseUrl(address)
  const apiKey = world.environment['REFLEX_API_KEY']
  const provider = create({
    name: 'local',
    baseURL: url,
    queryParams: query,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: guardedFetch,
    ...(apiKey ? { apiKey } : {}),
  })
  const access = { key: 'REFLEX_API_KEY', isKeySent: Boolean(apiKey), address: from }
  return languageModel(modelOf(provider, model, '@ai-sdk/openai-compatible'), {
    name,
    scrub: world.scrub,
    isSchemaSupportUnknown: true,
    access,
  })
}

/** Returns a model of a cloud: its package has another name, and its requests need more than a key. */
async function cloudModel(name: string, cloud: Cloud, model: string, world: ProviderWorld): Promise<Model> {
  const entry = cloud.entry(model)
  const create = await factoryIn(entry.package, cloud.package, entry.factories, name)
  const read = cloud.settings(world.environment, model)
  if ('missing' in read)
    throw faults.make('R4004', `${name} needs credentials for its cloud, and ${read.missing} is not set`, { fix: read.fix })
  const made = create({ fetch: guardedFetch, ...read.settings })
  const access = { key: cloud.variables.filter((variable) => world.environment[variable]).join(', '), isKeySent: true, address: undefined }
  return languageModel(modelOf(made, model, cloud.package), { name, scrub: world.scrub, access })
}

async function providerModel(name: string, provider: string, model: string, world: ProviderWorld): Promise<Model> {
  const create = await providerFactory(provider, name)
  const known = knownProvider(provider)
  const variable = known?.key ?? `${provider.replaceAll('-', '_').toUpperCase()}_API_KEY`
  const apiKey = world.environment[variable]
  // Some providers accept credentials other than a key; the known ones do not.
  if (!apiKey && known !== undefined) throw missingKey(name, variable)
  const address = known?.url && providerAddress(known.url, world.environment)
  const made = create({ fetch: guardedFetch, ...(apiKey ? { apiKey } : {}), ...(address === undefined ? {} : { baseURL: address.url }) })
  // The default address is not a setting that a person could correct.
  const access = { key: variable, isKeySent: Boolean(apiKey), address: address?.url === known?.url?.defaultUrl ? undefined : address?.from }
  return languageModel(modelOf(made, model, `@ai-sdk/${provider}`), { name, scrub: world.scrub, access })
}

type ProviderFactory = (settings: object) => unknown

/** Returns the function of a provider's package that creates the provider: `createOpenAI`, `createAnthropic`. */
function providerFactory(provider: string, model: string): Promise<ProviderFactory> {
  const name = `@ai-sdk/${provider}`
  return factoryIn(name, name, [`create${provider.replaceAll('-', '')}`], model)
}

/**
 * Returns the creating function of one entry of a package: one with a wanted name, else one whose name starts with it,
 * else the first one.
 */
async function factoryIn(entry: string, name: string, wanted: readonly string[], model: string): Promise<ProviderFactory> {
  let loaded: unknown
  try {
    loaded = await import(/* @vite-ignore */ entry)
  } catch (thrown) {
    if (isMissing(thrown, name)) throw missingPackage(model, name)
    throw faults.make('R4003', `the package ${name} cannot be loaded`, { fix: `npm install ${name}`, cause: thrown })
  }
  const makers = Object.entries(fieldsOf(loaded)).filter(([key]) => /^create[A-Z]/.test(key))
  const names = wanted.map((one) => one.toLowerCase())
  const found =
    names.map((one) => makers.find(([key]) => key.toLowerCase() === one)).find((maker) => maker !== undefined)?.[1] ??
    makers.find(([key]) => names.some((one) => key.toLowerCase().startsWith(one)))?.[1] ??
    makers[0]?.[1]
  if (!isFunction(found)) throw unusablePackage(name, 'has no function that creates a provider')
  return found
}

/**
 * Returns the fault for an unusable package. The user has chosen to install it, so the fix may name a newer version of it,
 * from any publisher.
 */
function unusablePackage(name: string, why: string): Error {
  return faults.make('R4003', `the package ${name} ${why}`, { fix: `npm install ${name}@latest` })
}

function isMissing(thrown: unknown, name: string): boolean {
  return (
    thrown instanceof Error && /Cannot find|(?:Failed to|Could not) (?:load|resolve)/.test(thrown.message) && thrown.message.includes(name)
  )
}

function modelOf(provider: unknown, name: string, from: string): LanguageModel {
  const { languageModel: make } = fieldsOf(provider)
  const model: unknown = isFunction(make) ? make(name) : undefined
  if (!isLanguageModel(model)) throw unusablePackage(from, 'creates no language models')
  return model
}

function isFunction(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function'
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? Object.fromEntries(Object.entries(value)) : {}
}
