import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clusterPlace } from './places.ts'

/** A model of an application. */
const own = (name: string): object => ({ name, generate: async () => ({ text: 'Hi.', usage: { input: 1, output: 1 } }) })

interface Case {
  readonly name: string
  readonly environment?: Readonly<Record<string, string>>
  readonly options?: object
  /** What the request of the program names. */
  readonly asks: { readonly model?: string; readonly fallback?: readonly string[] }
}

const OPENAI = { OPENAI_API_KEY: 'sk-none' }
const OPENAI_MODEL = { asks: { model: 'openai:gpt-5' } }

const REFUSES: readonly (Case & { readonly needs: string })[] = [
  {
    name: 'the address of the provider cannot be used',
    environment: { ...OPENAI, OPENAI_BASE_URL: 'localhost:9' },
    ...OPENAI_MODEL,
    needs: 'model:openai or model:own/openai:gpt-5 or model:fallback',
  },
  {
    name: 'the address of the server cannot be used',
    environment: { REFLEX_BASE_URL: 'localhost:9' },
    asks: { model: 'llama3' },
    needs: 'model:server or model:own/llama3 or model:fallback',
  },
  {
    name: 'the request names a fallback that cannot be asked, and the fallback of the worker can',
    environment: { REFLEX_MODEL: 'openai:gpt-5' },
    options: { fallback: ['simulated'] },
    asks: { fallback: ['anthropic:claude-x'] },
    needs: 'model:default/able or model:anthropic or model:own/anthropic:claude-x',
  },
  {
    name: 'there is a fallback, and no model for requests that name none',
    options: { fallback: ['simulated'] },
    asks: {},
    needs: 'model:default',
  },
  {
    name: 'a model of the application has the name of a provider',
    options: { models: { openai: own('openai') } },
    ...OPENAI_MODEL,
    needs: 'model:openai or model:own/openai:gpt-5 or model:fallback',
  },
  {
    name: 'the settings of the provider are enough for its other models only',
    environment: { GOOGLE_VERTEX_API_KEY: 'none' },
    asks: { model: 'vertex:claude-x' },
    needs: 'model:vertex:claude or model:own/vertex:claude-x or model:fallback',
  },
  {
    name: 'the fallback of the worker cannot be asked',
    options: { fallback: ['anthropic:claude-x'] },
    ...OPENAI_MODEL,
    needs: 'model:openai or model:own/openai:gpt-5 or model:fallback',
  },
]

const MEETS: readonly Case[] = [
  { name: 'the provider of the model', environment: OPENAI, ...OPENAI_MODEL },
  { name: 'the fallback of the worker', options: { fallback: ['simulated'] }, ...OPENAI_MODEL },
  { name: 'the fallback of the request', environment: OPENAI, asks: { model: 'anthropic:claude-x', fallback: ['openai:gpt-5'] } },
  { name: 'a model of the application with that name', options: { models: { 'openai:gpt-5': own('openai:gpt-5') } }, ...OPENAI_MODEL },
  { name: 'that model itself', options: { model: own('openai:gpt-5') }, ...OPENAI_MODEL },
  { name: 'a server', environment: { REFLEX_BASE_URL: 'http://127.0.0.1:9' }, asks: { model: 'llama3' } },
  { name: 'a model for requests that name none', options: { model: 'simulated' }, asks: {} },
]

function modelPlace({ environment = {}, options = {}, asks }: Case) {
  const place = clusterPlace()
  const { workdir, host, fake } = place
  const file = join(workdir, 'say.workflow.json')
  const say = { id: 'say', spec: { prompt: 'Say hi.', writes: 'said', ...asks } }
  writeFileSync(file, JSON.stringify({ id: 'say', entry: 'say', nodes: { say }, edges: [] }))
  const surroundings = { host, cwd: workdir, actor: 'ana', clusters: fake, worker: { id: 'one', host: 'test', pid: 1 }, environment }
  return {
    ...place,
    start: () => place.process('starter').start(file, { id: 'otter' }),
    joins: () => place.worker('one', { surroundings, ...options }),
  }
}

describe('a worker', () => {
  test.each(REFUSES)('refuses a run, and states none of the words that it lacks: $name', async (one) => {
    const { joins, start, fake } = modelPlace(one)
    const { member } = await joins()
    await start()
    await fake.settle()
    expect(fake.turns).toEqual([['otter', 'one', { did: 'lacks', needs: [one.needs] }]])
    expect(one.needs.split(' or ').filter((word) => member.can.includes(word))).toEqual([])
  })

  test.each(MEETS)('meets what a worker without models says that the run needs, with $name', async (one) => {
    const { joins, start, worker, fake } = modelPlace(one)
    await worker('poor')
    await start()
    await fake.settle()
    const outcome = fake.turns[0]?.[2]
    const needs = outcome?.did === 'lacks' ? outcome.needs : []
    const { member } = await joins()
    expect(needs.map((need) => need.split(' or ').some((word) => member.can.includes(word)))).toEqual([true])
  })
})
