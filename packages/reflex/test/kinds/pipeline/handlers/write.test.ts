import { describe, expect, it } from 'vitest'
import type { Json, JsonObject, Port } from '../../../../src/kernel/index.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

/** Takes files and requests, and remembers them. */
function taking(): { readonly port: Port; readonly calls: JsonObject[] } {
  const calls: JsonObject[] = []
  const port: Port = {
    leaves: true,
    repeat: 'keyed',
    perform({ args }) {
      const { tool, args: given } = args as { readonly tool: string; readonly args: JsonObject }
      calls.push(given)
      return tool === 'http' ? { status: 201, text: 'made', headers: {}, url: '' } : { path: given['path'] ?? '', bytes: 0, lines: 0 }
    },
  }
  return { port, calls }
}

function node(text: string, world: World = {}, port = taking().port): Promise<Went> {
  const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] bad [type=branch] n [${text}]
    start -> n n -> done [condition="outcome=success"] n -> bad [condition="outcome=fail"] bad -> done }`
  return runDot(dot, { ...world, ports: { tool: port, ...world.ports } })
}

describe('writing a file', () => {
  // proves: pipeline 4.8a, pipeline s6.9a
  it.each<[format: string, value: Json, text: string]>([
    ['raw', 'a\n', 'a\n'],
    ['raw', 3, '3'],
    ['text', { a: 1 }, '{\n  "a": 1\n}'],
    ['json', { a: 1 }, '{\n  "a": 1\n}\n'],
    ['json', '{"a":1}', '{\n  "a": 1\n}\n'],
    ['json', 'plain', '"plain"\n'],
  ])('as %s, %j is %j', async (format, value, text) => {
    const { port, calls } = taking()
    const went = await node(
      `type="file.write", content_key="context.v", output="out/a.txt", format=${format}`,
      { values: { v: value } },
      port,
    )
    expect(calls).toEqual([{ path: 'out/a.txt', text, in: 'work' }])
    expect(went.context).toMatchObject({ 'file.written.n': '/work/out/a.txt' })
  })

  it('may add to it', async () => {
    const { port, calls } = taking()
    await node('type="file.write", content_key=v, path="/srv/log", append=true', { values: { v: 'x' } }, port)
    expect(calls).toEqual([{ path: '/srv/log', text: 'x', in: 'work', append: true }])
  })

  it('fails where there is nothing to write, or no such format', async () => {
    const { port, calls } = taking()
    const without = await node('type="file.write", content_key=v, output=a', {}, port)
    expect(told(without, 'stage_failed')).toMatchObject([{ error: 'file.write n: the context has no v' }])
    await node('type="file.write", content_key=v, output=a, format=xml', { values: { v: 1 } }, port)
    expect(calls).toEqual([])
  })
})

describe('writing elsewhere', () => {
  // proves: pipeline 4.8b, pipeline s6.9a
  it('puts a value of the context, or one that is written, under a key', async () => {
    expect((await node('type=write, content_key="a.b", output_key=c', { values: { a: { b: [1] } } })).context).toMatchObject({ c: [1] })
    expect((await node('type=write, target=context, value=7, output_key=c')).context).toMatchObject({ c: 7 })
    expect((await node('type=write, target=context, output_key=c')).trail).toContain('bad')
  })

  // proves: pipeline s6.9a
  it('sends it to an address', async () => {
    const { port, calls } = taking()
    const went = await node(
      'type=write, target=api, url="https://example.org", content_key=v, output_key=r',
      { values: { v: { a: 1 } } },
      port,
    )
    expect(calls).toEqual([{ url: 'https://example.org', method: 'POST', headers: {}, body: '{"a":1}' }])
    expect(went.context).toMatchObject({ 'write.n.status': 201, 'write.n.response': 'made', r: 'made' })
  })
})

describe('an accumulator', () => {
  const gather = async (attributes: string, values: JsonObject): Promise<Went> =>
    node(`type=accumulator, input_key=v, accumulator_key=all, ${attributes}`, { values })

  // proves: pipeline 4.8c
  it.each<[operation: string, before: Json | undefined, input: Json, after: Json]>([
    ['sum', undefined, 2, 2],
    ['sum', 3, '4.5', 7.5],
    ['product', undefined, 3, 3],
    ['product', 4, 3, 12],
    ['min', undefined, 3, 3],
    ['min', 2, 3, 2],
    ['max', 2, 3, 3],
    ['count', undefined, 'whatever', 1],
    ['count', 1, 'whatever', 2],
    ['avg', undefined, 4, { sum: 4, count: 1 }],
    ['avg', { sum: 4, count: 1 }, 6, { sum: 10, count: 2 }],
    ['append', undefined, { a: 1 }, [{ a: 1 }]],
    ['append', [1], 2, [1, 2]],
    ['append', '[1]', 2, [1, 2]],
    ['prepend', [1], 2, [2, 1]],
    ['concat', 'a', 'b', 'ab'],
    ['merge', { a: { x: 1 }, b: 1 }, { a: { y: 2 }, b: 2 }, { a: { x: 1, y: 2 }, b: 2 }],
    ['merge', undefined, '{"a":1}', { a: 1 }],
  ])('%s of %j and %j is %j', async (operation, before, input, after) => {
    const went = await gather(`operation=${operation}`, { v: input, ...(before === undefined ? {} : { all: before }) })
    expect(went.context['all']).toEqual(after)
    expect(went.context).toMatchObject({
      'accumulator.n.operation': operation,
      'accumulator.n.input': input,
      'accumulator.n.previous': before ?? null,
      'accumulator.n.limit_exceeded': false,
    })
    if (operation === 'avg') expect(went.context['all.avg']).toBe(before === undefined ? 4 : 5)
  })

  it('appends where nothing says how', async () => {
    expect((await gather('label=x', { v: 2, all: [1] })).context).toMatchObject({ all: [1, 2], 'accumulator.n.operation': 'append' })
    expect((await gather('mode=sum', { v: 2, all: 1 })).context['all']).toBe(3)
  })

  it.each([
    ['sum', 'x'],
    ['sum', true],
    ['max', [1]],
    ['avg', ''],
    ['merge', 'x'],
  ])('%s fails for %j', async (operation, input) => {
    expect((await gather(`operation=${operation}`, { v: input })).trail).toContain('bad')
  })

  it('begins with what is written, and under a key of its own', async () => {
    const went = await node('type=accumulator, input_key=v, operation=sum, init_value="10"', { values: { v: 1 } })
    expect(went.context['accumulator.n']).toBe(11)
  })

  // proves: pipeline 4.8c
  it('keeps to its limit as it is told', async () => {
    const values = { v: 5, all: 8 }
    expect((await gather('operation=sum, limit=10, limit_action=fail', values)).trail).toContain('bad')
    expect((await gather('operation=sum, limit=10, limit_action=cap', values)).context).toMatchObject({
      all: 10,
      'accumulator.n.limit_exceeded': true,
    })
    const warned = await gather('operation=sum, limit=10', values)
    expect(warned.context).toMatchObject({ all: 13, 'accumulator.n.limit_exceeded': true })
    expect(told(warned, 'stage_warning')).toHaveLength(1)
    expect((await gather('operation=append, limit=2, limit_action=cap', { v: 3, all: [1, 2] })).context['all']).toEqual([1, 2])
    expect((await gather('operation=prepend, limit=2, limit_action=cap', { v: 3, all: [1, 2] })).context['all']).toEqual([1, 2])
  })
})
