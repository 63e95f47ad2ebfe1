import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileGraph, parse, type PipelineResult, QueueInterviewer, run, type Status } from '../../src/pipeline/index.ts'
import { folder } from './folders.ts'

/** One type of the conformance matrix (seed pipeline, appendix C): what it does with what is right and with what is wrong. */
interface Row {
  readonly type: string
  /** Attributes with which it succeeds; `$` before a quote is the work folder. */
  readonly good: string
  /** The context that it then writes, in part. */
  readonly writes?: Readonly<Record<string, unknown>>
  /** Attributes with which it fails; absent for those that cannot. */
  readonly bad?: string
  /** Edges instead of the one to the exit, and what belongs to them. */
  readonly body?: string
  /** What it answers with where it goes well, if not a success. */
  readonly status?: Status
}

const ROWS: readonly Row[] = [
  { type: 'start', good: '"context.said"=hello', writes: { said: 'hello' } },
  { type: 'exit', good: '' },
  { type: 'branch', good: 'condition_key=word', writes: { 'branch.it.value': 'hello' } },
  { type: 'conditional', good: '' },
  {
    type: 'parallel',
    good: '',
    body: 'it -> left -> join it -> right -> join join [type=fan_in] join -> done left [prompt=l, simulate=true] right [prompt=r, simulate=true]',
    writes: { 'parallel.success_count': 2 },
    bad: 'join_policy=sometimes',
  },
  { type: 'fan_in', good: '', bad: '' },
  { type: 'parallel.fan_in', good: '', bad: '' },
  {
    type: 'compute',
    good: 'prompt="say", simulate=true',
    writes: { last_response: '[Simulated] Response for stage: it' },
    bad: 'prompt="say", simulate=fail',
  },
  { type: 'codergen', good: 'prompt="say", output_key=said', writes: { said: 'a word' }, bad: 'prompt="fail"' },
  {
    type: 'routing.select',
    good: String.raw`candidates="[[\"one\", \"m\"], [\"two\", \"n\"]]"`,
    writes: { selected_backend: 'two', selected_model: 'n' },
    bad: 'candidates="none"',
  },
  {
    type: 'transform',
    good: 'transform=constant, expression=x, output_key=said',
    writes: { said: 'x' },
    bad: 'transform=json_extract, source_key=word, expression="a.b"',
  },
  { type: 'transform', good: 'transform=increment, source_key=count, output_key=count', writes: { count: 2 }, bad: 'transform=sideways' },
  { type: 'exec', good: 'target=shell, command="printf hi", sandbox=none', bad: 'target=shell, command="exit 3", sandbox=none' },
  { type: 'tool', good: 'tool_command="printf hi", sandbox=none', writes: { 'tool.output': 'hi' }, bad: '' },
  { type: 'shell', good: 'command="printf hi", sandbox=none', bad: 'command="exit 3", sandbox=none' },
  {
    type: 'read',
    good: 'source=file, path="$/in.txt", output_key=said',
    writes: { said: 'from a file' },
    bad: 'source=file, path="$/none.txt"',
  },
  {
    type: 'read',
    good: 'source=context, source_key=word, output_key=said',
    writes: { said: 'hello' },
    bad: 'source=context, source_key=nothing',
  },
  { type: 'write', good: 'target=file, content_key=word, output="$/out.txt"', bad: 'target=file, content_key=word' },
  { type: 'file.write', good: 'content_key=word, output="$/out.txt"', bad: 'content_key=nothing, output="$/out.txt"' },
  {
    type: 'compose',
    good: 'mode=invoke, graph_file="inner.dot", result_mapping="said:heard"',
    writes: { heard: 'inner' },
    bad: 'mode=invoke, graph_file="none.dot"',
  },
  {
    type: 'graph.invoke',
    good: 'graph_file="inner.dot", result_mapping="said:heard"',
    writes: { heard: 'inner' },
    bad: 'graph_file="fails.dot"',
  },
  { type: 'pipeline.run', good: 'source_file="inner.dot"', bad: 'source_key=nothing' },
  { type: 'map', good: 'items_key=list, item_type=codergen, item_prompt="say"', writes: { 'map.it.count': 2 }, bad: 'items_key=word' },
  { type: 'wait', good: 'source=timer, duration="1ms"', writes: { 'wait.it.duration': 1 } },
  {
    type: 'wait.human',
    good: 'question="Go?"',
    writes: { 'human.gate.label': 'Go' },
    body: 'it -> done [label="Go"] it -> done [label="Stop", condition="context.never=1"]',
  },
  {
    type: 'gate',
    good: 'predicate=expression, expression=word',
    writes: { 'gate.it.passed': true },
    bad: 'predicate=expression, expression=never',
  },
  { type: 'gate', good: 'condition_key=count', writes: { 'gate.it.passed': true }, bad: 'condition_key=never' },
  {
    type: 'output.validate',
    good: 'source_key=word, pattern="^h"',
    writes: { 'validate.it.format': 'text' },
    bad: 'source_key=word, pattern="^x"',
  },
  { type: 'pipeline.validate', good: 'source_key=dot', bad: 'source_key=word' },
]

const ANY_TEXT: unknown = expect.any(String)
const INNER =
  'digraph inner { start [shape=Mdiamond] a [type=transform, transform=constant, expression=inner, output_key=said] done [shape=Msquare] start -> a -> done }'
const FAILS = 'digraph fails { start [shape=Mdiamond] a [prompt=x, simulate=fail] done [shape=Msquare] start -> a -> done }'

async function execute({ type, body }: Row, attributes: string): Promise<PipelineResult> {
  const workdir = folder()
  writeFileSync(join(workdir, 'in.txt'), 'from a file')
  writeFileSync(join(workdir, 'inner.dot'), INNER)
  writeFileSync(join(workdir, 'fails.dot'), FAILS)
  const own = attributes.replaceAll('"$/', `"${workdir}/`)
  const isEnd = type === 'start' || type === 'exit'
  const ends = `${type === 'start' ? '' : 'start [shape=Mdiamond] start -> it'} ${type === 'exit' ? '' : 'done [shape=Msquare]'}`
  const edges = body ?? (type === 'exit' ? '' : 'it -> done')
  const comma = own === '' ? '' : ', '
  const shape = isEnd ? (type === 'start' ? ', shape=Mdiamond' : ', shape=Msquare') : ''
  return run(`digraph g { goal=test ${ends} it [type="${type}"${shape}${comma}${own}] ${edges} }`, {
    workdir,
    logs_root: false,
    validate: false,
    trust: 'autonomous',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    initial_values: { word: 'hello', count: 1, list: ['a', 'b'], dot: INNER, never: 0, avail_two: true },
    interviewer: new QueueInterviewer({ answers: ['Go'] }),
    llm_backend: (_, prompt) => (prompt.includes('fail') ? { status: 'fail', failure_reason: 'told to' } : 'a word'),
  })
}

// proves: pipeline s4.3a, pipeline s6.5b, pipeline s6.6d, pipeline 12.45, pipeline s6.12a, pipeline s4.2a
describe('the conformance matrix (120, seed appendix C)', () => {
  for (const row of ROWS) {
    test(`${row.type} [${row.good}]`, async () => {
      const typed = compileGraph(parse(`digraph g { it [type="${row.type}"] }`)).nodes.get('it')
      expect(['idempotent', 'idempotent_with_key', 'side_effecting', 'read_only']).toContain(typed?.idempotency)
      if (!row.type.endsWith('fan_in')) {
        const went = await execute(row, row.good)
        expect([went.status, went.failure_reason]).toEqual(['success', null])
        expect(went.node_outcomes['it']?.status).toBe(row.status ?? 'success')
        expect(went.context).toMatchObject(row.writes ?? {})
      }
      if (row.bad === undefined) return
      const failed = await execute(row, row.bad)
      expect(failed.node_outcomes['it']).toMatchObject({ status: 'fail', failure_reason: ANY_TEXT })
      expect(failed.status).toBe('fail')
    })
  }
})
