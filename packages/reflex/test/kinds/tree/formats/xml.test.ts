import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatTree } from '../../../../src/kinds/tree/formats/format.ts'
import { readXmlTree } from '../../../../src/kinds/tree/formats/xml/read-xml.ts'
import { writeXmlTree } from '../../../../src/kinds/tree/formats/xml/write-xml.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { anyNode, withIds, xmlNode } from './arbitrary.ts'
import { withoutLines, withoutPlaces } from './fixtures.ts'

const LEAVES: readonly NodeSource[] = [1, 2, 3].map((at) => ({ type: 'succeed', id: `n${at}` }))
const xml = (inside: string, more = ''): string =>
  `<root BTCPP_format="4" main_tree_to_execute="t">\n<BehaviorTree ID="t">\n${inside}\n</BehaviorTree>\n${more}</root>`

function rootOf(inside: string, more = ''): NodeSource {
  const { source, findings } = readXmlTree(xml(inside, more))
  if (source === undefined) throw findings[0] ?? new Error('no source')
  return source.root
}

const paramsOf = (inside: string): unknown => rootOf(inside).params
const OK = '<AlwaysSuccess/>'
const MODELS = `<TreeNodesModel>
  <Action ID="MoveTo"><input_port name="goal" type="std::string"/><input_port name="speed" default="2"/><output_port name="left" type="int"/><inout_port name="path"/></Action>
  <Action ID="Turn"><input_port name="by" type="int"/><input_port name="times" type="unsigned"/><input_port name="slowly" type="bool"/><input_port name="angle" type="double"/></Action>
  <Condition ID="IsOpen"><input_port name="door"/></Condition>
  <Decorator ID="Twice"/>
</TreeNodesModel>`

describe('the palette of BehaviorTree.CPP', () => {
  test.each([
    ['Sequence', 'sequence'],
    ['SequenceWithMemory', 'sequence_with_memory'],
    ['ReactiveSequence', 'reactive_sequence'],
    ['Fallback', 'selector'],
    ['ReactiveFallback', 'reactive_selector'],
    ['Inverter', 'inverter'],
    ['ForceSuccess', 'always_succeed'],
    ['ForceFailure', 'always_fail'],
    ['RunOnce', 'run_once'],
    ['KeepRunningUntilFailure', 'repeater'],
  ])('%s is %s', (name, type) => {
    expect(rootOf(`<${name}>${OK}</${name}>`)).toMatchObject({ type, children: [{ type: 'succeed' }] })
  })

  test.each<[string, unknown]>([
    [`<Timeout msec="300">${OK}</Timeout>`, { timeout_ms: 300 }],
    [`<Delay delay_msec="300">${OK}</Delay>`, { delay_ms: 300 }],
    ['<Sleep msec="300"/>', { wait_ms: 300 }],
    [`<RunOnce then_skip="false">${OK}</RunOnce>`, { then_skip: false }],
    ['<ScriptCondition code="a &gt; 1 &amp;&amp; !b"/>', { condition: 'bb.a > 1 and not bb.b' }],
    [`<Precondition if="a">${OK}</Precondition>`, { condition: 'bb.a' }],
    [`<Precondition if="a" else="FAILURE">${OK}</Precondition>`, { condition: 'bb.a' }],
    [`<Precondition if="a == 1" else="SUCCESS">${OK}</Precondition>`, { success_if: 'not (bb.a == 1)' }],
    [
      `<Precondition if="a || b" else="SKIPPED" _onSuccess="c := 1">${OK}</Precondition>`,
      { skip_if: 'not (bb.a or bb.b)', on_success: { c: '1' } },
    ],
    // Attempts are one more than retries, and -1 has no end in both.
    [`<RetryUntilSuccessful num_attempts="3">${OK}</RetryUntilSuccessful>`, { max_retries: 2 }],
    [`<RetryUntilSuccessful num_attempts="-1">${OK}</RetryUntilSuccessful>`, { max_retries: -1 }],
    [`<Repeat num_cycles="3">${OK}</Repeat>`, { count: 3 }],
    [`<Repeat num_cycles="-1">${OK}</Repeat>`, undefined],
    // Without counts, all must succeed and the first failure decides.
    [`<Parallel>${OK}${OK}${OK}</Parallel>`, { policy: 'require_all', merge_strategy: 'last_wins' }],
    [`<Parallel success_count="2">${OK}${OK}${OK}</Parallel>`, { policy: 'require_n', n: 2, merge_strategy: 'last_wins', max_failures: 1 }],
    [
      `<Parallel success_count="2" failure_count="-1">${OK}${OK}${OK}</Parallel>`,
      { policy: 'require_n', n: 2, merge_strategy: 'last_wins' },
    ],
    [
      `<Parallel success_count="-2" failure_count="3">${OK}${OK}${OK}</Parallel>`,
      { policy: 'require_n', n: 2, merge_strategy: 'last_wins' },
    ],
    [`<ParallelAll>${OK}${OK}</ParallelAll>`, { policy: 'require_all', merge_strategy: 'last_wins', on_child_fail: 'continue' }],
    [
      `<ParallelAll max_failures="2">${OK}${OK}${OK}</ParallelAll>`,
      { policy: 'require_n', n: 2, merge_strategy: 'last_wins', on_child_fail: 'continue' },
    ],
    [`<Switch2 variable="{mode}" case_1="1" case_2="x">${OK}${OK}${OK}</Switch2>`, { key: 'mode', cases: [1, 'x'] }],
    [`<LoopString queue="{q}" value="{v}">${OK}</LoopString>`, { collection_key: 'q', item_key: 'v' }],
    ['<SetBlackboard output_key="k" value="42"/>', { key: 'k', value: 42 }],
    ['<SetBlackboard output_key="k" value="json:{&quot;a&quot;:[1]}"/>', { key: 'k', value: { a: [1] } }],
    ['<SetBlackboard output_key="@k" value="{a}"/>', { key: 'k', global: true, expression: 'bb.a' }],
    ['<UnsetBlackboard key="k"/>', { key: 'k' }],
    ['<Script code="a += 2"/>', { key: 'a', expression: 'bb.a + 2' }],
    ['<Action ID="pkg.act" x="1" y="{k}"/>', { fn: 'pkg.act', args: { x: 1 }, inputs: { y: 'k' }, outputs: { y: 'k' } }],
    [
      `<AlwaysSuccess _skipIf="!a" _while="b" _onSuccess="c := 1; d := 'x'" _post="e = true"/>`,
      { skip_if: 'not bb.a', while: 'bb.b', on_success: { c: '1', d: '"x"' }, after: { e: 'true' } },
    ],
  ])('%s', (text, params) => {
    expect(paramsOf(text)).toEqual(params)
  })

  test.each<[string, string, unknown]>([
    ['LoopInt', '1;-2;3', [1, -2, 3]],
    ['LoopDouble', '1.5; 2', [1.5, 2]],
    ['LoopBool', 'true;0', [true, false]],
    ['LoopString', 'a;b c', ['a', 'b c']],
  ])('%s over the list %s', (name, queue, items) => {
    const root = rootOf(`<${name} name="each" queue="${queue}" value="{v}" _onSuccess="done := true">${OK}</${name}>`)
    const [set, loop] = root.children ?? []
    expect(root).toMatchObject({ type: 'sequence', id: 'each', params: { on_success: { done: 'true' } } })
    expect(set).toMatchObject({ type: 'set', params: { value: items } })
    expect(loop).toMatchObject({
      type: 'for_each',
      params: { collection_key: set?.params?.key, item_key: 'v' },
      children: [{ type: 'succeed' }],
    })
    const { text = '', findings } = writeXmlTree({ format: 1, id: 't', root })
    expect([findings, text.includes(`<${name} name="each" queue="`)]).toEqual([[], true])
    expect(readXmlTree(text).source?.root.children?.[0]?.params?.value).toEqual(items)
    expect(writeXmlTree(readXmlTree(text).source as TreeSource).text).toBe(text)
  })

  test('a port of a number holds a number, however it is written', () => {
    expect(rootOf('<Turn by="+3" slowly="1" angle="2.50"/>', MODELS).params).toMatchObject({ args: { by: 3, slowly: 1, angle: 2.5 } })
    expect(rootOf('<Turn by="${bb.steps}"/>', MODELS).params).toMatchObject({ args: { by: '${bb.steps}' } })
  })

  test('nodes of models have the ports that the models give them, with their defaults', () => {
    const { source } = readXmlTree(
      xml('<Sequence><MoveTo goal="{g}" left="{l}" path="{=}"/><Action ID="MoveTo" goal="7"/><IsOpen door="{d}"/></Sequence>', MODELS),
    )
    expect(source?.root.children?.map(({ params }) => params)).toEqual([
      { fn: 'MoveTo', args: { speed: 2 }, inputs: { goal: 'g', path: 'path' }, outputs: { left: 'l', path: 'path' } },
      { fn: 'MoveTo', args: { goal: '7', speed: 2 } },
      { condition: { fn: 'IsOpen', inputs: { door: 'd' } } },
    ])
    expect(source?.board).toEqual({ g: { type: 'str' }, l: { type: 'int' }, path: {}, d: {} })
  })

  test('subtrees are connected by port, by value, and by name through several levels', () => {
    const more = `<BehaviorTree ID="a"><SubTree ID="b" _autoremap="true"/></BehaviorTree>
<BehaviorTree ID="b"><Script code="out := x + lim"/></BehaviorTree>`
    const { source } = readXmlTree(xml('<SubTree ID="a" x="{@pos}" lim="5" _autoremap="1"/>', more))
    expect(source?.root.params).toEqual({
      tree_name: 'a',
      autoremap: true,
      values: { lim: 5 },
      bind: { x: '@pos', out: 'out' },
      export: { '@pos': 'x', out: 'out' },
    })
    expect([source?.board, source?.trees?.a?.board]).toEqual([{ out: {} }, { x: {}, lim: {}, out: {} }])
  })
})

describe('what XML says and trees do not have is refused at its place', () => {
  // proves: tree 13
  test.each([
    ['<AsyncSequence><AlwaysSuccess/></AsyncSequence>', 'R1205', 'trees have no AsyncSequence'],
    ['<ManualSelector><AlwaysSuccess/></ManualSelector>', 'R1205', 'trees have no ManualSelector'],
    ['<WasEntryUpdated entry="{x}"/>', 'R1205', 'trees have no WasEntryUpdated'],
    ['<Sequnce/>', 'R1205', 'there is no node "Sequnce"'],
    ['<Twice><AlwaysSuccess/></Twice>', 'R1205', '"Twice" is a decorator of a program in C++, and cannot be run here'],
    ['<Action/>', 'R1205', 'Action has no ID'],
    ['<LoopInt queue="1;x" value="{v}"><AlwaysSuccess/></LoopInt>', 'R1205', 'LoopInt has an item of another type'],
    ['<Timeout mses="1"><AlwaysSuccess/></Timeout>', 'R1205', 'Timeout has no port "mses"'],
    ['<Timeout msec="{t}"><AlwaysSuccess/></Timeout>', 'R1205', 'msec of Timeout cannot come from the blackboard'],
    ['<Timeout msec="1.5"><AlwaysSuccess/></Timeout>', 'R1202', 'timeout_ms must be a whole number, found 1.5 (timeout)'],
    [
      '<Parallel success_count="3"><AlwaysSuccess/></Parallel>',
      'R1205',
      'success_count must be from 1 to 1, the number of children, or -1 for all',
    ],
    [
      '<RetryUntilSuccessful num_attempts="0"><AlwaysSuccess/></RetryUntilSuccessful>',
      'R1205',
      'num_attempts must be at least 1, or -1 for no end',
    ],
    ['<Precondition if="a" else="RUNNING"><AlwaysSuccess/></Precondition>', 'R1205', 'Precondition with else="RUNNING" is not read'],
    [
      '<Precondition if="a" else="SKIPPED" _skipIf="b"><AlwaysSuccess/></Precondition>',
      'R1205',
      'Precondition with else="SKIPPED" has _skipIf as well',
    ],
    ['<SetBlackboard output_key="{k}" value="1"/>', 'R1205', 'output_key="{k}" means the key whose name k holds, and keys are fixed'],
    ['<Script code="a := RED"/>', 'R1205', 'RED is the name of an enum, and enums are declared in C++'],
    ['<Script code="a := b &amp; 1"/>', 'R1205', 'conditions of trees have no bitwise operator &'],
    ['<Script code="a == 1"/>', 'R1205', 'a statement of the script writes nothing'],
    ['<ScriptCondition code="a = 1"/>', 'R1205', 'a condition must be one expression that writes nothing'],
    [`<Script code="a := ${'-'.repeat(40_000)}1"/>`, 'R1205', 'the statement has more than 500 parts'],
    [`<Script code="a := ${'!'.repeat(40_000)}b"/>`, 'R1205', 'the statement has more than 500 parts'],
    [`<Script code="a := 1${' + b'.repeat(20_000)}"/>`, 'R1205', 'the statement has more than 500 parts'],
    [`<Script code="a := ${'('.repeat(40)}a${' ? b : c)'.repeat(40)}"/>`, 'R1205', 'the statement has more than 500 parts'],
    ['<AlwaysSuccess _onSuccess="a := 1; b := a"/>', 'R1205', 'the statements of _onSuccess depend on each other'],
    ['<Action ID="x" p="{_k}"/>', 'R1205', 'keys that begin with _ belong to the runtime: "_k"'],
    ['<Turn by="left"/>', 'R1205', 'by is of type int, and "left" is not'],
    ['<Turn by="1.5"/>', 'R1205', 'by is of type int, and "1.5" is not'],
    ['<Turn times="-1"/>', 'R1205', 'times is of type unsigned, and "-1" is not'],
    ['<Turn slowly="maybe"/>', 'R1205', 'slowly is of type bool, and "maybe" is not'],
    ['<Turn angle="json:{}"/>', 'R1205', 'angle is of type double, and "json:{}" is not'],
    ['<SubTree ID="../x"/>', 'R1262', 'tree_name must be a name, and "../x" is a path (subtree_ref)'],
    ['<SubTree ID="t"/>', 'R1232', 'the tree refers to itself: t → t'],
    ['<Sequence/>', 'R1226', 'sequence takes at least one child, and has none'],
    [
      '<Sequence><AlwaysSuccess name="a"/><AlwaysSuccess _id="a"/></Sequence>',
      'R1225',
      'the id "a" is already that of a node of type succeed on line 3',
    ],
  ])('%s', (text, code, message) => {
    const { source, findings } = readXmlTree(xml(text, MODELS), 'x.xml')
    const [fault] = findings
    expect([source, fault?.code, fault?.message, fault?.file, fault?.line]).toEqual([undefined, code, message, 'x.xml', 3])
  })

  test.each([
    ['<!DOCTYPE r [<!ENTITY a "b">]>\n<root/>', 'a document type (DOCTYPE) is not read', 1],
    ['<root>\n&lol;</root>', 'this entity is not declared, and declarations are not read', 2],
    ['<root>\n<a></root>', 'the text is not XML: unexpected close tag', 2],
    ['<tree/>', 'the document must be a root, found tree', 1],
    ['<root BTCPP_format="3"/>', 'BTCPP_format "3" is not read', 1],
    ['<root BTCPP_format="4"/>', 'the file has no BehaviorTree', 1],
    ['<root BTCPP_format="4">\n<include path="x.xml"/></root>', 'include is not read; root has BehaviorTree and TreeNodesModel', 2],
    [xml(OK, `<BehaviorTree ID="t">${OK}</BehaviorTree>`), 'there are two BehaviorTrees with the ID "t"', 5],
    [xml(OK + OK), 'a BehaviorTree has one child', 3],
    [
      xml(
        '<SubTree ID="a"/>',
        '<BehaviorTree ID="a"><SubTree ID="b"/></BehaviorTree>\n<BehaviorTree ID="b"><SubTree ID="a"/></BehaviorTree>',
      ),
      'the tree refers to itself: a → b → a',
      6,
    ],
    [xml(OK).replace('execute="t"', 'execute="u"'), 'main_tree_to_execute names "u", which is not in the file', 1],
    ['<a>'.repeat(500), 'elements are nested more than 400 levels deep', 1],
  ])('%j', (text, message, line) => {
    const { source, findings } = readXmlTree(text)
    expect([source, findings[0]?.message, findings[0]?.line]).toEqual([undefined, message, line])
  })

  test('mistakes of scripts are marked inside of the attribute', () => {
    expect(readXmlTree(xml(`<Script code="a := 1; b := 'x"/>`)).findings[0]).toMatchObject({
      line: 3,
      column: 28,
      fix: "close the text with '",
    })
  })
})

describe('a tree is written as XML', () => {
  test('that reads as the same tree', () => {
    fc.assert(
      fc.property(xmlNode(3), (node) => {
        const root = withIds(node)
        const { text, findings } = writeXmlTree({ format: 1, id: 't', root })
        expect(findings).toEqual([])
        const again = readXmlTree(text ?? '')
        expect([again.findings, again.source && withoutLines(again.source.root)]).toEqual([[], root])
        // Written again with the keys that were declared for it, it is the same text but for the types of ports.
        const second = writeXmlTree(again.source as TreeSource)
        expect([second.findings, second.text]).toEqual([[], text])
        expect(formatTree(text ?? '', 'x.xml').text).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  test('or refused by name', () => {
    fc.assert(
      fc.property(anyNode(2), (node) => {
        const { text, findings } = writeXmlTree({ format: 1, id: 't', root: withIds(node) })
        expect(text !== undefined || findings.some(({ code, severity }) => code === 'R1208' && severity === 'error')).toBe(true)
      }),
    )
  })

  test.each<[string, Partial<TreeSource>]>([
    ['XML cannot say n: BehaviorTree.CPP has no llm_call', { root: { type: 'llm_call', id: 'n', params: { prompt: 'x' } } }],
    ['XML cannot say n: it is outside', { root: { type: 'condition', id: 'n', params: { condition: 'return f()' } } }],
    ['XML cannot say n: a script has no bb.has', { root: { type: 'condition', id: 'n', params: { condition: 'bb.has("x")' } } }],
    ['XML cannot say n: a number that is tested', { root: { type: 'succeed', id: 'n', params: { skip_if: '0' } } }],
    ['XML cannot say n: a number that is tested', { root: { type: 'condition', id: 'n', params: { condition: 'not (bb.a + 1)' } } }],
    [
      'XML cannot say n: the key "=" cannot stand',
      { root: { type: 'switch', id: 'n', params: { key: '=', cases: [1, 2] }, children: LEAVES } },
    ],
    ['XML cannot say tick_budget of the tree "t"', { tick_budget: 5 }],
    ['XML cannot say the first value of "a": write a SetBlackboard', { board: { a: { default: 1 } } }],
    [
      'XML cannot say n: a is bound and not exported, and a port is both',
      { root: { type: 'subtree_ref', id: 'n', params: { tree_name: 'x', bind: { a: 'b' }, export: [] } } },
    ],
  ])('%s', (message, tree) => {
    const { text, findings } = writeXmlTree({ format: 1, id: 't', root: { type: 'succeed', id: 'n' }, ...tree })
    expect([text, findings[0]?.code]).toEqual([undefined, 'R1208'])
    expect(findings[0]?.message.startsWith(message.replace(/: it is outside$/, ': it '))).toBe(true)
  })

  test('with scripts, subtrees and models as they were read', () => {
    const text = xml(
      `<Sequence name="top"><Script code="a := 1; b := a + 1"/><Switch2 variable="{m}" case_1="1" case_2="x">${OK}${OK}${OK}</Switch2>
<MoveTo goal="{g}" left="{l}" name="go there"/><SubTree ID="u" x="{a}" y="3" _autoremap="true"/><LoopInt queue="{q}" value="{v}">${OK}</LoopInt></Sequence>`,
      `<BehaviorTree ID="u"><ScriptCondition code="x ? y == 1 : z"/></BehaviorTree>${MODELS}`,
    )
    const first = readXmlTree(text).source as TreeSource
    const written = writeXmlTree(first).text ?? ''
    const second = readXmlTree(written).source as TreeSource
    expect(written).toContain('<Script code="a := 1; b := a + 1"/>')
    expect(written).toContain('<SubTree ID="u" x="{a}" y="3" _autoremap="true"/>')
    expect(written).toContain('<input_port name="goal" type="std::string"/>')
    expect(writeXmlTree(second).text).toBe(written)
    const stated = (tree: TreeSource): unknown =>
      JSON.parse(JSON.stringify(withoutPlaces(tree), (key, value: unknown) => (key === 'id' ? undefined : value)))
    expect(stated(second)).toEqual(stated(first))
  })
})

describe('XML is formatted', () => {
  test('and keeps comments, texts and the order of attributes', () => {
    const text = '<?xml version="1.0"?>\n<!-- a --><root  b="1"\n a="&lt;&#10;">\n\n\n<x>  hi &amp; ho </x>\n\n\n<!-- c -->\n<y></y></root>'
    const formatted =
      '<?xml version="1.0"?>\n<!-- a -->\n<root b="1" a="&lt;&#10;">\n  <x>hi &amp; ho</x>\n\n  <!-- c -->\n  <y/>\n</root>\n'
    expect(formatTree(text, 'x.xml').text).toBe(formatted)
    expect(formatTree(formatted, 'x.xml').text).toBe(formatted)
  })

  test('and replaces half of a pair of UTF-16, which no file can have', () => {
    const formatted = '<root>\n  \ufffd\n  <a/>\n</root>\n'
    expect(formatTree('<root>\ud800<a/></root>', 'x.xml').text).toBe(formatted)
    expect(formatTree(formatted, 'x.xml').text).toBe(formatted)
  })
})
