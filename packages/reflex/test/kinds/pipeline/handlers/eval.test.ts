import { array, assert, integer, nat, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject, Port } from '../../../../src/kernel/index.ts'
import { METRICS, timingOf } from '../../../../src/kinds/pipeline/operations/evaluation/eval-metrics.ts'
import type { SampleResult } from '../../../../src/kinds/pipeline/operations/evaluation/eval-results.ts'
import { readSamples, shuffled } from '../../../../src/kinds/pipeline/operations/evaluation/eval-samples.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { passAtK, percentile } from '../../../../src/kinds/pipeline/operations/evaluation/scores.ts'
import { runDot, told } from '../engine/harness.ts'
import { around, evalWorld, type EvalWorldOptions } from './eval-world.ts'

const result = (id: string, passed: boolean, scores: readonly number[] = [passed ? 1 : 0], metadata: JsonObject = {}): SampleResult => ({
  id,
  input: '',
  expected: '',
  actual: '',
  scores: scores.map((score) => ({ grader: 'g', score, passed, detail: '' })),
  passed,
  metadata,
})
const metric = (name: string, results: readonly SampleResult[], k = 1): number => METRICS.get(name)?.(results, k) ?? Number.NaN

describe('metrics', () => {
  test.each<[n: number, good: number, k: number, share: number]>([
    [1, 1, 1, 1],
    [1, 0, 1, 0],
    [4, 1, 1, 0.25],
    [4, 1, 2, 0.5],
    // 1 − C(3, 3) / C(5, 3)
    [5, 2, 3, 0.9],
    [5, 3, 3, 1],
    [10, 1, 10, 1],
    [3, 1, 9, 1],
    [3, 0, 2, 0],
  ])('of %i attempts %i are good: with %i of them it is %f', (n, good, k, share) => {
    expect(passAtK(n, good, k)).toBeCloseTo(share)
  })

  test('pass at k is a chance, and rises with k and with what is good', () => {
    const count = integer({ min: 1, max: 60 })
    assert(
      property(count, nat(60), count, (n, some, k) => {
        const good = Math.min(n, some)
        const share = passAtK(n, good, k)
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
        expect(passAtK(n, good, k + 1)).toBeGreaterThanOrEqual(share - 1e-12)
        expect(passAtK(n, Math.min(n, good + 1), k)).toBeGreaterThanOrEqual(share - 1e-12)
        if (k === 1) expect(share).toBeCloseTo(good / n)
      }),
    )
  })

  // proves: pipeline 4.3.6b
  test('accuracy, mean score, and pass at k over the attempts of each sample', () => {
    const results = [result('a', true), result('a', false), result('b', true, [1, 0.5]), result('c', false, [0, 0.5])]
    expect(metric('accuracy', results)).toBe(0.5)
    expect(metric('mean_score', results)).toBe((1 + 0 + 0.75 + 0.25) / 4)
    expect(metric('pass_at_k', results, 1)).toBeCloseTo((0.5 + 1 + 0) / 3)
    expect(metric('pass_at_k', results, 2)).toBeCloseTo((1 + 1 + 0) / 3)
  })

  test('times come from the samples', () => {
    expect(timingOf([result('a', true)])).toEqual({ avg: null, p50: null, p95: null, p99: null })
    const hundred = Array.from({ length: 100 }, (_, i) => result('a', true, [1], { duration_ms: i + 1 }))
    expect(timingOf(hundred)).toEqual({ avg: 50.5, p50: 50, p95: 95, p99: 99 })
    expect([percentile([], 0.5), percentile([3, 1, 2], 0.5), percentile([3, 1], 0)]).toEqual([undefined, 2, 1])
  })
})

describe('data sets', () => {
  test('one object a line; lines that are none are named, ids are made', () => {
    const text = '\ufeff{"input":"a","expected":"A","metadata":{"x":1}}\r\n\nno json\n{"expected":1}\n{"id":7,"input":{"q":1}}\n[1]'
    expect(readSamples(text)).toEqual({
      samples: [
        { id: 'sample_1', input: 'a', expected: 'A', metadata: { x: 1 } },
        { id: '7', input: { q: 1 }, expected: null, metadata: {} },
      ],
      badLines: [3, 4, 6],
    })
  })

  test('a seed gives one order, of all of them', () => {
    assert(
      property(array(integer()), string(), (values, seed) => {
        const once = shuffled(values, seed)
        expect(shuffled(values, seed)).toEqual(once)
        expect(once.toSorted((a, b) => a - b)).toEqual(values.toSorted((a, b) => a - b))
      }),
    )
    const many = Array.from({ length: 30 }, (_, i) => i)
    expect(shuffled(many, '1')).not.toEqual(shuffled(many, '2'))
    expect(shuffled(many, '1')).not.toEqual(many)
  })

  const load = (
    attributes: string,
    files: Readonly<Record<string, string>> = { 'set.jsonl': [1, 2, 3, 4, 5].map((n) => `{"input":${n}}`).join('\n') },
  ) => runDot(around(`type="eval.dataset" dataset="set.jsonl" ${attributes}`), { ports: evalWorld({ files }).ports })
  const inputs = (value: Json | undefined): unknown =>
    (value as unknown as readonly { readonly input: unknown }[]).map(({ input }) => input)

  // proves: pipeline 4.7c
  test('they are read, cut and mixed', async () => {
    const { context } = await load('limit=2')
    expect(inputs(context['eval.dataset'])).toEqual([1, 2])
    expect([context['eval.dataset.count'], context['eval.dataset.path']]).toEqual([2, 'set.jsonl'])
    const mixed = inputs((await load('shuffle=true seed=7')).context['eval.dataset'])
    expect(mixed).toEqual(shuffled([1, 2, 3, 4, 5], '7'))
  })

  test('bad lines are passed over with a warning; no file fails', async () => {
    const went = await load('', { 'set.jsonl': '{"input":1}\nnonsense' })
    expect([went.status, went.context['eval.dataset.count']]).toEqual(['success', 1])
    expect(told(went, 'stage_warning')).toEqual([{ node_id: 'n', warning: 'set.jsonl: 1 lines are not samples (2)' }])
    expect((await load('', {})).reason).toContain('there is no set.jsonl')
  })
})

const dataset = [
  { id: 'one', input: 'say red', expected: 'red' },
  { id: 'two', input: 'say blue', expected: 'blue' },
]
const evaluate = async (attributes: string, options: EvalWorldOptions = {}, values: JsonObject = { 'eval.dataset': dataset }) => {
  const world = evalWorld(options)
  return { world, went: await runDot(around(`type="eval.run" ${attributes}`), { values, ports: world.ports }) }
}

describe('running', () => {
  // proves: pipeline 4.3.6a
  test('without a subject the input is the answer', async () => {
    const { went } = await evaluate('graders=contains')
    expect(went.context).toMatchObject({ 'eval.results.n.count': 2, 'eval.results.n.passed': 2 })
    expect(went.context['eval.results.n']).toMatchObject([
      {
        id: 'one',
        input: 'say red',
        expected: 'red',
        actual: 'say red',
        scores: [{ grader: 'contains', score: 1, passed: true, detail: 'all found' }],
        passed: true,
        metadata: {},
      },
      { id: 'two' },
    ])
  })

  test('a model answers; whom it is, the node says, else the item of a map, else the context', async () => {
    const say = ({ prompt }: { readonly prompt: string }) => prompt.slice(4)
    const { went, world } = await evaluate('subject=llm graders="exact_match" llm_model=m1 llm_provider=p', { say })
    expect(went.context).toMatchObject({ 'eval.results.n.passed': 2, 'eval.model': 'm1', 'eval.provider': 'p' })
    expect(world.heard.map(({ model, label }) => [model, label])).toEqual([
      ['p:m1', 'g/n/one'],
      ['p:m1', 'g/n/two'],
    ])
    const model = async (values: JsonObject) =>
      (await evaluate('subject=llm graders=contains', {}, { 'eval.dataset': dataset, ...values })).world.heard[0]?.model
    expect(await model({ 'map.current_item': { model: 'm2', provider: 'q' }, 'eval.model': 'm3' })).toBe('q:m2')
    expect(await model({ 'map.current_item': '{"model":"m2"}' })).toBe('m2')
    expect(await model({ 'map.current_item': 'plain', 'eval.model': 'm3' })).toBe('m3')
    expect(await model({})).toBeUndefined()
  })

  test('many samples are asked eight at once, and come in their order', async () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ id: `s${i}`, input: `in ${i}`, expected: `in ${i}` }))
    const { went } = await evaluate('subject=llm graders=exact_match', { say: ({ prompt }) => prompt }, { 'eval.dataset': many })
    expect(went.context['eval.results.n.passed']).toBe(20)
    const requests = went.run.records.map(({ requests: asked = [] }) => asked.filter(([port]) => port === 'model').length)
    expect(requests.filter((count) => count > 0)).toEqual([8, 8, 4])
  })

  test('a sample whose answer fails has not passed; when all do, the node fails', async () => {
    const { went } = await evaluate('subject=llm graders=contains', {
      say: ({ prompt }) => (prompt.includes('red') ? { fails: 'bad' } : prompt),
    })
    expect(went.context['eval.results.n']).toMatchObject([
      { actual: null, passed: false, scores: [{ score: 0, detail: 'the model is bad' }] },
      { passed: true },
    ])
    expect((await evaluate('subject=llm graders=contains', { say: () => ({ fails: 'bad' }) })).went.reason).toContain('the model is bad')
  })

  test('a function of the host answers; a name that it does not have is refused, and never loaded', async () => {
    const subjects = { upper: ({ input }: JsonObject): Json => renderText(input).toUpperCase() }
    const { went } = await evaluate('subject=upper graders=contains', { subjects })
    expect(went.context['eval.results.n']).toMatchObject([{ actual: 'SAY RED', passed: false }, { actual: 'SAY BLUE' }])
    expect((await evaluate('subject="node:fs" graders=contains', { subjects })).went.reason).toContain('no subject "node:fs"')
    const without = await runDot(around('type="eval.run" subject=upper graders=contains'), { values: { 'eval.dataset': dataset } })
    expect(without.reason).toContain('no subject "upper"')
  })

  test('a subject needs the right to evaluate, whatever it is called', async () => {
    const needs: unknown[] = []
    const { service } = evalWorld({ subjects: { recall: () => 'red blue' } }).ports
    const watched: Port = {
      leaves: true,
      repeat: 'keyed',
      perform(call) {
        needs.push(service?.traits?.(call).needs)
        return service?.perform(call)
      },
    }
    const went = await runDot(around('type="eval.run" subject=recall graders=contains'), {
      values: { 'eval.dataset': dataset },
      ports: { service: watched },
    })
    expect(went.context['eval.results.n.passed']).toBe(2)
    expect(needs).toEqual([['arbor://eval/run'], ['arbor://eval/run']])
  })

  test('no samples, no graders, and graders that nobody has fail', async () => {
    expect((await evaluate('graders=contains', {}, {})).went.reason).toContain('eval.dataset has no samples')
    expect((await evaluate('')).went.reason).toContain('no graders')
    expect((await evaluate('graders=contain')).went.reason).toContain('did you mean "contains"?')
  })
})

const whole = (nodes: string, edges: string) => `digraph suite { start [shape=Mdiamond] done [shape=Msquare]
  load [type="eval.dataset" dataset="set.jsonl"]
  try [type="eval.run" subject=llm graders="exact_match"]
  ${nodes}
  start -> load -> try -> ${edges} -> done }`
const colours = { 'set.jsonl': '{"id":"a","input":"red","expected":"red"}\n{"id":"b","input":"blue","expected":"green"}' }
const playWhole = async (nodes: string, edges: string) => {
  const world = evalWorld({ files: colours, say: ({ prompt }) => prompt })
  return { world, went: await runDot(whole(nodes, edges), { ports: world.ports }) }
}

describe('what comes after', () => {
  // proves: pipeline 4.3.6b
  test('metrics of the nearest evaluation upstream, and a threshold on the first', async () => {
    const { went } = await playWhole('sum [type="eval.aggregate"] pass [type=transform]', 'pass -> sum')
    expect(went.context['eval.metrics.sum']).toEqual({ accuracy: 0.5, mean_score: 0.5 })
    const low = await playWhole('sum [type="eval.aggregate" metrics="pass_at_k,accuracy" threshold=0.6]', 'sum')
    expect(low.went.reason).toContain('pass_at_k is 0.500, below the threshold 0.6')
    expect(low.went.context['eval.metrics.sum']).toEqual({ pass_at_k: 0.5, accuracy: 0.5 })
    const named = await playWhole('sum [type="eval.aggregate" source=try metrics=accuracy threshold=0.5]', 'sum')
    expect(named.went.status).toBe('success')
  })

  test('no results, and metrics that nobody knows, fail', async () => {
    expect((await runDot(around('type="eval.aggregate"'))).reason).toContain('there are no results')
    expect((await runDot(around('type="eval.aggregate" source=x'))).reason).toContain('there are no results of x')
    await expect(playWhole('sum [type="eval.aggregate" metrics=speed]', 'sum')).rejects.toThrow('"speed"')
  })

  // proves: pipeline 4.8d
  test('a run is kept in the ledger of its domain and in the run’s folder', async () => {
    const { world, went } = await playWhole('sum [type="eval.aggregate"] keep [type="eval.persist" domain=colours]', 'sum -> keep')
    const id = renderText(went.context['eval.persist.run_id'])
    expect(went.context['eval.persist.status']).toBe('stored')
    const [record] = await world.ledger('eval/colours')
    expect(record).toMatchObject({
      run_id: id,
      domain: 'colours',
      pipeline: 'suite',
      run: went.run.id,
      sample_count: 2,
      passed_count: 1,
      metrics: { sum: { accuracy: 0.5, mean_score: 0.5 } },
      timing: { avg: null, p50: null, p95: null, p99: null },
    })
    expect(JSON.parse(world.files.get(`eval/colours/${id}.json`) ?? '')).toEqual(record)
  })

  test('a domain leads nowhere, and without results there is nothing to keep', async () => {
    expect((await playWhole('keep [type="eval.persist" domain="../other"]', 'keep')).went.reason).toContain(
      'is not a valid name of a domain',
    )
    expect((await runDot(around('type="eval.persist" domain=x'))).reason).toContain('there are no results')
    expect((await playWhole('keep [type="eval.persist" domain=x results_key=nothing]', 'keep')).went.reason).toContain(
      'there are no results',
    )
  })

  // proves: pipeline 4.8d
  test('a report, for a terminal, as JSON, as Markdown in a file', async () => {
    const report = (attributes: string) => playWhole(`sum [type="eval.aggregate"] tell [type="eval.report" ${attributes}]`, 'sum -> tell')
    const terminal = await report('')
    expect(terminal.went.context['eval.report.tell']).toBe(
      [
        'suite',
        '  1 of 2 samples passed',
        '  accuracy    0.500',
        '  mean_score  0.500',
        '  pass  a',
        '  FAIL  b  exact_match: different',
        '',
      ].join('\n'),
    )
    expect([terminal.went.context['eval.report.tell.format'], terminal.went.context['eval.report.tell.path']]).toEqual(['terminal', null])
    const json = JSON.parse(renderText((await report('format=json')).went.context['eval.report.tell'])) as JsonObject
    expect(json).toMatchObject({ sample_count: 2, passed_count: 1, metrics: { accuracy: 0.5 } })
    const { world, went } = await report('format=markdown output="out/report.md" source=try metrics_source=auto')
    expect(world.files.get('out/report.md')).toBe(went.context['eval.report.tell'])
    expect(went.context['eval.report.tell.path']).toBe('/work/out/report.md')
    expect(renderText(went.context['eval.report.tell'])).toContain('| b | no | 0.00 | exact_match: different |')
    expect((await report('format=pdf')).went.reason).toContain('"pdf"')
    expect((await runDot(around('type="eval.report"'))).reason).toContain('there are no results')
  })
})
