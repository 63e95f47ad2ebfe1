import { describe, expect, test } from 'vitest'
import { parse } from '../../../../src/kinds/pipeline/dot/parse.ts'
import { compileGraph } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { readCapability } from '../../../../src/policy/index.ts'
import { compiled, nodeOf } from './compiled.ts'

const EXECUTE = 'arbor://orchestrator/execute'
const needs = (attributes: string): readonly string[] => nodeOf(attributes).capabilitiesRequired

describe('capabilities', () => {
  // proves: pipeline 5.2a, pipeline s5.2a
  test('a start and an exit need nothing, everything else its type and its alias', () => {
    const typed = compiled('b [shape=diamond]')
    expect(typed.nodes.get('start')?.capabilitiesRequired).toEqual([])
    expect(typed.nodes.get('b')?.capabilitiesRequired).toEqual([`${EXECUTE}/branch`, `${EXECUTE}/conditional`])
    expect(needs('type="branch"')).toEqual([`${EXECUTE}/branch`])
  })

  const rows: readonly (readonly [attributes: string, uris: readonly string[]])[] = [
    ['prompt="x"', [`${EXECUTE}/compute`, `${EXECUTE}/codergen`, `${EXECUTE}/llm_query`]],
    ['use_tools=true, tools="file.read, git log"', [`${EXECUTE}/llm_query`, 'arbor://tool/file.read', 'arbor://tool/git%20log']],
    ['use_tools="true"', ['arbor://tool']],
    ['type="tool", tool_command="x"', [`${EXECUTE}/exec`, `${EXECUTE}/tool`, 'arbor://shell/exec']],
    ['type="exec", target="shell", command="x", sandbox="none"', ['arbor://shell/exec']],
    ['type="compute", purpose="shell", command="x"', ['arbor://shell/exec']],
    ['type="exec", target="action", action="session.classify"', ['arbor://action/session_classify']],
    ['type="file.write", output="out/../notes/a b.md"', ['arbor://fs/write/{work}/notes/a%20b.md']],
    ['type="read", path="/etc/hosts"', ['arbor://fs/read/etc/hosts']],
    ['type="file.write", output="$HOME/.arbor/x"', ['arbor://fs/write/{home}/.arbor/x']],
    ['type="read", source="file", source_key="where"', ['arbor://fs/read']],
    ['type="drift_detect", baseline_path="b.json"', ['arbor://fs/read/{work}/b.json', 'arbor://fs/write/{work}/b.json']],
    ['type="prompt.ab_test", persistence="p.jsonl"', [`${EXECUTE}/llm_query`, 'arbor://fs/write/{work}/p.jsonl']],
    ['type="read", source="api", url="https://Example.org:8080/x"', ['arbor://net/example.org']],
    ['type="memory.index"', ['arbor://memory/index']],
    ['type="memory.store_file", memory_store="m"', ['arbor://memory/store_file', 'arbor://fs/write/{work}/m']],
    ['type="eval.persist"', ['arbor://eval/persist']],
    ['type="graph.invoke", graph_file="c.dot"', ['arbor://orchestrator/invoke', 'arbor://fs/read/{work}/c.dot']],
    ['type="pipeline.run"', ['arbor://orchestrator/invoke']],
    ['type="map", item_type="shell"', ['arbor://orchestrator/map/dispatch', `${EXECUTE}/exec`, `${EXECUTE}/shell`, 'arbor://shell/exec']],
    ['shape=octagon, trust_tier="veteran"', [`${EXECUTE}/adapt`, `${EXECUTE}/graph.adapt`, 'arbor://orchestrator/adapt/veteran']],
    ['shape=hexagon', ['arbor://human/ask']],
    ['prompt="x", pre_hook="echo"', ['arbor://shell/exec']],
    ['prompt="x", capabilities="arbor://deploy/prod, arbor://x"', ['arbor://deploy/prod', 'arbor://x']],
  ]
  // proves: pipeline 5.2b
  test.each(rows)('%s', (attributes, uris) => expect(needs(attributes)).toEqual(expect.arrayContaining([...uris])))

  test('items are what they are, also items of items', () => {
    const inner = JSON.stringify({ handler_type: 'exec', handler_attrs: { target: 'action', action: 'file.write' } })
    const text = JSON.stringify(inner)
    expect(needs(`type="map", handler_type="map", handler_attrs=${text}`)).toContain('arbor://action/file_write')
  })

  test('a custom handler without a word of the host needs a grant of its own', () => {
    const node = nodeOf('type="mine"', { custom: new Map([['mine', {}]]) })
    expect(node.capabilitiesRequired).toEqual([`${EXECUTE}/custom/mine`])
  })

  test('tool hooks of the graph are commands of the nodes that call tools', () => {
    const typed = compiled('graph [tool_hooks.pre="log"]; a [use_tools=true]; b [prompt=x]')
    expect(typed.nodes.get('a')?.capabilitiesRequired).toContain('arbor://shell/exec')
    expect(typed.nodes.get('b')?.capabilitiesRequired).not.toContain('arbor://shell/exec')
  })

  test('no path escapes by its spelling', () => {
    for (const path of ['../../etc/passwd', 'a/../../b', '{work}/x', 'a/**', '..\\\\x']) {
      const [uri = ''] = needs(`type="file.write", output="${path}"`).filter((need) => need.startsWith('arbor://fs/'))
      const read = readCapability(uri)
      if ('problem' in read) expect(read.problem).toContain('..')
      else expect(read.steps.slice(0, 3)).toEqual(['fs', 'write', '{work}'])
    }
    expect(needs('type="file.write", output="{work}/x"')).toContain('arbor://fs/write/{work}/%7Bwork%7D/x')
  })

  // proves: pipeline 11.3i
  test('a graph lists all of its nodes, sorted', () => {
    const { capabilities } = compiled('graph [pre_hook="x"]; a [prompt="x"]; b [shape=hexagon]')
    expect(capabilities).toEqual([...capabilities].sort())
    expect(capabilities).toEqual(expect.arrayContaining(['arbor://human/ask', 'arbor://shell/exec', `${EXECUTE}/llm_query`]))
  })
})

describe('data classes', () => {
  // proves: pipeline s9.3a, pipeline 2.2b
  test.each([
    ['shape=diamond', 'public', false],
    ['type="transform"', 'public', false],
    ['prompt="x"', 'internal', false],
    ['type="shell"', 'internal', false],
    ['shape=octagon', 'secret', false],
    ['sensitive="true"', 'sensitive', true],
    ['data_class="secret", sensitive=true', 'secret', true],
    ['data_class="public"', 'public', true],
    ['data_class="pubic"', 'internal', false],
    ['type="read", path="conf/.env"', 'secret', false],
    ['type="read", path="keys/id_rsa"', 'secret', false],
    ['output_key="session.api_key"', 'secret', false],
    ['max_tokens=5, output_key="keyboard"', 'internal', false],
  ])('%s is %s', (attributes, dataClassification, classified) => {
    expect(nodeOf(attributes)).toMatchObject({ dataClassification, classified })
  })

  // proves: pipeline 5.4a, pipeline 11.3j
  test('an edge downwards is an error only if the author has written both classes', () => {
    const severities = (a: string, b: string): string[] =>
      compiled(`a [${a}]; b [${b}]; a -> b`)
        .findings.filter(({ rule }) => rule === 'taint_flow')
        .map(({ severity }) => severity)
    expect(severities('data_class=secret, prompt=x', 'data_class=internal, prompt=x')).toEqual(['error'])
    expect(severities('data_class=secret, prompt=x', 'prompt=x')).toEqual(['warning'])
    expect(severities('prompt=x', 'data_class=public, prompt=x')).toEqual(['warning'])
    expect(severities('data_class=internal, prompt=x', 'shape=diamond')).toEqual([])
    expect(severities('data_class=internal, prompt=x', 'data_class=sensitive, prompt=x')).toEqual([])
  })
})

describe('idempotency', () => {
  test.each([
    ['shape=diamond', 'idempotent'],
    ['type="transform"', 'idempotent'],
    ['type="accumulator"', 'idempotent'],
    ['prompt="x"', 'idempotent_with_key'],
    ['type="file.write"', 'idempotent_with_key'],
    ['type="file.write", append=true', 'side_effecting'],
    ['type="eval.report"', 'idempotent_with_key'],
    ['type="drift_detect"', 'idempotent_with_key'],
    ['type="read", path=x', 'read_only'],
    ['type="read", url=x, source=api, method=POST', 'side_effecting'],
    ['type="gate"', 'read_only'],
    ['type="routing.select"', 'read_only'],
    ['type="consensus.await"', 'read_only'],
    ['type="consensus.decide"', 'side_effecting'],
    ['type="memory.stats"', 'read_only'],
    ['type="session.format"', 'read_only'],
    ['type="session.checkpoint"', 'side_effecting'],
    ['type="shell"', 'side_effecting'],
    ['shape=hexagon', 'side_effecting'],
    ['type="map"', 'side_effecting'],
    ['type="shell", idempotent=true', 'idempotent'],
    ['prompt=x, idempotent=false', 'side_effecting'],
  ])('%s is %s', (attributes, idempotency) => expect(nodeOf(attributes).idempotency).toBe(idempotency))
})

describe('bounds', () => {
  // proves: pipeline G8
  test('are what a node states', () => {
    expect(nodeOf('timeout=5m, max_retries="3", max_tokens=100, max_cost=0.5').resourceBounds).toEqual({
      timeout: 300_000,
      attempts: 4,
      tokens: 100,
      cost: 0.5,
    })
    expect(nodeOf('shape=component, max_parallel=2').resourceBounds).toEqual({ concurrency: 2 })
    expect(nodeOf('timeout="soon", max_retries=-3').resourceBounds).toEqual({ attempts: 1 })
    expect(nodeOf('prompt=x').resourceBounds).toEqual({})
  })

  // proves: pipeline 3.5b, pipeline 2.1b
  test('the retries of the graph are not for what repeating cannot help', () => {
    const typed = compiled(
      'graph [default_max_retries=2, default_max_retry=9]; a [prompt=x]; g [type=gate]; t [type=transform]; s [retry_policy=linear]',
    )
    const attempts = (id: string): unknown => typed.nodes.get(id)?.resourceBounds.attempts
    expect([attempts('a'), attempts('g'), attempts('t'), attempts('s')]).toEqual([3, undefined, undefined, 3])
  })
})

test('classes are those of the subgraphs, innermost first, then its own', () => {
  const typed = compileGraph(
    parse('digraph g { start [shape=Mdiamond]; subgraph a { label="Outer Loop"; subgraph b { label="Inner"; n [class="mine, inner"] } } }'),
  )
  expect(typed.nodes.get('n')?.classes).toEqual(['inner', 'outer-loop', 'mine'])
})
