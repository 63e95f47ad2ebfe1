import { Agent, Runner, setTracingDisabled, tool, Usage } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { activate, life, propose, RELEASE, textOf } from '../session/world.ts'
import { ScriptedAgentsModel } from './agents-model.ts'
import { inTurn } from './script.ts'

setTracingDisabled(true)

function weather(): { tool: ReturnType<typeof tool>; cities: string[] } {
  const cities: string[] = []
  const made = tool({
    name: 'weather',
    description: 'The weather of a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      cities.push(city)
      return { city, sky: 'sunny' }
    },
  })
  return { tool: made as ReturnType<typeof tool>, cities }
}

const ASKS = { call: 'weather', args: { city: 'Rome' } }

describe('an agent of the OpenAI Agents SDK', () => {
  it('is a run for each turn', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedAgentsModel(inTurn(ASKS, 'It is sunny.'))
    const { tool: look, cities } = weather()
    const agent = new Agent({ name: 'guide', instructions: 'Be brief.', tools: [look] })
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent, runner: new Runner({ modelProvider: model.provider }) })
    let run = ''
    const { finalOutput } = await wrapped.run('the weather?', { onStart: (id) => (run = id) })
    expect(finalOutput).toBe('It is sunny.')
    expect(cities).toEqual(['Rome'])
    expect(troubles.map(String)).toEqual([])
    expect(JSON.stringify(await reflex.trace(run))).toContain('weather')
    expect((await reflex.replay(run)).difference).toBeUndefined()
    const [row] = await reflex.runs()
    expect(row?.program[0]).toBe('turn:guide')
  })

  it('carries skills out', async () => {
    const world = life()
    const { reflex, troubles } = world
    await activate(world, RELEASE, ['set_tag'])
    const tags: unknown[] = []
    const setTag = tool({
      name: 'set_tag',
      description: 'Sets a tag.',
      parameters: z.object({ tag: z.string() }),
      execute: async (args) => {
        tags.push(args)
        return 'set'
      },
    })
    const model = new ScriptedAgentsModel(inTurn(propose({ tag: 'v1' }), 'Released.'))
    const agent = new Agent({ name: 'releaser', instructions: 'Be brief.', tools: [setTag] })
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent, runner: new Runner({ modelProvider: model.provider }) })
    const result = await wrapped.run('release v1')
    expect(troubles.map(String)).toEqual([])
    expect(result.finalOutput).toBe('Released.')
    expect(tags).toEqual([{ tag: 'v1' }])
    expect(JSON.stringify(model.requests[0]?.input)).toContain('release.tag')
    expect(model.requests).toHaveLength(2)
  })
})
