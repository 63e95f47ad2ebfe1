import { describe, expect, test } from 'vitest'
import { type HostActions, actionPort, ActionRegistry } from '../../../../src/kinds/pipeline/operations/actions/registry.ts'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { runDot, type Went } from '../engine/harness.ts'

/** An action of a host that says which of its parameters decide what happens. */
async function deploys(attributes: string, values: JsonObject): Promise<{ went: Went; given: JsonObject[] }> {
  const given: JsonObject[] = []
  const actions: HostActions = {
    deploy: {
      parameters: { script: { kind: 'text', authored: true }, target: { kind: 'text', control: true }, note: { kind: 'text' } },
      run: (params) => void given.push(params),
    },
  }
  const registry = new ActionRegistry(actions)
  const dot = `digraph g { start [shape=Mdiamond] a [type=exec, target=action, ${attributes}] done [shape=Msquare] start -> a -> done }`
  return { went: await runDot(dot, { values, ports: { action: actionPort(registry) } }), given }
}

const BY_AUTHOR = 'action=deploy, "param.script"="kind.sh", "param.target"=here'
const byAgent = (params: JsonObject): JsonObject => ({ actions: [{ type: 'deploy', params }] })
const AGENT = 'action=session_execute_actions, context_keys=actions'

describe('what an action of a host says of its parameters holds', () => {
  test('the author writes all of them, and the context those that are content', async () => {
    const { went, given } = await deploys(`${BY_AUTHOR}, context_keys=note`, { note: 'hello' })
    expect([went.status, given]).toEqual(['success', [{ script: 'kind.sh', target: 'here', note: 'hello' }]])
  })

  test('no value of the context is one that only the author writes', async () => {
    const { went, given } = await deploys(`${BY_AUTHOR}, context_keys=script`, { script: 'evil.sh' })
    expect([went.status, given]).toEqual(['failed', []])
    expect(went.reason).toContain('only the author of the pipeline writes the parameter script')
  })

  for (const params of [{ script: 'evil.sh' }, { target: 'elsewhere' }]) {
    test(`an agent chooses none that decides what happens: ${JSON.stringify(params)}`, async () => {
      const { went, given } = await deploys(AGENT, byAgent(params))
      expect([went.status, given]).toEqual(['success', []])
      expect(JSON.stringify(went.context)).toContain('only the author of the pipeline')
    })
  }

  test('an agent chooses what is content', async () => {
    expect((await deploys(AGENT, byAgent({ note: 'hello' }))).given).toEqual([{ note: 'hello' }])
  })
})
