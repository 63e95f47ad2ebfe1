import { describe, expect, test } from 'vitest'
import { type Port, Runtime, type Term } from '../../../../src/kernel/index.ts'
import { pipelineWithTools } from '../../../../src/kinds/pipeline/face/assemble.ts'
import { createPolicy, type PolicyFile, type RunSettings } from '../../../../src/policy/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { createTools } from '../../../../src/tools/index.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'
import { runsSettings } from '../../../policy/settings.ts'

const tool: Port = { leaves: false, repeat: 'free', perform: () => ({ code: 0, stdout: 'done', stderr: '' }) }
const grant = 'arbor://shell/exec/**'

/** A world in which commands are granted on terms. */
function world(term: Partial<Term>, more: World = {}): World {
  return {
    ...more,
    ports: { tool },
    terms: (need) => (need === 'arbor://shell/exec' ? { grant, by: 'my.policy.json', ...term } : undefined),
  }
}
const run = (body: string, term: Partial<Term>, more?: World): Promise<Went> =>
  runDot(`digraph g { start [shape=Mdiamond] done [shape=Msquare] ${body} }`, world(term, more))
const ship = 'ship [type=tool, tool_command="ship"] start -> ship -> done'

describe('a right that somebody is asked for', () => {
  test('waits, and nothing of the node happens', async () => {
    const went = await run(ship, { ask: true })
    expect(went.status).toBe('suspended')
    expect([...went.run.state.waits.values()]).toMatchObject([{ asker: 'permission', about: { text: 'May ship use arbor://shell/exec?' } }])
    expect([went.trail, went.run.records.flatMap(({ requests }) => requests ?? []).map(([port]) => port)]).toEqual([
      ['start', 'ship'],
      ['permit'],
    ])
  })

  test.each([
    ['allow', 'success'],
    ['deny', 'failed'],
  ])('%s', async (answer, status) => {
    const went = await run(ship, { ask: true }, { answers: { permission: answer } })
    expect(went.status).toBe(status)
    expect(told(went, 'middleware_halted').length).toBe(answer === 'deny' ? 1 : 0)
    expect(went.run.state.decided('0/ship', grant)).toBe(answer === 'allow')
  })

  test('is asked for once for each stage', async () => {
    const body = `loop [type=transform, transform=increment, source_key=n, output_key=n] a [type=tool, tool_command=a] b [type=tool, tool_command=b]
      start -> loop -> a -> b b -> loop [condition="context.n<2"] b -> done [condition="context.n>=2"]`
    const went = await run(body, { ask: true }, { answers: { permission: 'allow' }, values: { n: 0 } })
    expect(went.status).toBe('success')
    expect(went.run.records.flatMap(({ more }) => more?.decided ?? []).map(([, place]) => place)).toEqual(['0/a', '0/b'])
  })
})

describe('a right that may be used so many times', () => {
  const twice = 'a [type=tool, tool_command=a] b [type=tool, tool_command=b] start -> a -> b -> done'
  test.each([
    [2, 'success'],
    [1, 'failed'],
  ])('%i', async (most, status) => {
    const went = await run(twice, { most })
    expect(went.status).toBe(status)
    if (status === 'failed') expect(went.reason).toContain('is not met')
  })

  test('counts across branches that run at once', async () => {
    const went = await run(
      `fork [shape=component] join [shape=tripleoctagon] a [type=tool, tool_command=a] b [type=tool, tool_command=b] c [type=tool, tool_command=c]
       start -> fork fork -> a -> join fork -> b -> join fork -> c -> join join -> done`,
      { most: 2 },
    )
    expect(told(went, 'middleware_halted').length).toBe(1)
  })
})

describe('branches that a process takes up after another one', () => {
  const command = 'type=tool, sandbox=none, capabilities="arbor://shell/exec/unsandboxed", tool_command=x'
  const ids = ['a', 'b', 'c']
  const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] fork [shape=component] join [shape=tripleoctagon]
    start -> fork join -> done ${ids.map((id) => `${id} [${command}] fork -> ${id} -> join`).join(' ')} }`

  test('use a right no more often than it says', async () => {
    const [host, store] = [virtualHost(), memoryStore()]
    let ran = 0
    const tool: Port = {
      leaves: false,
      repeat: 'free',
      needs: ['arbor://shell/exec/unsandboxed'],
      perform: () => {
        ran++
        return { code: 0, stdout: '', stderr: '' }
      },
    }
    const processOf = (pid: number): Runtime<RunSettings> => {
      const grants = [{ file: 'my.policy.json', bounded: [{ capability: 'arbor://shell/**', maxUses: 1 }] }]
      const policy = createPolicy({ grants, now: () => host.now() })
      const { kind, ports } = pipelineWithTools({ policy, tools: createTools({ host, environment: {} }), store })
      const worker = { id: `life ${pid}`, host: 'test', pid }
      return new Runtime<RunSettings>({ kinds: [kind], host, policy, store, worker, settings: runsSettings(), ports: { ...ports, tool } })
    }
    const first = processOf(2 ** 22)
    const run = await first.start(first.programs.add('pipeline', 'g', { dot }, {}), {
      id: 'otter',
      prepare: (begun) => begun.block((next) => 'port' in next && next.port === 'permit'),
    })
    await host.drain()
    expect([...run.state.pendingEffects()].map(({ port }) => port)).toEqual(['permit', 'permit', 'permit'])
    await run.leave()
    const again = await processOf(2 ** 22 + 1).resume('otter')
    await host.drain()
    expect({ ran, status: again.state.ended?.status, uses: [...again.state.uses.values()] }).toEqual({ ran: 1, status: 'done', uses: [1] })
  })
})

describe('the policy of the operator', () => {
  /** Runs two commands under a policy file, answering what Reflex asks; gives how it ended and how many ran. */
  async function under(file: Partial<PolicyFile>, answer?: string): Promise<{ status: string; ran: number; message: string }> {
    const host = virtualHost()
    const grants = [{ file: 'my.policy.json', ...file }]
    const policy = createPolicy({ grants, now: () => host.now() })
    const tools = createTools({ host, environment: {} })
    const parts = pipelineWithTools({ policy, tools, store: memoryStore() })
    let ran = 0
    const command: Port = {
      leaves: false,
      repeat: 'free',
      needs: ['arbor://shell/exec/unsandboxed'],
      perform: () => {
        ran++
        return { code: 0, stdout: '', stderr: '' }
      },
    }
    const runtime = new Runtime<RunSettings>({
      kinds: [parts.kind],
      host,
      policy,
      settings: runsSettings(),
      ports: { ...parts.ports, tool: command },
    })
    const node = 'type=tool, sandbox=none, capabilities="arbor://shell/exec/unsandboxed", tool_command=x'
    const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] a [${node}] b [${node}] start -> a -> b -> done }`
    const run = await runtime.start(runtime.programs.add('pipeline', 'g', { dot }, {}), {})
    for (let i = 0; i < 5; i++) {
      await host.drain()
      const [open] = run.state.waits.keys()
      if (open !== undefined && answer !== undefined) await run.answer(open, answer)
    }
    const value = run.state.ended?.value
    return { status: run.state.ended?.status ?? run.status, ran, message: JSON.stringify(value ?? null) }
  }
  const all = 'arbor://shell/**'

  test('grants nothing by itself', async () => {
    expect(await under({})).toMatchObject({ status: 'failed', ran: 0 })
  })

  // proves: pipeline 5.2d
  test('performs an effect only after somebody has allowed it', async () => {
    expect(await under({ ask: [all] })).toMatchObject({ status: 'suspended', ran: 0 })
    expect(await under({ ask: [all] }, 'allow')).toMatchObject({ status: 'done', ran: 2 })
    expect(await under({ ask: [all] }, 'deny')).toMatchObject({ status: 'failed', ran: 0 })
  })

  // proves: pipeline 5.2d
  test('performs it as often as it says, and until it says', async () => {
    const capability = 'arbor://shell/**'
    expect(await under({ bounded: [{ capability, maxUses: 2 }] })).toMatchObject({ status: 'done', ran: 2 })
    expect(await under({ bounded: [{ capability, maxUses: 1 }] })).toMatchObject({ status: 'failed', ran: 1 })
    expect(await under({ bounded: [{ capability, expiresAt: 0 }] })).toMatchObject({ status: 'failed', ran: 0 })
  })
})
