import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AgentCall, toolAgent, type ToolSettings } from '../../src/agents/index.ts'
import type { Json } from '../../src/kernel/index.ts'
import { createPolicy } from '../../src/policy/index.ts'
import { defineTool, type ToolCall, Tools } from '../../src/tools/index.ts'
import { folder, Sandbox, tools } from '../tools/workshop.ts'
import { at, containing, refusal, written } from './workshop.ts'
import { settingsWith } from '../policy/settings.ts'

const calls: { args: unknown; call: ToolCall }[] = []
const order = defineTool({
  name: 'orders.get',
  description: 'Reads an order',
  leaves: true,
  repeat: 'keyed',
  needs: () => ['arbor://net/orders'],
  async run(args, call) {
    calls.push({ args, call })
    await Promise.resolve()
    return { id: 'A-1', total: 84, lines: [{ sku: 'x' }] } satisfies Json
  },
})

const settings: ToolSettings = { tools: new Tools([order]), workdir: '/work', allows: () => true, denies: () => false }
const agent = toolAgent(settings)
const edges = ['OK>ok']

function call(change: Partial<AgentCall> = {}): AgentCall {
  return {
    run: 'otter',
    settings: settingsWith(),
    untrusted: false,
    signal: new AbortController().signal,
    key: 'otter:7',
    isPermitted: () => false,
    part: () => undefined,
    ...change,
  }
}

describe('a node with a tool', () => {
  it('calls it with arguments from the board, writes the result and continues', async () => {
    calls.length = 0
    const parts: Json[] = []
    const spec = { tool: 'orders.get', args: { id: { from: 'order_id' }, note: 'for {{who}}', n: 1 }, writes: 'order' }
    const decision = await agent.resolve(
      at(spec, { edges, board: { order_id: 'A-1', who: 'ana' } }),
      call({ part: (delta) => void parts.push(delta) }),
    )
    expect(decision).toEqual({
      type: 'advance',
      edge: 'e1',
      writes: [{ key: 'order', value: { id: 'A-1', total: 84, lines: [{ sku: 'x' }] } }],
      by: 'tool orders.get',
      because: containing('"id":"A-1"'),
      saw: { keys: ['order_id', 'who'] },
    })
    const [made] = calls
    expect(made?.args).toEqual({ id: 'A-1', note: 'for ana', n: 1 })
    expect(made?.call).toMatchObject({ key: 'otter:7', workdir: '/work', runFolder: '/work/.reflex/runs/otter' })
    made?.call.part('half')
    expect(parts).toEqual(['half'])
  })

  it('writes parts of the result, computes, and chooses by rules on the written values', async () => {
    const spec = {
      tool: 'orders.get',
      writes: { total: 'total', sku: 'lines.0.sku', count: 'lines.length', all: '.' },
      template: { line: '{{sku}} for {{total}}' },
      rules: [{ when: { type: 'above', key: 'total', value: 50 }, go: 'BIG' }, { go: 'SMALL' }],
    }
    const decision = await agent.resolve(at(spec, { edges: ['BIG>b', 'SMALL>s'] }), call())
    expect(decision).toMatchObject({ edge: 'e1', because: containing('line “x for 84”; total = 84, above 50') })
    expect(written(decision)).toMatchObject({ total: 84, sku: 'x', count: 1, line: 'x for 84', all: { id: 'A-1' } })
    expect(await refusal(() => agent.resolve(at({ tool: 'orders.get', writes: { t: 'totl' } }, { edges }), call()))).toMatchObject({
      code: 'R2110',
      message: containing('the result of the tool has no totl; it is an object with id, total, lines'),
    })
  })

  it('says beforehand what it will do and need, nothing of a call that cannot be understood, and that nobody knows of a tool that is missing', () => {
    const place = { run: 'otter', settings: settingsWith(), untrusted: false }
    const facts = (spec: Record<string, unknown>) => agent.traits?.(at(spec, { edges }), place)
    expect(facts({ tool: 'orders.get' })).toMatchObject({
      leaves: true,
      repeat: 'keyed',
      needs: ['arbor://tool/orders.get', 'arbor://net/orders'],
    })
    expect(facts({ tool: 'order.get' })).toEqual({ leaves: false, repeat: 'ask' })
    for (const spec of [
      { tool: 'orders.get', arg: {} },
      { tool: 'orders.get', args: { x: { from: 'nope' } } },
    ]) {
      expect(facts(spec)).toEqual({ leaves: false, repeat: 'free' })
    }
  })

  it('refuses an unknown tool and a spec with a mistake', async () => {
    expect(await refusal(() => agent.resolve(at({ tool: 'order.gt' }, { edges }), call()))).toMatchObject({
      code: 'R4100',
      message: containing('did you mean "orders.get"?'),
    })
    expect(await refusal(() => agent.resolve(at({ tool: 'orders.get', wrtes: 'x' }, { edges }), call()))).toMatchObject({
      code: 'R2100',
      fix: 'write "writes"',
    })
  })

  it('does not call a tool that the policy no longer allows', async () => {
    calls.length = 0
    const strict = toolAgent({ ...settings, allows: (call, capability) => call?.run !== 'otter' || capability !== 'arbor://net/orders' })
    expect(await refusal(() => strict.resolve(at({ tool: 'orders.get' }, { edges }), call()))).toMatchObject({
      code: 'R4105',
      data: { needs: ['arbor://net/orders'] },
    })
    expect(calls).toEqual([])
    await strict.resolve(at({ tool: 'orders.get' }, { edges }))
    expect(calls).toHaveLength(1)
  })
})

it('reads history and writes notes with the permissions of a probationary run', async () => {
  const repo = new Sandbox(folder())
  repo.commit('feat: one')
  repo.git('tag', 'v1.4.2')
  repo.commit('feat!: no parse()')
  repo.commit('fix: two')
  const runFolder = join(repo.root, '.reflex/runs/otter')
  const policy = createPolicy({})
  const real = toolAgent({
    tools: tools(),
    workdir: repo.root,
    allows: (call, capability) => call !== undefined && policy.judgeCall(call, capability).allowed,
    denies: () => false,
  })
  const from = call({ settings: settingsWith({ workdir: repo.root, folder: runFolder }) })
  const tag = await real.resolve(at({ tool: 'git.tag', writes: { tag: 'tag', next: 'next' } }, { edges }), from)
  expect(tag).toMatchObject({ by: 'tool git.tag', because: 'v1.4.2' })
  const history = await real.resolve(
    at(
      { tool: 'git.log', args: { since: { from: 'tag' } }, writes: { commits: 'commits', count: 'count' } },
      { edges, board: written(tag) },
    ),
    from,
  )
  expect(history).toMatchObject({ because: 'v1.4.2..HEAD → 2 commits' })
  const notes = await real.resolve(
    at(
      { tool: 'file.write', args: { path: 'NOTES.md', text: '{{#commits}}\n- {{subject}}\n{{/commits}}' }, writes: 'notes' },
      { edges, board: written(history) },
    ),
    from,
  )
  expect(notes).toMatchObject({ because: 'NOTES.md, 2 lines' })
  expect(written(notes)).toMatchObject({ notes: { path: '.reflex/runs/otter/NOTES.md' } })
  for (const spec of [
    { tool: 'http', args: { url: 'https://example.org' } },
    { tool: 'file.write', args: { path: '.reflex/x', text: '', in: 'work' } },
    { tool: 'file.read', args: { path: '../x' } },
  ]) {
    const needs = real.traits?.(at(spec, { edges }), from).needs ?? []
    expect(policy.judge(from, { leaves: true, repeat: 'ask', needs })).toMatchObject({ refused: { code: 'R3001' } })
    expect(await refusal(() => real.resolve(at(spec, { edges }), from))).toMatchObject({ code: 'R4105' })
  }
})

it('never puts a value into the text of a command, but passes it as a variable', async () => {
  const work = folder()
  const agent = toolAgent({ tools: tools(), workdir: work, allows: () => true, denies: () => false })
  const from = call({ settings: settingsWith({ workdir: work, folder: join(work, '.reflex/runs/otter') }) })
  const board = { title: '$(touch pwned)' }
  for (const command of ['echo {{title}}', { from: 'title' }]) {
    const spec = { tool: 'shell', args: { command, sandbox: 'none' } }
    expect(await refusal(() => agent.resolve(at(spec, { edges, board }), from))).toMatchObject({ code: 'R4101' })
  }
  const args = { command: 'echo "$title"; echo $title', environment: { title: '{{title}}' }, sandbox: 'none' }
  const done = await agent.resolve(at({ tool: 'shell', args, writes: { said: 'stdout' } }, { edges, board }), from)
  expect(written(done)).toEqual({ said: '$(touch pwned)\n$(touch pwned)\n' })
  expect(existsSync(join(work, 'pwned'))).toBe(false)
})
