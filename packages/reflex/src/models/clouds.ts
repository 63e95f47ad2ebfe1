import type { Environment } from './scrub.ts'

/** The settings of a provider that needs more than one key, read from the environment, or the missing variable. */
export type CloudSettings = { readonly settings: object } | { readonly missing: string; readonly fix: string }

/** A provider whose package has another name than the provider, or that needs more than a key. */
export interface Cloud {
  /** Returns the package, and the names of its functions that create a provider; the first one that exists is used. */
  entry(model: string): { readonly package: string; readonly factories: readonly string[] }
  /** The package to install. */
  readonly package: string
  /** The variables that it reads, for messages. */
  readonly variables: readonly string[]
  settings(environment: Environment, model: string): CloudSettings
  /** The beginning of the names of models that need other settings than the rest, in lower case. */
  readonly apart?: string
}

const bedrock: Cloud = {
  package: '@ai-sdk/amazon-bedrock',
  entry: () => ({ package: '@ai-sdk/amazon-bedrock', factories: ['createAmazonBedrock'] }),
  variables: [
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ],
  settings(environment) {
    const region = first(environment, 'AWS_REGION', 'AWS_DEFAULT_REGION')
    if (region === undefined) return missingVariable('AWS_REGION')
    const apiKey = first(environment, 'AWS_BEARER_TOKEN_BEDROCK')
    if (apiKey !== undefined) return { settings: { region, apiKey } }
    const [accessKeyId, secretAccessKey] = [first(environment, 'AWS_ACCESS_KEY_ID'), first(environment, 'AWS_SECRET_ACCESS_KEY')]
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      const lacking = accessKeyId === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY'
      return { missing: lacking, fix: 'set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' }
    }
    const sessionToken = first(environment, 'AWS_SESSION_TOKEN')
    // With an empty key, the package does not look for a key in the environment of the process.
    return { settings: { region, apiKey: '', accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) } }
  },
}

const vertex: Cloud = {
  package: '@ai-sdk/google-vertex',
  // Anthropic's models have their own entry in the same package.
  entry: (model) =>
    isOfAnthropic(model)
      ? { package: '@ai-sdk/google-vertex/anthropic', factories: ['createGoogleVertexAnthropic', 'createVertexAnthropic'] }
      : { package: '@ai-sdk/google-vertex', factories: ['createGoogleVertex', 'createVertex'] },
  variables: [
    'GOOGLE_VERTEX_PROJECT',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_VERTEX_LOCATION',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_VERTEX_API_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLIENT_EMAIL',
    'GOOGLE_PRIVATE_KEY',
  ],
  apart: 'claude',
  settings(environment, model) {
    // The express mode, which uses an API key, has no models of Anthropic.
    const apiKey = isOfAnthropic(model) ? undefined : first(environment, 'GOOGLE_VERTEX_API_KEY')
    if (apiKey !== undefined) return { settings: { apiKey } }
    const project = first(environment, 'GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT')
    const location = first(environment, 'GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION')
    if (project === undefined) return missingVariable('GOOGLE_VERTEX_PROJECT')
    if (location === undefined) return missingVariable('GOOGLE_VERTEX_LOCATION')
    return { settings: { project, location, apiKey: '', ...googleAuth(environment) } }
  },
}

function isOfAnthropic(model: string): boolean {
  return /^claude/i.test(model)
}

/**
 * Returns the credentials from the environment. Without any of these variables, the package uses those that `gcloud
 * auth application-default login` stored on the machine.
 */
function googleAuth(environment: Environment): object {
  const keyFilename = first(environment, 'GOOGLE_APPLICATION_CREDENTIALS')
  const [email, key] = [first(environment, 'GOOGLE_CLIENT_EMAIL'), first(environment, 'GOOGLE_PRIVATE_KEY')]
  if (email !== undefined && key !== undefined)
    // In variables, a line end is written as the two characters \n.
    return { googleAuthOptions: { credentials: { client_email: email, private_key: key.replaceAll('\\n', '\n') } } }
  return keyFilename === undefined ? {} : { googleAuthOptions: { keyFilename } }
}

const azure: Cloud = {
  package: '@ai-sdk/azure',
  entry: () => ({ package: '@ai-sdk/azure', factories: ['createAzure'] }),
  variables: ['AZURE_RESOURCE_NAME', 'AZURE_API_KEY'],
  settings(environment) {
    const [resourceName, apiKey] = [first(environment, 'AZURE_RESOURCE_NAME'), first(environment, 'AZURE_API_KEY')]
    if (apiKey === undefined) return missingVariable('AZURE_API_KEY')
    return resourceName === undefined ? missingVariable('AZURE_RESOURCE_NAME') : { settings: { resourceName, apiKey } }
  },
}

/** The clouds by the name before the colon. */
export const CLOUDS: Readonly<Record<string, Cloud>> = { bedrock, vertex, azure }

/** Returns the cloud with this name. */
export function cloudOf(provider: string): Cloud | undefined {
  return Object.hasOwn(CLOUDS, provider) ? CLOUDS[provider] : undefined
}

function first(environment: Environment, ...names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== '')
}

function missingVariable(name: string): CloudSettings {
  return { missing: name, fix: `set ${name}` }
}
