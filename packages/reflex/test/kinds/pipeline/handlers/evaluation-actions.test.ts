import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { runDot } from '../engine/harness.ts'
import { around, evalWorld } from './eval-world.ts'

const stage = (id: string, name: string, more: string) => `${id} [type=exec target=action action="eval_pipeline.${name}" ${more}]`

const files = {
  'set.jsonl': '{"id":"a","input":"red","expected":"red"}\n{"id":"b","input":"blue","expected":"green"}\n{"id":"c","input":"c"}',
}

/** A whole evaluation out of actions; what each has besides can be said. */
async function evaluate(more: Partial<Record<'load' | 'try' | 'sum' | 'keep' | 'tell', string>> = {}, values: JsonObject = {}) {
  const world = evalWorld({ files, say: ({ prompt }) => prompt })
  const dot = `digraph suite { start [shape=Mdiamond] done [shape=Msquare]
    ${stage('load', 'load_dataset', more.load ?? 'param.path="set.jsonl" param.limit=2')}
    ${stage('try', 'run_eval', more.try ?? 'param.graders="exact_match,contains" param.subject=llm')}
    ${stage('sum', 'aggregate', more.sum ?? 'output_prefix="scores"')}
    ${stage('keep', 'persist', more.keep ?? 'param.domain=colours')}
    ${stage('tell', 'report', more.tell ?? 'param.format=markdown param.output="out/report.md"')}
    start -> load -> try -> sum -> keep -> tell -> done }`
  return { world, went: await runDot(dot, { values, ports: world.ports }) }
}

// proves: pipeline 13k
test('an evaluation out of actions writes the keys of the types and those of actions', async () => {
  const { world, went } = await evaluate()
  expect(went.reason).toBe('')
  const results = [
    { id: 'a', passed: true, actual: 'red' },
    { id: 'b', passed: false, actual: 'blue' },
  ]
  expect(went.context).toMatchObject({
    'eval.dataset.count': 2,
    'exec.load.count': 2,
    'exec.load.dataset': [{ id: 'a' }, { id: 'b' }],
    'eval.results.try': results,
    'exec.try.results': results,
    'eval.results.try.passed': 1,
    'exec.try.passed': 1,
    'eval.metrics.sum': { accuracy: 0.5 },
    'exec.sum.metrics': { accuracy: 0.5 },
    'scores.metrics': { accuracy: 0.5 },
    'eval.persist.status': 'stored',
    'exec.keep.status': 'stored',
    'exec.tell.path': '/work/out/report.md',
    'eval.report.tell.format': 'markdown',
  })
  expect(await world.ledger('eval/colours')).toMatchObject([{ passed_count: 1, metrics: { sum: { accuracy: 0.5 } } }])
  expect(world.files.get('out/report.md')).toBe(went.context['eval.report.tell'])
  expect(went.context['exec.tell.report']).toBe(went.context['eval.report.tell'])
})

test('samples, results and metrics can be handed over, as values or as JSON', async () => {
  const judged = [
    { id: 'x', input: 1, expected: 1, actual: 1, scores: [{ grader: 'g', score: 1, passed: true, detail: '' }], passed: true },
  ]
  const { world, went } = await evaluate(
    {
      try: 'param.graders=contains context_keys="mine.dataset"',
      sum: 'context_keys="mine.results" param.metrics=pass_at_k param.k=2',
      keep: 'param.domain=mine context_keys="mine.results,mine.metrics"',
      tell: 'param.format=json context_keys="mine.results,mine.metrics"',
    },
    { 'mine.dataset': '[{"input":"one two","expected":"two"}]', 'mine.results': judged, 'mine.metrics': { speed: 3 } },
  )
  expect(went.reason).toBe('')
  expect(went.context).toMatchObject({ 'eval.results.try.count': 1, 'eval.results.try.passed': 1, 'eval.metrics.sum': { pass_at_k: 1 } })
  expect(await world.ledger('eval/mine')).toMatchObject([{ sample_count: 1, metrics: { speed: 3 } }])
  expect(JSON.parse(renderText(went.context['eval.report.tell']))).toMatchObject({ sample_count: 1, metrics: { speed: 3 } })
})

test('below the threshold the node fails, with its metrics, and names itself once', async () => {
  const { went } = await evaluate({ sum: 'param.metrics=accuracy param.threshold=0.6' })
  expect(went.reason).toContain('sum: eval_pipeline_aggregate: accuracy is 0.500, below the threshold 0.6')
  expect(went.context).toMatchObject({ 'eval.metrics.sum': { accuracy: 0.5 } })
  expect(went.context['exec.sum.error']).toContain('accuracy is 0.500')
})

test('the types find what actions have left, and actions what the types have', async () => {
  const world = evalWorld({ files })
  const dot = `digraph mixed { start [shape=Mdiamond] done [shape=Msquare]
    load [type="eval.dataset" dataset="set.jsonl"]
    ${stage('try', 'run_eval', 'param.graders=exact_match')}
    sum [type="eval.aggregate"]
    ${stage('tell', 'report', '')}
    start -> load -> try -> sum -> tell -> done }`
  const went = await runDot(dot, { ports: world.ports })
  expect(went.reason).toBe('')
  expect(went.context['eval.report.tell']).toContain('1 of 3 samples passed')
})

test('what comes from a data set chooses neither a grader nor a path', async () => {
  const take = (
    key: string,
    name: string,
  ) => `t [type=transform transform=json_extract expression="0.input" source_key="eval.dataset" output_key="${key}"]
    n [type=exec target=action action="eval_pipeline.${name}" param.domain=d context_keys="${key}"]`
  const go = async (key: string, name: string) => {
    const world = evalWorld({ files })
    const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] load [type="eval.dataset" dataset="set.jsonl"]
      ${take(key, name)} start -> load -> t -> n -> done }`
    return (await runDot(dot, { ports: world.ports })).reason
  }
  expect(await go('x.graders', 'run_eval')).toContain('it would decide what runs')
  expect(await go('x.output', 'report')).toContain('it would decide what runs')
  expect(await go('x.domain', 'persist')).toContain('it would decide what runs')
})

test('what is missing or unknown is said', async () => {
  const reason = async (name: string, more = '') =>
    (await runDot(around(`type=exec target=action action="eval_pipeline.${name}" ${more}`), { ports: evalWorld().ports })).reason
  expect(await reason('load_dataset')).toContain('it needs the parameter dataset')
  expect(await reason('run_eval', 'param.graders=contain')).toContain('did you mean "contains"?')
  expect(await reason('persist', 'param.domain="../x"')).toContain('is not a valid name of a domain')
  expect(await reason('report')).toContain('there are no results')
})
