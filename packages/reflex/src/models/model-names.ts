import type { Fault } from '../kernel/index.ts'
import { CLOUDS, cloudOf } from './clouds.ts'
import { faults } from './faults.ts'
import { fullName } from './prices.ts'
import type { Environment } from './scrub.ts'

/** The facts about a provider whose package reads the environment itself: Reflex passes key and address to it instead. */
interface KnownProvider {
  /** The variable of the key; for a cloud, the first variable that it needs. */
  readonly key: string
  readonly url?: { readonly variable: string; readonly defaultUrl: string }
}

const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: { key: 'OPENAI_API_KEY', url: { variable: 'OPENAI_BASE_URL', defaultUrl: 'https://api.openai.com/v1' } },
  anthropic: { key: 'ANTHROPIC_API_KEY', url: { variable: 'ANTHROPIC_BASE_URL', defaultUrl: 'https://api.anthropic.com/v1' } },
  google: { key: 'GOOGLE_GENERATIVE_AI_API_KEY' },
  mistral: { key: 'MISTRAL_API_KEY' },
  groq: { key: 'GROQ_API_KEY' },
  xai: { key: 'XAI_API_KEY' },
  deepseek: { key: 'DEEPSEEK_API_KEY' },
  cohere: { key: 'COHERE_API_KEY' },
  bedrock: { key: 'AWS_BEARER_TOKEN_BEDROCK' },
  vertex: { key: 'GOOGLE_VERTEX_PROJECT' },
  azure: { key: 'AZURE_API_KEY' },
}

/** Suggests a known name for a misspelt word; `suggest` of the text room is such a function. */
export type Guess = (word: string, names: readonly string[]) => string | undefined

/** A server that speaks OpenAI's protocol. */
export interface Server {
  readonly url: string
  /** The variable or option that sets it, for messages. */
  readonly from: string
}

/** The settings with which model names are read. */
export interface NameContext {
  readonly environment: Environment
  readonly server: Server | undefined
  /** The names that the application defined. */
  readonly names: readonly string[]
  readonly guess: Guess | undefined
  /** True if a package is installed where Reflex finds its own packages. */
  isInstalled(name: string): boolean
}

/** The provider before the colon, empty if there is none, and the rest of the name. */
export interface NameParts {
  readonly provider: string
  readonly model: string
}

const PROVIDER = /^[a-z][a-z0-9-]*$/
const SERVERS = ['local', 'openai-compatible']
const EXAMPLE = 'openai:gpt-5-mini'
const EXAMPLE_URL = 'http://localhost:11434/v1'

/** Returns the facts about a provider; undefined for a provider that Reflex does not know. */
export function knownProvider(provider: string): KnownProvider | undefined {
  return Object.hasOwn(KNOWN_PROVIDERS, provider) ? KNOWN_PROVIDERS[provider] : undefined
}

export function nameParts(name: string): NameParts {
  const colon = name.indexOf(':')
  return colon < 0 ? { provider: '', model: name } : { provider: name.slice(0, colon), model: name.slice(colon + 1) }
}

/** Returns what a call of a model uses, by which an operator limits calls: `model:` and its provider, or the name of a model that has none. */
export function useOfModel(name: string): string {
  const { provider, model } = nameParts(name)
  return `model:${provider === '' ? model : provider}`
}

/**
 * Returns the name of a model for people: without the provider if Reflex knows it, or without `local`. Any other colon
 * belongs to the name: `openai:gpt-5-mini` becomes `gpt-5-mini`, and `qwen2.5:7b` stays.
 */
export function shortName(model: string): string {
  const { provider, model: rest } = nameParts(model)
  return rest !== '' && (provider === 'local' || knownProvider(provider) !== undefined) ? rest : model
}

/** The access to a provider: its package, and the missing variable with the fix. */
export interface ProviderAccess {
  readonly package: string
  readonly missing?: { readonly name: string; readonly fix: string } | undefined
}

/**
 * Returns the access to the provider before the colon; undefined for a provider that Reflex does not know. Loads
 * nothing.
 */
export function providerAccess(model: string, environment: Environment): ProviderAccess | undefined {
  const { provider } = nameParts(model)
  const known = knownProvider(provider)
  if (known === undefined) return undefined
  const cloud = cloudOf(provider)
  if (cloud === undefined) {
    const missing = environment[known.key] ? {} : { missing: { name: known.key, fix: `set ${known.key}` } }
    return { package: `@ai-sdk/${provider}`, ...missing }
  }
  const read = cloud.settings(environment, nameParts(model).model)
  return { package: cloud.package, ...('missing' in read ? { missing: { name: read.missing, fix: read.fix } } : {}) }
}

/**
 * Returns the name of the access to a model: its provider, or `vertex:claude` for models that need other settings than the rest of their
 * provider. Undefined for a provider that Reflex does not know.
 */
export function accessName(name: string): string | undefined {
  const { provider, model } = nameParts(name)
  if (knownProvider(provider) === undefined) return undefined
  const apart = cloudOf(provider)?.apart
  return apart !== undefined && model.toLowerCase().startsWith(apart) ? `${provider}:${apart}` : provider
}

/** Returns the names of all accesses whose package is installed, whose key is set and whose address can be used. Loads nothing. */
export function usableAccesses(environment: Environment): readonly string[] {
  return Object.entries(KNOWN_PROVIDERS).flatMap(([provider, { url }]) => {
    if (url !== undefined && providerAddressProblem(providerAddress(url, environment)) !== undefined) return []
    const samples = [`${provider}:`, `${provider}:${cloudOf(provider)?.apart ?? ''}`]
    return [...new Set(samples)].flatMap((sample) => {
      const access = providerAccess(sample, environment)
      return access !== undefined && access.missing === undefined && isInstalled(access.package) ? (accessName(sample) ?? []) : []
    })
  })
}

/** Returns the names, not the values, of the set environment variables that authorize requests. */
export function accessVariables(environment: Environment): readonly string[] {
  const names = new Set(Object.values(CLOUDS).flatMap(({ variables }) => variables))
  return Object.keys(environment).filter((name) => (name.endsWith('_API_KEY') || names.has(name)) && environment[name])
}

/** Returns the server at the base URL if the name belongs to it: it does unless the name starts with a known provider. */
export function serverOf({ server }: NameContext, { provider }: NameParts): Server | undefined {
  return knownProvider(provider) === undefined ? server : undefined
}

/**
 * Returns the fault `R4002` for a name that means no model, before anything is loaded or sent. Undefined for a name
 * that can be asked as far as the name shows; its package and its key may still be missing.
 */
export function nameProblem(name: string, context: NameContext): Fault | undefined {
  if (context.names.includes(name)) return undefined
  const parts = nameParts(name)
  const { provider, model } = parts
  const server = serverOf(context, parts)
  if (name.trim() === '') return nameFault(name, 'the name is empty', `write ${exampleFor(context)}`)
  if (name !== name.trim()) return nameFault(name, 'there is white space around the name', `write ${JSON.stringify(name.trim())}`)
  if (model === '') return nameFault(name, 'there is no name after the colon', `write ${exampleFor(context, provider)}`)
  if (server !== undefined) return addressProblem(server)
  const known = knownProvider(provider)
  if (known?.url !== undefined) return providerAddressProblem(providerAddress(known.url, context.environment))
  if (known !== undefined) return undefined
  if (provider === '') return noProviderFault(name, context)
  if (SERVERS.includes(provider))
    return nameFault(name, `${provider} means the server at the base URL, and none is set`, `set REFLEX_BASE_URL, such as ${EXAMPLE_URL}`)
  return unknownProviderFault(name, parts, context)
}

/**
 * Returns findings about a name, without loading or sending anything. An error: a name that no setting makes valid
 * (`R4002`). Warnings: a name that this environment cannot read (`R4002`), a missing package or key (`R4003`, `R4004`),
 * and a name that looks like a misspelt one of `listed` (`R4034`).
 */
export function nameFindings(name: string, context: NameContext, listed: readonly string[]): Fault[] {
  if (context.names.includes(name)) return []
  const problem = nameProblem(name, context)
  const { provider, model } = nameParts(name)
  const known = knownProvider(provider)
  if (problem !== undefined) {
    const ofSettings = model !== '' && name === name.trim() && (known !== undefined || ['', ...SERVERS].includes(provider))
    return [ofSettings || context.server !== undefined ? Object.assign(problem, WARNING) : problem]
  }
  if (known === undefined) return []
  const needed = cloudOf(provider)?.package ?? `@ai-sdk/${provider}`
  const meant = listed.includes(name) ? undefined : context.guess?.(name, listed.filter(hasSameNumbers(name)))
  return [
    ...(meant === undefined ? [] : [misspeltModel(name, meant)]),
    ...(context.isInstalled(needed) ? [] : [Object.assign(missingPackage(name, needed), WARNING)]),
    ...missingAccess(name, provider, known.key, context),
  ]
}

/** Returns a warning if the environment lacks the key of a provider or the credentials of a cloud. */
function missingAccess(name: string, provider: string, key: string, { environment }: NameContext): Fault[] {
  const cloud = cloudOf(provider)?.settings(environment, nameParts(name).model)
  if (cloud !== undefined) return 'missing' in cloud ? [Object.assign(missingKey(name, cloud.missing), WARNING)] : []
  return environment[key] ? [] : [Object.assign(missingKey(name, key), WARNING)]
}

const WARNING = { severity: 'warning' } as const

/**
 * Returns a filter for names with the same numbers: models of one family differ in their numbers, so another number is
 * not a misspelling.
 */
function hasSameNumbers(name: string): (other: string) => boolean {
  const numbers = (text: string): string => (text.match(/\d+/g) ?? []).join('.')
  return (other) => nameParts(other).provider === nameParts(name).provider && numbers(other) === numbers(name)
}

function misspeltModel(name: string, meant: string): Fault {
  return faults.make('R4034', `Reflex knows no model ${JSON.stringify(name)}; did you mean ${JSON.stringify(meant)}?`, {
    fix: `write ${meant}`,
  })
}

/** Returns the fault `R4003`: the package of a provider is not installed. */
export function missingPackage(name: string, needed: string): Fault {
  return faults.make('R4003', `${name} needs the package ${needed}, which is not installed`, { fix: `npm install ${needed}` })
}

/** Returns the fault `R4004`: the key of a provider is not set. */
export function missingKey(name: string, variable: string): Fault {
  return faults.make('R4004', `${name} needs a key, and ${variable} is not set`, { fix: `set ${variable}` })
}

/** Returns the address of a provider, read from its variable. */
export function providerAddress({ variable, defaultUrl }: NonNullable<KnownProvider['url']>, environment: Environment): Server {
  return { url: environment[variable] || defaultUrl, from: variable }
}

/**
 * Returns the fault `R4002` for an address that cannot be used. The message never contains the address, which may
 * contain a password.
 */
export function addressProblem({ url, from }: Server): Fault | undefined {
  const address = addressOf(url)
  if (address === undefined) {
    const fix = addressOf(`http://${url}`) === undefined ? `write an address such as ${EXAMPLE_URL}` : 'write http:// or https:// before it'
    return faults.make('R4002', `${from} is not the address of a server`, { fix })
  }
  if (address.username === '' && address.password === '') return undefined
  return faults.make('R4002', `${from} contains a user or a password; requests cannot be sent with one`, {
    fix: `remove everything before the @ from ${from}; set REFLEX_API_KEY to the key of the server`,
  })
}

/**
 * Returns the fault for a provider address with a query: provider packages append paths to the address, so the query
 * would contain them.
 */
function providerAddressProblem(server: Server): Fault | undefined {
  const problem = addressProblem(server)
  if (problem !== undefined || new URL(server.url).search === '') return problem
  return faults.make('R4002', `${server.from} contains a query; only REFLEX_BASE_URL can have one`, {
    fix: `remove everything after the ? from ${server.from}, or set REFLEX_BASE_URL and name the model without a provider`,
  })
}

function addressOf(url: string): URL | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : undefined
}

function noProviderFault(name: string, context: NameContext): Fault {
  const meant = fullName(name) ?? context.guess?.(name, context.names)
  if (meant !== undefined) return nameFault(name, `it names no provider; did you mean ${JSON.stringify(meant)}?`, `write ${meant}`)
  const why = 'it names no provider, and no base URL is set'
  return nameFault(name, why, `write the provider before it, as in ${EXAMPLE}; for your own server, set REFLEX_BASE_URL`)
}

function unknownProviderFault(name: string, { provider, model }: NameParts, context: NameContext): Fault | undefined {
  const spoken = `@ai-sdk/${provider}`
  const proper = PROVIDER.test(provider)
  if (proper && context.isInstalled(spoken)) return undefined
  const known = Object.keys(KNOWN_PROVIDERS)
  const why = `Reflex knows no provider ${JSON.stringify(provider)}; it knows ${known.join(', ')}`
  const meant = context.guess?.(provider, known)
  if (meant !== undefined) return nameFault(name, `${why}; did you mean ${JSON.stringify(meant)}?`, `write ${meant}:${model}`)
  const others = 'for your own server, set REFLEX_BASE_URL; an application can define its own names for models'
  return nameFault(name, why, proper ? `${others}; if ${spoken} is a package that you trust, install it yourself` : others)
}

function nameFault(name: string, why: string, fix: string): Fault {
  return faults.make('R4002', `the model ${JSON.stringify(name)} cannot be found: ${why}`, { fix })
}

function exampleFor({ server }: NameContext, provider?: string): string {
  if (provider !== undefined && knownProvider(provider) !== undefined) return `${provider}:NAME, with the name of a model of ${provider}`
  return server === undefined ? `provider:name, such as ${EXAMPLE}` : 'the name of a model of the server, such as llama3'
}

/** True if a package is installed where Reflex finds its own packages. Loads nothing of it. */
export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND')
  }
}
