import { describe, expect, it } from 'vitest'
import type { JsonObject, Port } from '../../../../src/kernel/index.ts'
import { faults } from '../../../../src/tools/index.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

/** A tool that answers from a table by name, and what it was called with. */
function toolAnswering(answers: Readonly<Record<string, JsonObject>>): { readonly port: Port; readonly calls: JsonObject[] } {
  const calls: JsonObject[] = []
  const port: Port = {
    leaves: false,
    repeat: 'free',
    perform({ args }) {
      calls.push(args as JsonObject)
      const answer = answers[(args as { readonly tool: string }).tool]
      if (answer === undefined) throw faults.make('R4106', 'there is no file')
      return answer
    },
  }
  return { port, calls }
}

function node(text: string, port: Port, world: World = {}): Promise<Went> {
  const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] bad [type=branch] n [${text}]
    start -> n n -> done [condition="outcome=success"] n -> bad [condition="outcome=fail"] bad -> done }`
  return runDot(dot, { ...world, ports: { tool: port, ...world.ports } })
}

describe('reading a file', () => {
  // proves: pipeline s6.9a, pipeline 4.7a, pipeline 2.6.41
  it.each<[string, JsonObject, string]>([
    ['path="a/b.md"', {}, 'a/b.md'],
    ['path="a.md"', { workdir: '/srv/x' }, '/srv/x/a.md'],
    ['path="/etc/hosts"', {}, '/etc/hosts'],
    ['path="$HOME/a"', {}, '$HOME/a'],
    ['source=file, source_key="where"', { where: 'c.md' }, 'c.md'],
    ['source=file, source_key="docs/d.md"', {}, 'docs/d.md'],
  ])('%s with %j is %s', async (text, values, path) => {
    const { port, calls } = toolAnswering({ 'file.read': { path, text: 'inside', bytes: 6, lines: 1 } })
    const went = await node(`type=read, ${text}`, port, { values })
    expect(calls).toEqual([
      { tool: 'file.read', args: { path: values['workdir'] === undefined ? path : '/srv/x/a.md', limit: 10_000_000 } },
    ])
    expect(went.context).toMatchObject({ 'read.n': 'inside', last_response: 'inside' })
  })

  it('fails for good without the file', async () => {
    const { port, calls } = toolAnswering({})
    const went = await node('type=read, path="a", max_retries=3, output_key=x', port)
    expect(told(went, 'stage_failed')).toMatchObject([{ error: 'n: there is no file', will_retry: false }])
    expect(calls).toHaveLength(1)
  })
})

describe('reading the context', () => {
  // proves: pipeline s6.9a
  it('copies a value, and only that', async () => {
    const { port } = toolAnswering({})
    const values = { a: { b: [1, 2] }, last_response: 'model' }
    const went = await node('type=read, source_key="context.a.b", output_key=copy', port, { values })
    expect(went.context).toMatchObject({ copy: [1, 2], last_response: 'model' })
    const without = await node('type=read, source_key="nothing"', port, { values })
    expect(told(without, 'stage_failed')).toMatchObject([{ error: 'read n: the context has no nothing' }])
  })
})

describe('reading from an address', () => {
  const api = 'type=read, source=api, url="https://example.org/x"'

  // proves: pipeline s6.9a
  it('sends what the node says and keeps what came', async () => {
    const { port, calls } = toolAnswering({ http: { status: 200, text: 'body', headers: {}, url: '' } })
    const went = await node(`${api}, method=POST, headers="{\\"a\\": \\"b\\"}", body_key=q, timeout="3s"`, port, {
      values: { q: { x: 1 } },
    })
    expect(calls).toEqual([
      { tool: 'http', args: { url: 'https://example.org/x', method: 'POST', headers: { a: 'b' }, body: '{"x":1}', timeout: 3000 } },
    ])
    expect(went.context).toMatchObject({ 'read.n': 'body', last_response: 'body', 'read.n.status': 200 })
  })

  // proves: pipeline 4.7b, pipeline 3.5f
  it.each([
    [404, 1],
    [400, 1],
    [429, 3],
    [503, 3],
  ])('fails with %d, after %d attempts', async (status, attempts) => {
    const { port, calls } = toolAnswering({ http: { status, text: 'sorry', headers: {}, url: '' } })
    const went = await node(`${api}, max_retries=2`, port)
    expect(calls).toHaveLength(attempts)
    expect(went.trail).toContain('bad')
    expect(went.context).toMatchObject({ 'read.n.status': status })
  })

  it('fails before it sends where headers are none', async () => {
    const { port, calls } = toolAnswering({})
    expect((await node(`${api}, headers="[1]"`, port)).trail).toContain('bad')
    await expect(node(`${api}, headers="a: b"`, port)).rejects.toThrow('headers of')
    expect(calls).toEqual([])
  })
})
