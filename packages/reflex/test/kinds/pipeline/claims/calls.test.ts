import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/journal/json.ts'
import { type LlmRequest, QueueInterviewer } from '../../../../src/kinds/pipeline/index.ts'
import { play, type Stage, toldOf, writes } from './play.ts'

const INNER = `digraph inner { start [shape=Mdiamond] done [shape=Msquare]
  a [type=transform, transform=template, expression="{ctx.given} {ctx.secret}", output_key=said] l [type=transform, transform=split, source_key=said, output_key=list]
  start -> a -> l -> done }`
const FAILS = 'digraph fails { start [shape=Mdiamond] done [shape=Msquare] a [prompt=x, simulate=fail] start -> a -> done }'
const programs = { inner: INNER, fails: FAILS }
const call = (attributes: string, stage: Stage = {}) =>
  play(`c [type="graph.invoke", ${attributes}] start -> c c -> done`, { programs, initial_values: { given: 'G', secret: 'S' }, ...stage })

describe('graph.invoke', () => {
  // proves: pipeline 4.6.3a
  test('finds its child by name and in the context', async () => {
    expect((await call('graph_name=inner')).status).toBe('success')
    expect((await call('graph_source_key=text', { initial_values: { text: INNER } })).status).toBe('success')
  })

  // proves: pipeline 4.6.3b
  test('shows its child the named keys, or all', async () => {
    const said = async (attributes: string) => (await call(`graph_name=inner, result_mapping="said:heard" ${attributes}`)).context['heard']
    expect(await said('')).toBe(' ')
    expect(await said(', pass_context=given')).toBe('G ')
    expect(await said(', pass_all_context=true')).toBe('G S')
  })

  // proves: pipeline 4.6.3c
  test('brings scalar values back under its prefix, or what is mapped', async () => {
    const { context } = await call('graph_name=inner, pass_context=given')
    expect([context['subgraph.c.said'], context['subgraph.c.list'], context['subgraph.c.status']]).toEqual(['G ', undefined, 'success'])
    expect((await call('graph_name=inner, result_prefix="from"')).context['from.said']).toBe(' ')
    const mapped = await call('graph_name=inner, pass_context=given, result_mapping="list:all"')
    expect([mapped.context['all'], mapped.context['subgraph.c.said']]).toEqual([['G'], undefined])
  })

  // proves: pipeline 4.6.3e
  test('fails with its child, unless that is ignored', async () => {
    const failed = await call('graph_name=fails')
    expect([failed.status, failed.context['subgraph.c.status'], failed.failure_reason]).toEqual([
      'fail',
      'fail',
      expect.stringContaining('simulated failure'),
    ])
    expect((await call('graph_name=fails, ignore_child_failure=true')).status).toBe('success')
  })
})

describe('pipeline.run', () => {
  // proves: pipeline 4.6.4a, pipeline s6.7a
  test('runs a text with a context of its own, and writes how it went', async () => {
    const ran = (type: string, text: string) =>
      play(`c [type="${type}", source_key=text] start -> c c -> done`, { initial_values: { text, given: 'G' } })
    const { context } = await ran('compose.pipeline', INNER)
    expect(context).toMatchObject({
      'pipeline.ran.c': true,
      'pipeline.child_status.c': 'success',
      'pipeline.child_nodes_completed.c': 4,
      'pipeline.child.c.said': ' ',
    })
    expect(context['pipeline.child.c.list']).toBe(undefined)
    expect((await ran('pipeline.run', FAILS)).status).toBe('fail')
    expect((await ran('pipeline.run', 'digraph {')).status).toBe('fail')
  })
})

describe('a map', () => {
  const shout = (_: unknown, context: { get_string(key: string): string }) => {
    const item = context.get_string('map.current_item')
    return item.startsWith('bad')
      ? { status: 'fail', failure_reason: 'bad' }
      : { status: 'success', context_updates: { last_response: item.toUpperCase() } }
  }
  const over = async (list: Json | undefined, more = '') => {
    const went = await play(`m [type=map, items_key=list, item_type=shout ${more}] start -> m -> done`, {
      handlers: { shout },
      ...(list === undefined ? {} : { initial_values: { list } }),
    })
    return { status: went.status, results: went.context['map.results'], context: went.context }
  }

  // proves: pipeline 4.9a
  test('needs a list, and succeeds on an empty one', async () => {
    expect(await over([])).toMatchObject({ status: 'success', results: [], context: { 'map.m.count': 0 } })
    for (const none of [undefined, { a: 1 }, '{"a":1}']) expect((await over(none)).status).toBe('fail')
    expect((await over('["a"]')).results).toEqual(['A'])
    expect((await over('a\nb\n')).results).toEqual(['A', 'B'])
  })

  // proves: pipeline 4.9b
  test('skips items that fail, fails with them, or keeps their place', async () => {
    const list = ['a', 'bad', 'b']
    expect(await over(list)).toMatchObject({ status: 'success', results: ['A', 'B'], context: { 'map.m.error_count': 1 } })
    expect((await over(list, ', on_item_error=fail')).status).toBe('fail')
    expect((await over(list, ', on_item_error=collect_nil')).results).toEqual(['A', null, 'B'])
  })

  // proves: pipeline 4.9e
  test('fails where all items failed', async () => expect((await over(['bad', 'bad'])).status).toBe('fail'))

  // proves: pipeline 2.6.32
  test('takes both spellings of its attributes, and keeps the order', async () => {
    const other = 'm [type=map, source_key=list, handler_type=shout, max_concurrency=2] start -> m -> done'
    expect((await play(other, { handlers: { shout }, initial_values: { list: ['c', 'a', 'b'] } })).context['map.results']).toEqual([
      'C',
      'A',
      'B',
    ])
    expect((await over(['c', 'a', 'b'])).results).toEqual(['C', 'A', 'B'])
  })
})

describe('a call of a model', () => {
  async function asked(node: string, stage: Stage = {}): Promise<LlmRequest[]> {
    const requests: LlmRequest[] = []
    await play(`n [${node}] start -> n -> done`, {
      ...stage,
      llm_backend: (_node, _prompt, _context, asking) => {
        requests.push(asking)
        return 'said'
      },
    })
    return requests
  }

  // proves: pipeline 2.3a
  test('takes both names of model and provider', async () => {
    const models = await Promise.all(
      ['llm_model=m, llm_provider=p', 'model=m, provider=p'].map(async (node) => (await asked(`prompt=x, ${node}`))[0]?.request.model),
    )
    expect(models).toEqual(['p:m', 'p:m'])
  })

  // proves: pipeline 2.3e
  test('has fifteen turns with tools unless it says otherwise', async () => {
    const turns = async (more: string) => {
      let times = 0
      const body = `n [prompt=x, use_tools=true, tools="file_list" ${more}] start -> n -> done`
      await play(body, { llm_backend: () => ({ text: '', tool_calls: [{ id: `c${++times}`, name: 'file_list', args: {} }] }) })
      return times
    }
    expect([await turns(''), await turns(', max_turns=4')]).toEqual([15, 4])
  })

  // proves: pipeline 2.6.19
  test('writes all of its text', async () => {
    const { context } = await play('n [prompt=x] start -> n -> done', { llm_backend: () => 'long '.repeat(100) })
    expect(context['last_response']).toBe('long '.repeat(100))
  })

  // proves: pipeline 4.3.1a
  test('asks the context key, the prompt, the question of a council, the label, the id', async () => {
    const last = async (node: string, stage: Stage = {}) => (await asked(node, stage))[0]?.messages.at(-1)?.content?.split('\n').at(-1)
    const council = { graph: 'mode=decision; question="Ship it?"' }
    expect(await last('prompt_context_key=k, prompt=own', { initial_values: { k: 'key' } })).toBe('key')
    expect(await last('prompt=own, perspective=p', council)).toBe('own')
    expect(await last('perspective=p, label=L', council)).toBe('Ship it?')
    expect([await last('label=L'), await last('shape=box')]).toEqual(['L', 'n'])
  })

  // proves: pipeline 6.5d
  test('sees less of the context in a stated mode, and all of a value that it names', async () => {
    const long = 'x'.repeat(6_000)
    const [request] = await asked('prompt="$long", fidelity=truncate', { initial_values: { long } })
    expect(request?.messages.at(-1)?.content).toContain(long)
  })
})

describe('wait.signal', () => {
  // proves: pipeline 4.11a
  test('ends in a retry when nothing came in its time', async () => {
    const went = await play('w [type="wait.signal", signal_topic=go, timeout="5s", max_retries=1, jitter=false] start -> w -> done')
    expect([went.failure_reason, toldOf(went, 'stage_retrying').length]).toEqual([
      expect.stringContaining('no signal go arrived in time'),
      1,
    ])
  })
})

// proves: pipeline 7.3c
test('a question is the attribute, the label, the prompt, or a text of its own', async () => {
  const text = async (attributes: string) => {
    const asked: string[] = []
    const interviewer = new QueueInterviewer({ answers: ['Go'] })
    await play(`q [shape=hexagon ${attributes}] start -> q q -> done [label="Go"]`, {
      interviewer: {
        ask: (question) => {
          asked.push(question.text)
          return interviewer.ask(question)
        },
      },
    })
    return asked[0]
  }
  expect(await text(', question=Q, label=L, prompt=P')).toBe('Q')
  expect(await text(', label=L, prompt=P')).toBe('L')
  expect([await text(', prompt=P'), await text('')]).toEqual(['P', 'Select an option:'])
})

// proves: pipeline 4.6.2h
test('a service that no session has fails', async () => {
  const went = await play('s [type="session.clasify"] start -> s -> done', { handlers: { ok: writes({}) } })
  expect([went.status, went.failure_reason]).toEqual(['fail', expect.stringContaining('clasify')])
})
