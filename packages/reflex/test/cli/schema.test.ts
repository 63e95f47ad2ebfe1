import { stripVTControlCharacters } from 'node:util'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { actions } from '../../src/cli/actions.ts'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import type { Json, JsonObject } from '../../src/kernel/index.ts'
import { BUILT_IN_OPERATIONS } from '../../src/kinds/pipeline/operations/built-in.ts'
import { readPolicy } from '../../src/policy/index.ts'
import { workflowSchema } from '../../src/kinds/workflow/index.ts'
import { jsonSchemaIssues } from '../../src/text/json-schema/schema-findings.ts'
import { memoryStore } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { FakeCluster } from '../app/cluster/fake-cluster.ts'
import { reflex, workFolder } from './worlds.ts'

const json = (text: string): unknown => JSON.parse(text) as unknown
type Name = keyof typeof DOCUMENTS

const RUN = ['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none']

/** The cluster of the scene, with a stuck run. */
const clusters = new FakeCluster(memoryStore(), virtualHost())
const DIED = { code: 'R5108', message: 'ten workers died', verdict: 'fail' } as const
clusters.said = { stuck: [{ run: 'otter-2m9q', crashes: 10, since: 0, fault: DIED }], stuckCount: 1 }

/** Commands one after another in one folder, each with the document that it writes. */
const SCENE: readonly (readonly [argv: readonly string[], name: Name])[] = [
  [['--help'], 'help'],
  [['run', '--help'], 'help'],
  [['--version'], 'version'],
  [['runs'], 'runs'],
  [RUN, 'result'],
  [['resume', 'otter'], 'result'],
  [['runs'], 'runs'],
  [['inbox'], 'inbox'],
  [['show', 'otter'], 'show'],
  [['show', 'otter@3'], 'show'],
  [['artifacts', 'otter'], 'found'],
  [['trace', 'otter'], 'trace'],
  [['graph', 'otter'], 'graph'],
  [['graph', 'otter@5'], 'graph'],
  [['answer', 'otter', 'maybe'], 'error'],
  [['answer', 'otter', 'approve', '--no-run'], 'posted'],
  [['resume', 'otter'], 'result'],
  [['answer', 'otter', 'approve'], 'error'],
  [['trace', 'otter'], 'trace'],
  [['graph', 'otter'], 'graph'],
  [['run', 'broken-order.workflow.json', '--id', 'lark-9q2m'], 'result'],
  [['show', 'lark'], 'show'],
  [['inbox'], 'inbox'],
  [['runs', '--status', 'suspended'], 'runs'],
  [['replay', 'otter'], 'replay'],
  [['replay', 'otter', '--against', 'other/refund.workflow.json'], 'replay'],
  [['fork', 'otter@9', '--decide', 'part', '--id', 'crane-6v4h'], 'fork'],
  [['fork', 'otter@9', '--decide', 'prat'], 'error'],
  [['diff', 'otter', 'crane'], 'diff'],
  [['diff', 'otter', '--replay'], 'replay'],
  [['why', 'otter', 'decide'], 'why'],
  [['why', 'crane', '@10'], 'why'],
  [['check'], 'check'],
  [['check', 'refund.workflow.json', 'bad.workflow.json'], 'check'],
  [['worker', '--once'], 'worker'],
  [['serve', '--port', 'x'], 'error'],
  [['export', 'otter', '-o', 'otter.run.jsonl'], 'archive'],
  [['export', '--all', '-o', 'tables'], 'tables'],
  [['import', 'otter.run.jsonl', '--id', 'newt-1aaa'], 'imported'],
  [['import', 'otter.run.jsonl'], 'error'],
  [['gc', '--dry-run'], 'gc'],
  [['signal', 'lark', 'deploy.done', '--no-run'], 'signalled'],
  [['cancel', 'lark', '--reason', 'it is broken'], 'cancelled'],
  [['validate', 'refund.workflow.json', 'bad.workflow.json', 'nothing.workflow.json'], 'validate'],
  [['fmt', '--check', 'refund.workflow.json', '-'], 'fmt'],
  [['graph', 'refund.workflow.json'], 'graph'],
  [['graph', 'refund.workflow.json', '--svg', 'x.svg'], 'image'],
  [['graph', 'bad.workflow.json'], 'error'],
  [['cancel', '--kind', 'pipeline', '--dry'], 'cancelledRuns'],
  [['schedule', 'add', 'nightly', 'workflow:refund', '--cron', '0 3 * * *', '-i', 'order_id=A-1'], 'schedule'],
  [['schedule', 'list'], 'schedules'],
  [['schedule', 'pause', 'nightly'], 'schedule'],
  [['schedule', 'remove', 'nightly'], 'unscheduled'],
  [['schedule', 'remove', 'nightly'], 'error'],
  [['queue', 'set', 'slow', '--slots', '10', '--rate', '100/1m'], 'queue'],
  [['queue'], 'queues'],
  [['queue', 'pause', 'slow'], 'queue'],
  [['queue', 'retry', 'otter'], 'retried'],
  [['skill'], 'skills'],
  [['skill', 'test', 'look-up.skill.json'], 'skillTested'],
  [['skill', 'approve', 'orders.look_up@1.0.0', '--by', 'ana'], 'skill'],
  [['skill', 'show', 'orders.look_up'], 'skillShown'],
  [['skill', 'add', 'look-up.skill.json'], 'skill'],
  [['skill', 'diff', 'orders.look_up', '1.0.0', '1.0.0'], 'skillsCompared'],
  [['skill', 'validate', 'look-up.skill.json'], 'validate'],
  [['skill', 'export', 'orders.look_up', '-o', 'agent-skills'], 'agentSkill'],
  [['skill', 'import', 'agent-skills/orders-look-up/SKILL.md', '--out', 'texts'], 'textImported'],
  [['gate', 'explain', '--skill', 'orders.look_up', '--input', 'path=order.json'], 'gateExplained'],
  [['trace', 'list'], 'runs'],
  [['trace', 'show', 'otter'], 'trace'],
  [['trace', 'verify', 'otter'], 'replay'],
  [['log', 'compact', '--dry-run'], 'gc'],
  [['skill', 'list'], 'skills'],
  [['skill', 'evict'], 'skillsEvicted'],
  [['skill', 'promote', 'orders.look_up'], 'skillPromoted'],
  [['bulletin', 'preview', '--user', 'look up order A-1'], 'bulletin'],
  [['run', 'skill:orders.look_up', '-i', 'path=order.json', '--id', 'swift-5g7z'], 'result'],
  [['skill', 'stats'], 'skillStats'],
  [['skill', 'why', 'orders.look_up', '--run', 'swift'], 'skillDecisions'],
  [['skill', 'why', 'orders.other', '--run', 'swift'], 'error'],
  [['learn', 'snapshot'], 'snapshot'],
  [['learn', 'import', 'talk.json', 'nothing.json'], 'transcripts'],
  [['learn', 'improt'], 'error'],
  [['signal', 'nowhere', 'news'], 'error'],
  [['test', 'twice.dataflow.json', '--holds', 'outputs.double < 10.0'], 'tested'],
  [['test', 'refund.workflow.json'], 'error'],
  [['explain', 'INVALID_EDGE'], 'explain'],
  [['explain', 'file.write'], 'explain'],
  [['explain', 'R104Z'], 'error'],
  [['schema'], 'schemas'],
  [['schema', 'outptu'], 'error'],
  [['completion', 'bash'], 'completion'],
  [['completion', 'bahs'], 'error'],
  [['doctor'], 'doctor'],
  [['init', 'first'], 'starter'],
  [['init', 'first'], 'error'],
  [['run', 'bad.workflow.json'], 'error'],
  [['vaildate'], 'error'],
]

function scene(): string {
  const folder = workFolder()
  writeFileSync(
    join(folder, 'bad.workflow.json'),
    '{ "id": "bad", "entry": "a", "nodes": { "b": { "id": "b", "spec": {} } }, "edges": [] }',
  )
  const broken = readFileSync(join(folder, 'refund.workflow.json'), 'utf8')
    .replace('"order.json"', '"nowhere.json"')
    .replace('"refund"', '"broken-order"')
  writeFileSync(join(folder, 'broken-order.workflow.json'), broken)
  const twice = {
    kind: 'cluster',
    id: 'twice',
    version: '0.1.0',
    nodes: { given: { impl: 'context_number_source@^0.1', params: { key: 'given' } }, sum: { impl: 'add@^0.1' } },
    edges: ['given.value -> sum.a', 'given.value -> sum.b'],
    outputs: { double: 'sum.result' },
  }
  writeFileSync(join(folder, 'twice.dataflow.json'), JSON.stringify(twice))
  const call = { id: 'c1', type: 'function', function: { name: 'orders.get', arguments: '{}' } }
  writeFileSync(join(folder, 'talk.json'), JSON.stringify([{ role: 'assistant', tool_calls: [call] }, 7]))
  mkdirSync(join(folder, 'other'))
  const other = readFileSync(join(folder, 'refund.workflow.json'), 'utf8').replace('"exists"', '"not-exists"')
  writeFileSync(join(folder, 'other/refund.workflow.json'), other)
  return folder
}

/** A field that the schema does not know would be missing from what it gives back. */
function expectFits(name: Name, document: unknown, argv: readonly string[]): void {
  const parsed = z.safeParse(DOCUMENTS[name], document)
  expect({ argv, problem: parsed.success ? undefined : z.prettifyError(parsed.error) }).toEqual({ argv, problem: undefined })
  expect(parsed.data, `${argv.join(' ')}: what cli/output-schema.ts knows of it`).toEqual(document)
}

test('every document of --json matches its published schema, and the schema describes all of it', async () => {
  const folder = scene()
  for (const [argv, name] of SCENE) expectFits(name, json((await reflex([...argv, '--json'], { folder, clusters })).out), argv)
  // `watch` shows a run until it is left, and `mcp` speaks its own protocol.
  const spoken = new Set(['watch', 'mcp', ...SCENE.flatMap(([argv]) => argv.slice(0, 1))])
  expect(actions.map(({ name }) => name).filter((name) => !spoken.has(name))).toEqual([])
})

test('every line of --jsonl matches its published schema', async () => {
  const folder = scene()
  /** What its first line is, and what the others are. */
  const lines: readonly (readonly [argv: readonly string[], first: Name, others?: Name])[] = [
    [RUN, 'record'],
    [['trace', 'otter'], 'record'],
    [['runs'], 'run'],
    [['inbox'], 'question'],
    [['check', 'broken-order.workflow.json'], 'checked'],
    [['check', 'bad.workflow.json'], 'refused', 'checked'],
    [['answer', 'otter', 'approve'], 'record'],
    [['replay', 'otter'], 'replay'],
    [['vaildate'], 'error'],
  ]
  for (const [argv, first, others = first] of lines) {
    const { out } = await reflex([...argv, '--jsonl'], { folder, clusters })
    expect(out).not.toBe('')
    out
      .trimEnd()
      .split('\n')
      .forEach((line, i) => expectFits(i === 0 ? first : others, json(line), argv))
  }
})

test('the published schema has every document, and every reference resolves', async () => {
  const { out } = await reflex(['schema', 'output'], { folder: workFolder() })
  const schema = json(out) as { anyOf: { $ref: string }[]; definitions: Record<string, unknown> }
  expect(schema.anyOf.map(({ $ref }) => $ref)).toEqual(Object.keys(DOCUMENTS).map((name) => `#/definitions/${name}`))
  const references = [...out.matchAll(/"\$ref": "([^"]*)"/g)].map(([, target = '']) => target)
  expect(references.filter((target) => !(target.replace('#/definitions/', '') in schema.definitions))).toEqual([])
  // Fields may be added: a reader that checks must not stumble over them.
  expect(out).not.toContain('"additionalProperties": false')
})

test('the schema of a kind is the schema of the package, in every output shape', async () => {
  for (const more of [[], ['--json'], ['--jsonl']])
    for (const columns of [undefined, 80]) {
      const { code, out, err } = await reflex(['schema', 'workflow', ...more], {
        folder: workFolder(),
        ...(columns === undefined ? {} : { columns }),
      })
      expect({ code, err, schema: json(out) }).toEqual({ code: 0, err: '', schema: workflowSchema })
    }
})

test('schema without a name lists the schemas', async () => {
  const { out } = await reflex(['schema'], { folder: workFolder(), columns: 80 })
  const text = stripVTControlCharacters(out)
  const names = ['workflow', 'pipeline', 'tree', 'dataflow', 'dataflow-adapter', 'policy', 'answers', 'config', 'output']
  for (const name of names) expect(text).toMatch(new RegExp(`^${name} `, 'm'))
})

test.each([
  ['workflwo', 'did you mean "workflow"?', 'reflex schema workflow'],
  ['spoon', 'there is no schema "spoon"', 'name one of workflow, pipeline, tree, dataflow,'],
])('%s is refused as unknown', async (name, hint, fix) => {
  const { code, out, err } = await reflex(['schema', name], { folder: workFolder() })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('error R2037')
  expect(err).toContain(hint)
  expect(err).toContain(fix)
})

/** What the schema of a name has against a value. */
async function misfits(name: string, value: unknown): Promise<readonly unknown[]> {
  const { out } = await reflex(['schema', name], { folder: workFolder() })
  return jsonSchemaIssues(json(out) as JsonObject, value as Json)
}

const POLICIES: readonly (readonly [text: string, fits: boolean])[] = [
  ['{}', true],
  ['{"$schema": "x", "allow": ["arbor://fs/read/srv/**"], "deny": [], "ask": ["arbor://net/http"], "roots": ["deploy"]}', true],
  ['{"allow": [{"capability": "arbor://net/http", "expires_at": "2027-01-31T00:00:00Z", "max_uses": 3}]}', true],
  ['{"commands": {"memory": "512 MiB", "processes": 64}}', true],
  ['[]', false],
  ['{"alow": []}', false],
  ['{"allow": "arbor://a"}', false],
  ['{"allow": [1]}', false],
  ['{"allow": [{"capability": "arbor://net/http", "until": 1}]}', false],
  ['{"allow": [{"capability": "arbor://net/http", "expires_at": "2027-01-31"}]}', false],
  ['{"deny": ["fs/read"]}', false],
  ['{"roots": ["De/ploy"]}', false],
  ['{"commands": {"memory": 5}}', false],
  ['{"commands": {"processes": 1}}', false],
  ['{"commands": {"cores": 1}}', false],
]

test.each(POLICIES)('the schema of policies and the reader agree on %s', async (text, fits) => {
  expect((await misfits('policy', json(text))).length === 0).toBe(fits)
  const read = (): unknown => readPolicy(text)
  if (fits) expect(read).not.toThrow()
  else expect(read).toThrow()
})

const PIPELINES: readonly (readonly [value: Record<string, unknown>, fits: boolean])[] = [
  [
    { goal: 'g', nodes: { start: {}, style: { prompt: 'p', timeout: '5m', max_retries: 2, mine: true } }, edges: [['start', 'style']] },
    true,
  ],
  [{ nodes: { a: { join_policy: 'quorum' } }, edges: [{ from: 'a', to: 'a', label: '[M] Merge' }] }, true],
  [{ nodes: { a: {} }, edges: [['a']] }, false],
  [{ nodes: { a: {} }, edges: [{ from: 'a' }] }, false],
  [{ nodes: { a: 3 }, edges: [] }, false],
  [{ nodes: { a: { prompt: ['x'] } }, edges: [] }, false],
  [{ nodes: { a: { join_policy: 'most' } }, edges: [] }, false],
  [{ edges: [] }, false],
]

test.each(PIPELINES)('the schema of pipelines and the tables of attributes agree on %j', async (value, fits) => {
  expect((await misfits('pipeline', value)).length === 0).toBe(fits)
})

test('the schema of pipelines has every attribute of the tables', async () => {
  const { out } = await reflex(['schema', 'pipeline'], { folder: workFolder() })
  const { properties, definitions } = json(out) as { properties: object; definitions: Record<string, { properties: object }> }
  const known = { graph: properties, node: definitions['node']?.properties ?? {}, edge: definitions['edge']?.properties ?? {} }
  const missing = BUILT_IN_OPERATIONS.rows.filter(({ on, name }) => !name.endsWith('.*') && !(name in known[on]))
  expect(missing).toEqual([])
})

test('the schemas of answers and of settings accept what their readers accept', async () => {
  expect(await misfits('answers', { $schema: 'x', approve: 'YES', pay: [1, { total: 3 }] })).toEqual([])
  expect(await misfits('answers', ['YES'])).not.toEqual([])
  expect(await misfits('config', { model: 'openai:gpt', trust: 'untrusted' })).toEqual([])
  expect(await misfits('config', { trust: 'most' })).not.toEqual([])
})
