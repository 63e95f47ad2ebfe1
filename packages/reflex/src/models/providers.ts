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

/** Where models come from. */
export interface ProviderWorld extends NameContext {
  readonly scrub: (text: string) => string
}

/**
 * The model that a name means. With a base URL that is a model of the server there, `llama3` or `local:llama3`, unless
 * the name begins with a provider that is known by name; else `provider:name` through the package `@ai-sdk/provider`.
 *
 * Throws `R4002` for a name that means nothing, `R4003` when the package is missing, `R4004` when the key is. Nothing
 * is sent before the model is asked.
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

/** A model of a cloud: its package has a name of its own, and more than a key signs a request. */
async function cloudModel(name: string, cloud: Cloud, model: string, world: ProviderWorld): Promise<Model> {
  const entry = cloud.entry(model)
  const create = await factoryIn(entry.package, cloud.package, entry.factories, name)
  const read = cloud.settings(world.environment, model)
  if ('missing' in read) throw faults.make('R4004', `${name} needs access to its cloud, and ${read.missing} is not set`, { fix: read.fix })
  const made = create({ fetch: guardedFetch, ...read.settings })
  const access = { key: cloud.variables.filter((variable) => world.environment[variable]).join(', '), isKeySent: true, address: undefined }
  return languageModel(modelOf(made, model, cloud.package), { name, scrub: world.scrub, access })
}

async function providerModel(name: string, provider: string, model: string, world: ProviderWorld): Promise<Model> {
  const create = await providerFactory(provider, name)
  const known = knownProvider(provider)
  const variable = known?.key ?? `${provider.replaceAll('-', '_').toUpperCase()}_API_KEY`
  const apiKey = world.environment[variable]
  // Some providers know other ways to sign a request than a key; those that are known here do not.
  if (!apiKey && known !== undefined) throw missingKey(name, variable)
  const address = known?.url && providerAddress(known.url, world.environment)
  const made = create({ fetch: guardedFetch, ...(apiKey ? { apiKey } : {}), ...(address === undefined ? {} : { baseURL: address.url }) })
  // The usual address is nothing that somebody has set wrongly.
  const access = { key: variable, isKeySent: Boolean(apiKey), address: address?.url === known?.url?.defaultUrl ? undefined : address?.from }
  return languageModel(modelOf(made, model, `@ai-sdk/${provider}`), { name, scrub: world.scrub, access })
}

type ProviderFactory = (settings: object) => unknown

/** The function of a provider's package that makes the provider: `createOpenAI`, `createAnthropic`. */
function providerFactory(provider: string, model: string): Promise<ProviderFactory> {
  const name = `@ai-sdk/${provider}`
  return factoryIn(name, name, [`create${provider.replaceAll('-', '')}`], model)
}

/** The same of one entry of a package: a function of these names, else one that begins so, else the first that makes something. */
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
  if (!isFunction(found)) throw unusablePackage(name, 'has no function that makes a provider')
  return found
}

/** What is installed was chosen by somebody, so that a newer one of it may be named, whoever made it. */
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
  if (!isLanguageModel(model)) throw unusablePackage(from, 'makes no language models')
  return model
}

function isFunction(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function'
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? Object.fromEntries(Object.entries(value)) : {}
}
