import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { describe, expect, test, vi } from 'vitest'
import { isRegistered } from '../../../src/history/telemetry/api.ts'
import type { Reflex } from '../../../src/app/reflex.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { asking } from '../archive/lines.ts'
import { forgotten, sealedCopy, watchedStore } from '../archive/sealed.ts'
import { lifeIn, newFolder, workflow } from '../../app/folders.ts'
import { registered, telemetry } from './telemetry.ts'

/** Returns spans as a tree of names, each with its status. */
function tree(
  spans: readonly { readonly id: string; readonly parent?: string; readonly name: string; readonly status: string }[],
): string[] {
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter((span) => span.parent === parent)
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name} ${span.status}`, ...below(span.id, depth + 1)])
  return below(undefined, 0)
}

async function paid(reflex: Reflex): Promise<void> {
  await reflex.answer('otter', 'YES', { by: 'ana' })
  await reflex.runtime.openRuns.get('otter-2m9q')?.idle()
}

const WHOLE = [
  'run workflow:pay ok',
  '  decide read ok',
  '  call workflow:check ok',
  '    decide verify/look ok',
  '  decide verify ok',
  '  decide ask ok',
  '  wait answer ask ok',
  '  decide ask ok',
  '  decide paid ok',
]

describe('the spans of a run', () => {
  test('are nested like its calls, and are the same at every time', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    await paid(reflex)
    const spans = await reflex.spans('otter')
    const { trace } = await reflex.find('otter')
    expect(tree(spans)).toEqual(WHOLE)
    expect(new Set(spans.map((span) => span.trace))).toEqual(new Set([trace]))
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length)
    expect(spans.find(({ what }) => what === 'run')?.attributes).toMatchObject({
      'reflex.run': 'otter-2m9q',
      'reflex.program': 'workflow:pay',
      'reflex.status': 'completed',
    })
    expect(spans.find(({ what }) => what === 'wait')?.attributes).toMatchObject({ 'reflex.wait.by': 'ana', 'reflex.node': 'ask' })
    expect(await reflex.spans('otter')).toEqual(spans)
  })

  test('of an open run have no end', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    const open = (await reflex.spans('otter')).filter(({ end }) => end === undefined)
    expect(open.map(({ what }) => what)).toEqual(['run', 'wait'])
  })

  test('of a sealed run are sent from its last segment on, with the same ids', async () => {
    const { reflex, folder } = await asking(memoryStore(), 10)
    await reflex.runtime.close()
    await sealedCopy(reflex, 'otter-2m9q', reflex.store, 'crane-1aaa', [4, 8])
    await forgotten(reflex.store, 'crane-1aaa', 2, 'f00d'.repeat(16))
    const sink = telemetry()
    const { store, read } = watchedStore(reflex.store)
    const life = lifeIn(folder, { store, observe: sink.observe })
    const { handle } = await life.answer('crane', 'YES', { by: 'ana' })
    await handle?.idle()
    await life.close()
    const whole = await reflex.spans('otter')
    const sent = sink.spans().map((span) => [span.name, span.spanContext().spanId])
    const run = whole.find(({ what }) => what === 'run')
    expect(sent).toContainEqual([run?.name, run?.id])
    expect(sent.map(([name]) => name)).toEqual(['wait answer ask', 'decide ask', 'decide paid', 'run workflow:pay'])
    expect(read()).toBeLessThan(10)
  })

  test('of a failed effect have its code', async () => {
    const folder = newFolder()
    const reflex = lifeIn(folder, { store: memoryStore() })
    writeFileSync(
      join(folder, 'bad.workflow.json'),
      JSON.stringify(workflow('bad', { read: { tool: 'json.read', args: { path: 'no.json' } } }, [])),
    )
    await reflex.run(join(folder, 'bad.workflow.json'), { id: 'otter-2m9q' })
    const failed = (await reflex.spans('otter')).find(({ what }) => what === 'effect')
    expect(failed).toMatchObject({
      status: 'error',
      attributes: { 'error.type': expect.stringMatching(/^R\d{4}$/) as string, 'reflex.node': 'read' },
    })
  })

  test('of a model have its tokens and its cost', async () => {
    const folder = newFolder()
    const model = {
      name: 'acme:big',
      generate: () => Promise.resolve({ text: '{"choose":"e1"}', finish: 'stop' as const, usage: { input: 1200, output: 12 } }),
    }
    const reflex = lifeIn(folder, {
      store: memoryStore(),
      models: { big: model },
      model: 'big',
      agent: { default: 'model' },
      prices: { big: { input: 1, output: 2 } },
    })
    await reflex.run(
      workflow('ask', { a: { prompt: 'Which?' }, b: {}, c: {} }, [
        ['one', 'a', 'b'],
        ['two', 'a', 'c'],
      ]) as never,
      { id: 'otter-2m9q' },
    )
    const effect = (await reflex.spans('otter')).find(({ attributes }) => attributes['reflex.node'] === 'a')
    expect(effect?.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': expect.any(Number) as number,
      'gen_ai.response.model': expect.any(String) as string,
    })
  })
})

describe('the spans of a fork', () => {
  test('begin at the fork, in their own trace, which is linked to the source', async () => {
    const { reflex } = await asking(memoryStore(), 10)
    const { last, trace: first } = await reflex.find('otter')
    await paid(reflex)
    const fork = await reflex.fork(`otter-2m9q@${last}`)
    const handle = await reflex.resume(fork.id)
    await handle.idle()
    await (await reflex.answer(fork.id, 'NO')).handle?.idle()
    const { trace } = await reflex.find(fork.id)
    const spans = await reflex.spans(fork.id)
    const root = spans.find(({ what }) => what === 'run')
    expect(trace).not.toBe(first)
    expect(new Set(spans.map((span) => span.trace))).toEqual(new Set([trace]))
    expect(root?.links).toMatchObject([{ trace: first, id: (await reflex.spans('otter')).find(({ what }) => what === 'run')?.id }])
    expect(root?.attributes).toMatchObject({ 'reflex.fork.run': 'otter-2m9q', 'reflex.fork.record': last, 'reflex.status': 'completed' })
    expect(tree(spans)).toEqual(['run workflow:pay ok', '  wait answer ask ok', '  decide ask ok', '  decide left ok'])
  })

  test('are sent with their link, also by a process that only continues the fork', async () => {
    const told = telemetry()
    const { reflex, folder } = await asking(undefined, 10)
    const { last, trace: first } = await reflex.find('otter')
    const fork = await reflex.fork(`otter-2m9q@${last}`)
    await reflex.close()
    const other = lifeIn(folder, { observe: told.observe })
    await (await other.resume(fork.id)).idle()
    await (await other.answer(fork.id, 'NO')).handle?.idle()
    const projected = await other.spans(fork.id)
    await other.close()
    expect(told.spans().map((span) => span.spanContext().spanId)).toEqual(projected.map(({ id }) => id))
    expect(
      told
        .spans()
        .at(-1)
        ?.links.map(({ context }) => context.traceId),
    ).toEqual([first])
  })
})

describe('an application that has telemetry', () => {
  test('receives the projected spans, with their ids, and metrics', async () => {
    const told = telemetry()
    const folder = (await asking(memoryStore(), 10)).folder
    const reflex = lifeIn(folder, { store: memoryStore(), observe: told.observe })
    await reflex.run(join(folder, 'pay.workflow.json'), { id: 'otter-2m9q' })
    await paid(reflex)
    const projected = await reflex.spans('otter')
    await reflex.close()
    const spans = told.spans()
    const shown = spans.map((span) => ({
      trace: span.spanContext().traceId,
      id: span.spanContext().spanId,
      parent: span.parentSpanContext?.spanId,
      name: span.name,
      start: span.startTime[0] * 1000 + span.startTime[1] / 1e6,
      end: span.endTime[0] * 1000 + span.endTime[1] / 1e6,
      status: span.status.code === SpanStatusCode.OK ? 'ok' : span.status.code === SpanStatusCode.ERROR ? 'error' : 'unset',
      client: span.kind === SpanKind.CLIENT,
      attributes: span.attributes,
    }))
    expect(shown).toEqual(
      projected.map(({ trace, id, parent, name, start, end, status, client, attributes }) => ({
        trace,
        id,
        parent,
        name,
        start,
        end,
        status,
        client,
        attributes,
      })),
    )
    expect(await told.metrics()).toMatchObject({
      'reflex.runs started workflow:pay workflow': 1,
      'reflex.runs completed workflow:pay workflow': 1,
      'reflex.waits.open answer': 0,
      'reflex.effect.duration decide done': 6,
    })
  })

  test('receives one trace of a run that two processes held in turn', async () => {
    const [one, other] = [telemetry(), telemetry()]
    const { folder } = await asking(memoryStore(), 10)
    const first = lifeIn(folder, { observe: one.observe })
    await first.run(join(folder, 'pay.workflow.json'), { id: 'lark-1aaa' })
    await first.close()
    const second = lifeIn(folder, { observe: other.observe })
    await (await second.answer('lark', 'YES')).handle?.idle()
    const projected = await second.spans('lark')
    await second.close()
    const ids = (spans: ReturnType<typeof one.spans>): string[] => spans.map((span) => span.spanContext().spanId)
    expect([...ids(one.spans()), ...ids(other.spans())]).toEqual(projected.map(({ id }) => id))
    expect(new Set([...one.spans(), ...other.spans()].map((span) => span.spanContext().traceId)).size).toBe(1)
  })

  test('without our ids receives one trace with nested spans', async () => {
    const told = telemetry(false)
    const { folder } = await asking(memoryStore(), 10)
    const reflex = lifeIn(folder, { store: memoryStore(), observe: told.observe })
    await reflex.run(join(folder, 'pay.workflow.json'), { id: 'otter-2m9q' })
    await paid(reflex)
    const { trace } = await reflex.find('otter')
    await reflex.close()
    expect(new Set(told.spans().map((span) => span.spanContext().traceId))).toEqual(new Set([trace]))
    const root = told.spans().find(({ name }) => name === 'run workflow:pay')
    const above = told.spans().filter((span) => span.parentSpanContext?.spanId === root?.spanContext().spanId)
    expect(above.map(({ name }) => name)).toContain('call workflow:check')
  })

  test('receives telemetry if it has registered a provider, and none if telemetry is off', async () => {
    const told = telemetry()
    const { folder } = await asking(memoryStore(), 10)
    expect(isRegistered()).toBe(false)
    const undo = registered(told)
    try {
      for (const observe of [undefined, false] as const) {
        const reflex = lifeIn(folder, { store: memoryStore(), ...(observe === undefined ? {} : { observe }) })
        await reflex.run(join(folder, 'pay.workflow.json'), { id: 'otter-2m9q' })
        await paid(reflex)
        await reflex.close()
      }
    } finally {
      undo()
    }
    expect(told.spans().filter(({ name }) => name === 'run workflow:pay')).toHaveLength(1)
  })

  test('that fails does not stop a run', async () => {
    const troubles: string[] = []
    const { folder } = await asking(memoryStore(), 10)
    const tracerProvider = {
      getTracer: () => {
        throw new Error('no tracer')
      },
    }
    const reflex = lifeIn(folder, { store: memoryStore(), observe: { tracerProvider }, onTrouble: ({ code }) => troubles.push(code) })
    const run = await reflex.run(join(folder, 'pay.workflow.json'), { id: 'otter-2m9q' })
    await reflex.close()
    expect([run.status, troubles[0]]).toEqual(['suspended', 'R2086'])
  })

  test('that throws late loses only that span, and still flushes its metrics', async () => {
    const told = telemetry()
    const late = {
      onStart: () => undefined,
      onEnd: ({ name }: { readonly name: string }) => {
        if (name.startsWith('wait')) throw new Error('no room')
        ended.push(name)
      },
      forceFlush: () => Promise.reject(new Error('nobody there')),
      shutdown: () => Promise.resolve(),
    }
    const ended: string[] = []
    const troubles: string[] = []
    const { folder } = await asking(memoryStore(), 10)
    const reflex = lifeIn(folder, {
      store: memoryStore(),
      observe: { ...told.observe, tracerProvider: new BasicTracerProvider({ spanProcessors: [late] }) },
      onTrouble: ({ code, message }) => troubles.push(`${code} ${message}`),
    })
    const run = await reflex.run(join(folder, 'pay.workflow.json'), { id: 'otter-2m9q' })
    await paid(reflex)
    let flushed = 0
    const { meterProvider } = told.observe
    vi.spyOn(meterProvider, 'forceFlush').mockImplementation(async () => void flushed++)
    await reflex.close()
    expect([run.status, flushed, ended.filter((name) => name.startsWith('run'))]).toEqual(['completed', 1, ['run workflow:pay']])
    expect(troubles[0]).toBe('R2086 telemetry of otter-2m9q cannot be sent: no room')
    expect(told.spans()).toEqual([])
    expect(await told.metrics()).toMatchObject({ 'reflex.runs completed workflow:pay workflow': 1 })
  })

  test('receives the code of a failure, and its message only on request', async () => {
    for (const [messages, words] of [
      [false, /^R\d{4}$/],
      [true, /sk-4711/],
    ] as const) {
      const told = telemetry()
      const folder = newFolder()
      const reflex = lifeIn(folder, { store: memoryStore(), observe: { ...told.observe, messages } })
      const read = { tool: 'json.read', args: { path: 'sk-4711.json' } }
      writeFileSync(join(folder, 'bad.workflow.json'), JSON.stringify(workflow('bad', { read }, [])))
      await reflex.run(join(folder, 'bad.workflow.json'), { id: 'otter-2m9q' })
      await reflex.close()
      const failed = told.spans().find(({ status }) => status.code === SpanStatusCode.ERROR)
      expect(failed?.status.message).toMatch(words)
      expect(JSON.stringify(failed?.attributes)).not.toContain('sk-4711')
      const [wait] = (await reflex.spans('otter')).filter(({ what }) => what === 'wait')
      expect(wait?.attributes['reflex.fault']).toBe(failed?.attributes['error.type'])
    }
  })
})
