import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels, providerAccess, shortName } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { faultOf, saying, watched } from './workshop.ts'

const BEDROCK = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKIAHUSHHUSH0123', AWS_SECRET_ACCESS_KEY: 'hush-secret-0123' }
const VERTEX = { GOOGLE_VERTEX_PROJECT: 'acme', GOOGLE_VERTEX_LOCATION: 'global' }
const AZURE = { AZURE_RESOURCE_NAME: 'acme', AZURE_API_KEY: 'hush-azure-0123' }

describe('a model of a cloud whose package is not installed', () => {
  test.each([
    ['bedrock:anthropic.claude-haiku-4-5-v1:0', BEDROCK, '@ai-sdk/amazon-bedrock'],
    ['vertex:gemini-2.5-flash', VERTEX, '@ai-sdk/google-vertex'],
    ['vertex:claude-haiku-4-5', VERTEX, '@ai-sdk/google-vertex'],
    ['azure:my-deployment', AZURE, '@ai-sdk/azure'],
  ])('%s is a failure with the command that installs it', async (model, environment, name) => {
    const models = createModels({ host: virtualHost(), environment: { ...environment, REFLEX_BASE_URL: 'http://127.0.0.1:9/v1' }, model })
    expect(models.check()).toBeUndefined()
    const fault = await faultOf(models.generate(saying('?'), watched()))
    expect(fault).toMatchObject({
      code: 'R4003',
      message: `${model} needs the package ${name}, which is not installed`,
      fix: `npm install ${name}`,
    })
  })

  test('has a name without its cloud for people', () => {
    expect([shortName('bedrock:anthropic.claude-v1:0'), shortName('azure:gpt'), shortName('vertex:gemini')]).toEqual([
      'anthropic.claude-v1:0',
      'gpt',
      'gemini',
    ])
  })

  test.each([
    ['bedrock:x', {}, 'AWS_REGION'],
    ['bedrock:x', { AWS_DEFAULT_REGION: 'eu' }, 'AWS_ACCESS_KEY_ID'],
    ['bedrock:x', { AWS_REGION: 'eu', AWS_BEARER_TOKEN_BEDROCK: 'k' }, undefined],
    ['vertex:x', { GOOGLE_CLOUD_PROJECT: 'p' }, 'GOOGLE_VERTEX_LOCATION'],
    ['vertex:x', { GOOGLE_VERTEX_API_KEY: 'k' }, undefined],
    ['vertex:claude-haiku-4-5', { GOOGLE_VERTEX_API_KEY: 'k' }, 'GOOGLE_VERTEX_PROJECT'],
    ['vertex:x', VERTEX, undefined],
    ['azure:x', { AZURE_RESOURCE_NAME: 'acme' }, 'AZURE_API_KEY'],
    ['azure:x', { AZURE_API_KEY: 'k' }, 'AZURE_RESOURCE_NAME'],
    ['openai:x', {}, 'OPENAI_API_KEY'],
  ])('%s with %j lacks %s', (model, environment, missing) => {
    expect(providerAccess(model, environment)?.missing?.name).toBe(missing)
  })
})

/** A package that creates a model from its settings: the model answers with the settings. */
const fake = (creates: string): string => `
  export function ${creates}(settings) {
    const { fetch, ...rest } = settings
    const content = (name) => [{ type: 'text', text: JSON.stringify({ by: '${creates}', name, fetch: typeof fetch, ...rest }) }]
    return {
      languageModel: (name) => ({
        specificationVersion: 'v4',
        provider: 'fake',
        modelId: name,
        doGenerate: async () => ({
          content: content(name),
          finishReason: { unified: 'stop' },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
          warnings: [],
        }),
        doStream: () => { throw new Error('not asked') },
      }),
    }
  }
`

describe('a model of a cloud whose package is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-clouds-'))
  const packages: readonly (readonly [name: string, entry: string, creates: string])[] = [
    ['amazon-bedrock', 'index.js', 'createAmazonBedrock'],
    ['google-vertex', 'index.js', 'createVertex'],
    ['google-vertex', 'anthropic.js', 'createGoogleVertexAnthropic'],
    ['azure', 'index.js', 'createAzure'],
  ]

  beforeAll(() => {
    const scope = join(folder, 'node_modules', '@ai-sdk')
    for (const [name, entry, creates] of packages) {
      mkdirSync(join(scope, name), { recursive: true })
      writeFileSync(join(scope, name, entry), fake(creates))
      const exports = { '.': './index.js', './anthropic': './anthropic.js' }
      writeFileSync(
        join(scope, name, 'package.json'),
        JSON.stringify({ name: `@ai-sdk/${name}`, version: '9.9.9', type: 'module', exports }),
      )
    }
    // The sources find packages as if they were in this folder.
    symlinkSync(join(import.meta.dirname, '../../src'), join(folder, 'src'))
    for (const name of ['zod', '@bufbuild/cel', '@bufbuild/re2', '@bufbuild/protobuf', 'jsonc-parser']) {
      const found = createRequire(import.meta.url).resolve(name)
      const real = found.slice(0, found.lastIndexOf(join('node_modules', name)) + join('node_modules', name).length)
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
      symlinkSync(real, join(folder, 'node_modules', name))
    }
    writeFileSync(
      join(folder, 'ask.ts'),
      `
      import { createModels } from './src/models/index.ts'
      import { systemHost } from './src/kernel/index.ts'
      const [asked] = process.argv.slice(2).map((text) => JSON.parse(text))
      const call = { signal: new AbortController().signal, key: 'a', part() {} }
      const replies = []
      for (const [model, environment] of asked) {
        const models = createModels({ host: systemHost, environment, model })
        const request = { messages: [{ role: 'user', content: '?' }], retries: 0 }
        replies.push(await models.generate(request, call).then(({ text }) => JSON.parse(text), ({ code, message, fix }) => ({ code, message, fix })))
      }
      console.log(JSON.stringify(replies))
      `,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('gets the settings of the environment and no others', async () => {
    const asked = [
      ['bedrock:anthropic.claude-v1:0', { ...BEDROCK, AWS_SESSION_TOKEN: 't' }],
      ['bedrock:x', { AWS_REGION: 'eu', AWS_BEARER_TOKEN_BEDROCK: 'k' }],
      ['vertex:gemini-2.5-flash', { ...VERTEX, GOOGLE_CLIENT_EMAIL: 'a@b', GOOGLE_PRIVATE_KEY: 'one\\ntwo' }],
      ['vertex:claude-haiku-4-5', { ...VERTEX, GOOGLE_APPLICATION_CREDENTIALS: '/keys/acme.json' }],
      ['azure:my-deployment', AZURE],
      ['azure:my-deployment', { AZURE_API_KEY: 'k' }],
    ]
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--preserve-symlinks', '--preserve-symlinks-main', '--no-warnings', join(folder, 'ask.ts'), JSON.stringify(asked)],
      // No variable of this process may reach the settings.
      { env: { ...process.env, AWS_BEARER_TOKEN_BEDROCK: 'of-the-process', AZURE_RESOURCE_NAME: 'of-the-process' } },
    )
    expect(JSON.parse(stdout)).toEqual([
      {
        by: 'createAmazonBedrock',
        name: 'anthropic.claude-v1:0',
        fetch: 'function',
        region: 'eu-central-1',
        apiKey: '',
        accessKeyId: BEDROCK.AWS_ACCESS_KEY_ID,
        secretAccessKey: BEDROCK.AWS_SECRET_ACCESS_KEY,
        sessionToken: 't',
      },
      { by: 'createAmazonBedrock', name: 'x', fetch: 'function', region: 'eu', apiKey: 'k' },
      {
        by: 'createVertex',
        name: 'gemini-2.5-flash',
        fetch: 'function',
        project: 'acme',
        location: 'global',
        apiKey: '',
        googleAuthOptions: { credentials: { client_email: 'a@b', private_key: 'one\ntwo' } },
      },
      {
        by: 'createGoogleVertexAnthropic',
        name: 'claude-haiku-4-5',
        fetch: 'function',
        project: 'acme',
        location: 'global',
        apiKey: '',
        googleAuthOptions: { keyFilename: '/keys/acme.json' },
      },
      { by: 'createAzure', name: 'my-deployment', fetch: 'function', resourceName: 'acme', apiKey: 'hush-azure-0123' },
      {
        code: 'R4004',
        message: 'azure:my-deployment needs credentials for its cloud, and AZURE_RESOURCE_NAME is not set',
        fix: 'set AZURE_RESOURCE_NAME',
      },
    ])
  })
})
