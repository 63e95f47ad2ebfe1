import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { thisProcess } from '../../../src/app/host.ts'
import { isObject, type JsonObject } from '../../../src/kernel/index.ts'
import { scriptedModel } from '../../../src/models/index.ts'
import { BUILT_IN_OPERATIONS } from '../../../src/kinds/pipeline/operations/built-in.ts'
import { compileGraph, type Outcome, parse, QueueInterviewer, run, type Status } from '../../../src/kinds/pipeline/index.ts'
import { Reflex } from '../../../src/app/reflex.ts'
import { folder } from './folders.ts'

const TYPES: readonly string[] = [...BUILT_IN_OPERATIONS.types.names()]

/** One type of the conformance matrix (seed pipeline, appendix C): what it does with what is right and with what is wrong. */
interface Row {
  readonly type: string
  /** Attributes with which it succeeds; `$` before a quote is the work folder. */
  readonly good: string
  /** The context that it then writes, in part. */
  readonly writes?: Readonly<Record<string, unknown>>
  /** Attributes with which it fails; absent for those that cannot. */
  readonly bad?: string
  /** A node that is executed before it, where it goes well. */
  readonly before?: string
  /** What is in the context where it goes well, beside what all have. */
  readonly values?: JsonObject
  /** Edges instead of the one to the exit, and what belongs to them. */
  readonly body?: string
  /** What it answers with where it goes well, if not a success. */
  readonly status?: Status
}

const PROPOSES = 'type="consensus.propose", source_key=word'
const EVALUATES = 'type="eval.run", graders=contains'
const DATASET: JsonObject = { 'eval.dataset': [{ id: 'one', input: 'hello', expected: 'hello' }] }
const MUTATIONS = String.raw`mutations="[{\"op\": \"modify_attrs\", \"id\": \"done\", \"attrs\": {\"label\": \"End\"}}]"`
const APPROVED: JsonObject = { 'parallel.results': [{ id: 'a', status: 'success', context_updates: { last_response: 'approve' } }] }

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
    bad: 'join_policy=k_of_n, join_k=3',
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
    bad: 'candidates="{}"',
  },
  {
    type: 'transform',
    good: 'transform=constant, expression=x, output_key=said',
    writes: { said: 'x' },
    bad: 'transform=json_extract, source_key=word, expression="a.b"',
  },
  {
    type: 'transform',
    good: 'transform=increment, source_key=count, output_key=count',
    writes: { count: 2 },
    bad: 'transform=increment, source_key=word',
  },
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
  { type: 'gate.approval', good: 'question="Go?"', writes: { 'gate.it.passed': true } },
  { type: 'gate.trust', good: 'min_tier=trusted', writes: { 'gate.it.passed': true }, bad: 'min_tier=unknown' },
  { type: 'gate.capability', good: 'capability="arbor://shell/exec"', writes: { 'gate.it.passed': true }, bad: '' },
  { type: 'wait.timer', good: 'duration="1ms"', writes: { 'wait.it.duration': 1 } },
  { type: 'wait.signal', good: 'signal_topic=later, timeout="1ms", allow_partial=true', status: 'partial_success', bad: '' },
  {
    type: 'accumulator',
    good: 'input_key=count, init_value="[5]"',
    writes: { 'accumulator.it': [5, 1] },
    bad: 'operation=sum, input_key=word',
  },
  { type: 'prompt.ab_test', good: 'variant_a="say", variant_b="tell"', bad: 'variant_b="tell"' },
  { type: 'drift_detect', good: 'baseline_path="base.json", current_key=word', bad: 'current_key=word' },
  {
    type: 'retry.escalate',
    good: 'models="scripted:one,scripted:two", prompt="say"',
    writes: { last_response: 'a word' },
    bad: 'models="scripted:one", prompt="fail"',
  },
  { type: 'feedback.loop', good: 'scoring_method=length_ratio, prompt="say"', bad: 'prompt="fail"' },
  {
    type: 'stack.manager_loop',
    good: 'stack.child_dotfile="inner.dot", manager.poll_interval="1ms"',
    bad: 'stack.child_dotfile="fails.dot", manager.poll_interval="1ms"',
  },
  { type: 'graph.compose', good: 'source_key=dot', bad: 'source_key=word' },
  { type: 'compose.pipeline', good: 'source_key=dot', bad: 'source_key=nothing' },
  { type: 'graph.adapt', good: MUTATIONS, bad: 'mutations_key=word' },
  { type: 'adapt', good: MUTATIONS, bad: '' },
  { type: 'eval.dataset', good: 'dataset="set.jsonl"', bad: 'dataset="none.jsonl"' },
  { type: 'eval.run', good: 'subject=llm, graders=contains', values: DATASET, bad: 'subject=llm, graders=taste' },
  { type: 'eval.aggregate', good: 'metrics=accuracy', values: DATASET, before: EVALUATES, bad: 'source=none' },
  { type: 'eval.persist', good: 'domain=words', values: DATASET, before: EVALUATES, bad: 'domain="../words"' },
  { type: 'eval.report', good: 'format=json', values: DATASET, before: EVALUATES, bad: 'format=json, output="/etc/none/report.json"' },
  { type: 'memory.recall', good: 'source_key=word' },
  { type: 'memory.working_load', good: '' },
  { type: 'memory.stats', good: '' },
  { type: 'memory.consolidate', good: '' },
  { type: 'memory.index', good: 'source_key=word' },
  { type: 'memory.working_save', good: '', values: { 'memory.working_memory': { on: 'it' } }, bad: '' },
  { type: 'memory.store_file', good: 'memory_store="facts.jsonl", content_key=word', bad: 'content_key=word' },
  { type: 'memory.recall_store', good: 'memory_store="none.jsonl", query_key=word', bad: 'query_key=word' },
  ...TYPES.filter((type) => type.startsWith('session.')).map((type): Row => ({ type, good: '' })),
  { type: 'consensus.propose', good: 'source_key=word', writes: { 'consensus.status': 'submitted' }, bad: 'source_key=nothing' },
  { type: 'consensus.ask', good: 'source_key=word', writes: { 'consensus.status': 'decided' }, bad: 'source_key=nothing' },
  { type: 'consensus.await', good: '', before: PROPOSES, writes: { 'consensus.status': 'decided' }, bad: 'proposal_id=other' },
  { type: 'consensus.check', good: '', before: PROPOSES, writes: { 'consensus.status': 'decided' }, bad: 'proposal_id=other' },
  { type: 'consensus.decide', good: '', values: APPROVED, writes: { 'council.decision': 'approved' }, bad: '' },
]

const ANY_TEXT: unknown = expect.any(String)
const INNER =
  'digraph inner { start [shape=Mdiamond] a [type=transform, transform=constant, expression=inner, output_key=said] done [shape=Msquare] start -> a -> done }'
const FAILS = 'digraph fails { start [shape=Mdiamond] a [prompt=x, simulate=fail] done [shape=Msquare] start -> a -> done }'

/** A pipeline around one node, in a work folder of its own. */
interface Program {
  readonly workdir: string
  readonly dot: string
  readonly values: JsonObject
}

function programOf({ type, body, before, values = {} }: Row, attributes: string, isGood: boolean): Program {
  const workdir = folder()
  writeFileSync(join(workdir, 'in.txt'), 'from a file')
  writeFileSync(join(workdir, 'inner.dot'), INNER)
  writeFileSync(join(workdir, 'fails.dot'), FAILS)
  writeFileSync(join(workdir, 'set.jsonl'), '{"id": "one", "input": "hello", "expected": "hello"}\n')
  const own = attributes.replaceAll('"$/', `"${workdir}/`)
  const isEnd = type === 'start' || type === 'exit'
  const first = before === undefined || !isGood ? '' : `first [${before}]`
  const ends = `${type === 'start' ? '' : `start [shape=Mdiamond] ${first} start -> ${first === '' ? '' : 'first -> '}it`} ${type === 'exit' ? '' : 'done [shape=Msquare]'}`
  const edges = body ?? (type === 'exit' ? '' : 'it -> done')
  const comma = own === '' ? '' : ', '
  const shape = isEnd ? (type === 'start' ? ', shape=Mdiamond' : ', shape=Msquare') : ''
  const dot = `digraph g { goal=test ${ends} it [type="${type}"${shape}${comma}${own}] ${edges} }`
  const usual = { word: 'hello', count: 1, list: ['a', 'b'], dot: INNER, never: 0, avail_two: true }
  return { workdir, dot, values: isGood ? { ...usual, ...values } : usual }
}

/** How a run went: its ending, why it failed, and its context. */
interface Went {
  readonly status: 'success' | 'fail' | 'cancelled' | 'suspended'
  readonly reason: string | null
  readonly context: JsonObject
}

async function byRun({ workdir, dot, values }: Program): Promise<Went & { readonly it: Outcome | undefined }> {
  const { status, failure_reason, context, node_outcomes } = await run(dot, {
    workdir,
    logs_root: false,
    validate: false,
    trust: 'autonomous',
    env: { PATH: PLACES },
    initial_values: values,
    interviewer: new QueueInterviewer({ answers: ['Go'] }),
    llm_backend: (_, prompt) => (prompt.includes('fail') ? Promise.reject(new Error('told to')) : 'a word'),
  })
  return { status, reason: failure_reason, context, it: node_outcomes['it'] }
}

/** The same with everything that the command has. */
async function byReflex({ workdir, dot, values }: Program): Promise<Went> {
  const file = join(workdir, 'g.dot')
  writeFileSync(file, dot)
  const model = scriptedModel(({ messages }) =>
    messages.some(({ role, content }) => role === 'user' && content.includes('fail')) ? new Error('told to') : 'a word',
  )
  const reflex = new Reflex({
    workdir,
    store: 'memory:',
    model,
    models: { 'scripted:one': model, 'scripted:two': model },
    surroundings: { ...thisProcess(), cwd: workdir, environment: { PATH: PLACES }, seal: () => undefined },
  })
  try {
    const handle = await reflex.start(file, { input: values, trust: 'autonomous', pipeline: { validate: false } })
    for (;;) {
      await handle.idle()
      const [open] = handle.questions
      if (open !== undefined) await reflex.answer(open.id, open.question.options?.[0]?.value ?? 'Go')
      else if (![...handle.run.state.waits.values()].some(({ due }) => due !== undefined) || !(await handle.run.hasNextRecord())) break
    }
    const { ended } = handle.run.state
    const { value } = handle
    const context = isObject(value) && isObject(value['context']) ? value['context'] : {}
    const status = ended === undefined ? 'suspended' : ({ done: 'success', failed: 'fail', cancelled: 'cancelled' } as const)[ended.status]
    return { status, reason: handle.failure?.message ?? null, context }
  } finally {
    await reflex.close()
  }
}

const PLACES = '/usr/local/bin:/usr/bin:/bin'

// proves: pipeline s4.3a, pipeline s6.5b, pipeline s6.6d, pipeline 12.45, pipeline s6.12a, pipeline s4.2a
// proves: pipeline sC.1, pipeline 12.120
describe('the conformance matrix (120, seed appendix C)', () => {
  for (const row of ROWS) {
    describe(`${row.type} [${row.good}]`, () => {
      test('by run()', async () => {
        const typed = compileGraph(parse(`digraph g { it [type="${row.type}"] }`)).nodes.get('it')
        expect(['idempotent', 'idempotent_with_key', 'side_effecting', 'read_only']).toContain(typed?.idempotency)
        if (!row.type.endsWith('fan_in')) {
          const went = await byRun(programOf(row, row.good, true))
          expect([went.status, went.reason]).toEqual(['success', null])
          expect(went.it?.status).toBe(row.status ?? 'success')
          expect(went.context).toMatchObject(row.writes ?? {})
        }
        if (row.bad === undefined) return
        const failed = await byRun(programOf(row, row.bad, false))
        // A node that lacks a capability is named before the first node runs.
        if (failed.it !== undefined) expect(failed.it).toMatchObject({ status: 'fail', failure_reason: ANY_TEXT })
        expect([failed.status, failed.reason]).toEqual(['fail', ANY_TEXT])
      })

      test('by Reflex', async () => {
        if (!row.type.endsWith('fan_in')) {
          const went = await byReflex(programOf(row, row.good, true))
          expect([went.status, went.reason]).toEqual(['success', null])
          expect(went.context).toMatchObject(row.writes ?? {})
        }
        if (row.bad === undefined) return
        expect(await byReflex(programOf(row, row.bad, false))).toMatchObject({ status: 'fail', reason: ANY_TEXT })
      })
    })
  }

  test('has every type', () => {
    const missing = TYPES.filter((type) => !ROWS.some((row) => row.type === type))
    expect(missing).toEqual([])
  })
})
