import { describe, expect, it } from 'vitest'
import { dispatch, type DispatchSettings, readDuration, type RunnableAgent, scriptedAgent } from '../../src/agents/index.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'
import { tools } from '../tools/workshop.ts'
import { createModels } from '../../src/models/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { at, containing, refusal, written } from './workshop.ts'

const models = createModels({ host: virtualHost() })
const base: DispatchSettings = { tools: tools(), models, workdir: '/work', allows: () => true, denies: () => false }
const edges = ['A>a', 'B>b']

const mine: RunnableAgent = {
  resolve: async () => Promise.resolve({ type: 'advance', edge: 'e1' }),
  traits: () => ({ leaves: true, repeat: 'ask', needs: ['arbor://net/x'] }),
}

describe('the agent of a node', () => {
  const who = (spec: Record<string, unknown>, settings: Partial<DispatchSettings> = {}, metadata?: Record<string, unknown>) =>
    dispatch({ ...base, agents: { mine }, ...settings }).chosenAgent(at(spec, { edges, ...(metadata === undefined ? {} : { metadata }) }))

  // proves: workflow 4.1b, workflow d-agent
  it('is named by the node, the workflow, the operator or the spec, in this order', () => {
    expect(who({ agent: 'person' }, { default: 'model', perNode: { n: 'mine' } }, { agent: 'rules' })).toEqual({
      name: 'person',
      from: 'node',
    })
    expect(who({}, { default: 'model', perNode: { n: 'mine' } }, { agent: 'rules' })).toEqual({ name: 'rules', from: 'workflow' })
    expect(who({}, { default: 'model', perNode: { n: 'mine' } })).toEqual({ name: 'mine', from: 'operator' })
    expect(who({}, { default: 'model', perNode: { 'w/n': 'person', n: 'mine' } })).toEqual({ name: 'person', from: 'operator' })
    expect(who({}, { default: 'model', perNode: { other: 'mine' } })).toEqual({ name: 'model', from: 'operator' })
    expect(who({})).toEqual({ name: 'rules', from: 'spec' })
    expect(who({ tool: 'git.log' })).toEqual({ name: 'tool', from: 'spec' })
    expect(who({ ask: 'x' })).toEqual({ name: 'person', from: 'spec' })
    expect(who({ prompt: 'x' })).toEqual({ name: 'model', from: 'spec' })
    expect(who({ classify: {} })).toEqual({ name: 'rules', from: 'spec' })
  })

  it('still calls the tool or asks the question of the node, unless the host replaces it', () => {
    for (const name of ['rules', 'model', 'person']) {
      expect(who({ tool: 'git.log' }, { default: name })).toMatchObject({ name: 'tool' })
      expect(who({ ask: 'x' }, {}, { agent: name })).toMatchObject({ name: 'person' })
    }
    expect(who({ tool: 'git.log' }, { default: 'mine' })).toMatchObject({ name: 'mine' })
    expect(who({ tool: 'git.log' }, { perNode: { n: 'person' } })).toMatchObject({ name: 'person', from: 'operator' })
  })

  it('must exist', async () => {
    const unknown = (spec: Record<string, unknown>, settings: Partial<DispatchSettings> = {}) => refusal(() => who(spec, settings))
    expect(await unknown({ agent: 'persn' })).toMatchObject({
      code: 'R2101',
      message: 'n names the agent "persn", which does not exist; did you mean "person"?',
      fix: 'write person',
      path: 'n.spec.agent',
    })
    expect(await unknown({}, { default: 'zzz' })).toMatchObject({ code: 'R2101', fix: 'agents: rules, tool, person, model, mine' })
    expect(await unknown({ agent: 3 })).toMatchObject({ code: 'R2101' })
  })

  it('is recorded in the decision', async () => {
    const all = dispatch({ ...base, agents: { mine } })
    expect(await all.resolve(at({ agent: 'mine' }, { edges }))).toEqual({ type: 'advance', edge: 'e1', by: 'mine' })
    expect(await all.resolve(at({ go: 'B' }, { edges }))).toMatchObject({ edge: 'e2', by: 'rules' })
  })

  it('is not a model if no model is configured', async () => {
    expect(await refusal(() => dispatch(base).resolve(at({ prompt: 'x' }, { edges })))).toMatchObject({
      code: 'R4001',
      verdict: 'wait',
      message: 'no model is configured: w/n asks one',
    })
    expect(await dispatch({ ...base, agents: { model: mine } }).resolve(at({ prompt: 'x' }, { edges }))).toMatchObject({
      edge: 'e1',
      by: 'model',
    })
  })
})

describe('the traits of a decision', () => {
  it('are those of its agent, and unknown if there is no agent', () => {
    const all = dispatch({ ...base, agents: { mine } })
    expect(all.traits(at({ agent: 'mine' }))).toEqual({ leaves: true, repeat: 'ask', needs: ['arbor://net/x'] })
    expect(all.traits(at({ ask: 'x' }))).toMatchObject({ needs: ['arbor://human/ask'] })
    expect(all.traits(at({ tool: 'command', args: { argv: ['ls'] } }))).toMatchObject({
      leaves: true,
      needs: ['arbor://tool/command', 'arbor://shell/exec'],
    })
    expect(all.traits(at({ rules: [] }))).toEqual({ leaves: false, repeat: 'free' })
    expect(all.traits(at({ agent: 'nobody' }))).toEqual({ leaves: false, repeat: 'ask' })
  })
})

describe('scripted decisions', () => {
  it('are edges by name, with writes and reasons, in order', async () => {
    const script = scriptedAgent({ n: ['B', { go: 'a', writes: { k: 1 }, because: 'so' }, { suspend: 'later' }] }, { file: 'd.json' })
    expect(await script.resolve(at({}, { edges }))).toEqual({ type: 'advance', edge: 'e2', by: 'd.json' })
    expect(await script.resolve(at({}, { edges }))).toEqual({
      type: 'advance',
      edge: 'e1',
      writes: [{ key: 'k', value: 1 }],
      by: 'd.json',
      because: 'so',
    })
    expect(await script.resolve(at({}, { edges }))).toEqual({ type: 'suspend', reason: 'later', by: 'd.json' })
    expect(await refusal(() => script.resolve(at({}, { edges })))).toMatchObject({ code: 'R2121', message: containing('3 decisions') })
  })

  it('can be decisions in the form of the engine', async () => {
    const all = { 'w/n': { type: 'advance', edge: 'e2', writes: [{ key: 'k', value: 1 }] }, n: 'A' }
    expect(written(await scriptedAgent(all).resolve(at({}, { edges })))).toEqual({ k: 1 })
    expect(await scriptedAgent({ n: { type: 'suspend', reason: 'r', ask: { text: 't' } } }).resolve(at({}, { edges }))).toMatchObject({
      type: 'suspend',
      ask: { text: 't' },
    })
    expect(await scriptedAgent({ n: { complete: true, writes: { k: 2 } } }).resolve(at({}))).toMatchObject({
      type: 'complete',
      writes: [{ key: 'k', value: 2 }],
    })
    expect(await scriptedAgent({ n: {} }).resolve(at({}, { edges: ['NEXT>x'] }))).toMatchObject({ edge: 'e1' })
  })

  it('replace a tool at the nodes that they name, and leave other nodes alone', async () => {
    const script = scriptedAgent({ n: { writes: { log: [] }, go: 'A' } })
    const all = dispatch({ ...base, agents: { script }, default: 'script' })
    expect(await all.resolve(at({ tool: 'git.log', writes: 'log' }, { edges }))).toMatchObject({
      by: 'the script',
      writes: [{ key: 'log', value: [] }],
    })
    expect(all.traits(at({ tool: 'git.log' }))).toEqual({ leaves: false, repeat: 'free' })
    const other = dispatch({ ...base, agents: { script: scriptedAgent({ other: 'A' }) }, default: 'script' })
    expect(other.chosenAgent(at({ go: 'B' }, { edges }))).toEqual({ name: 'rules', from: 'spec' })
  })

  it('are refused if they are invalid or name no edge', async () => {
    for (const data of [[], 'A', { n: 3 }, { n: [null] }, { n: { goo: 'A' } }])
      expect(await refusal(() => scriptedAgent(data, { file: 'd.json' }))).toMatchObject({ code: 'R2120', file: 'd.json' })
    expect(await refusal(() => scriptedAgent({ n: 'C' }).resolve(at({}, { edges })))).toMatchObject({ code: 'R2103' })
  })
})

describe('the check before a run', () => {
  it.each([
    [{ promt: 'How urgent?', system: 'Be short.', writes: 'urgency' }, 'promt', 'prompt'],
    [{ aks: 'Which?', options: ['a', 'b'], writes: 'answer' }, 'aks', 'ask'],
    [{ tol: 'files.read', args: { path: 'x' } }, 'tol', 'tool'],
  ])('a misspelt attribute that says who decides, alone: %j', (spec, wrong, meant) => {
    const workflow = { id: 'w', entry: 'a', nodes: { a: { id: 'a', spec }, b: { id: 'b', spec } }, edges: [] }
    expect(dispatch(base).check(workflow)).toEqual(
      ['a', 'b'].map(
        (id) => expect.objectContaining({ code: 'R1011', path: `nodes.${id}.spec.${wrong}`, fix: `write "${meant}"` }) as unknown,
      ),
    )
  })

  const workflow: Workflow = {
    id: 'w',
    entry: 'a',
    nodes: {
      a: { id: 'a', spec: { tool: 'git.lg', wrties: 'x', go: 'NXT' } },
      b: { id: 'b', spec: { agent: 'persn', ask: 'x' } },
      c: { id: 'c', spec: { ask: 'x', due: 'soon', options: [{ event: 'YESS' }] } },
      d: { id: 'd', spec: { rules: [{ when: { type: 'exist', key: 'k' }, go: 'x' }] } },
      e: { id: 'e', spec: { match: ['whatever'], create: [] } },
      f: { id: 'f', spec: { prompt: 'x', temperature: 1 } },
      g: { id: 'g', spec: { template: { k: '{{#x}}' } } },
    },
    edges: [
      { id: 'ab', from: 'a', to: 'b', event: 'NEXT' },
      { id: 'bc', from: 'b', to: 'c', event: 'NEXT' },
      { id: 'cd', from: 'c', to: 'd', event: 'YES' },
    ],
  }

  it('finds all mistakes at once, each at its place', () => {
    const found = dispatch(base).check(workflow)
    expect(found.map(({ code, path, message }) => `${code} ${path} ${message}`)).toEqual([
      'R1011 nodes.a.spec.wrties no attribute "wrties"',
      'R4100 nodes.a.spec.tool there is no tool "git.lg"; did you mean "git.log"?',
      'R2103 nodes.a.spec.go no edge "NXT" leaves a; did you mean "NEXT"?',
      'R2101 nodes.b.spec.agent b names the agent "persn", which does not exist; did you mean "person"?',
      'R1015 nodes.c.spec.due due: write a number and a unit: 500ms, 90s, 15m, 8h, 3d',
      'R2103 nodes.c.spec.options[0].event no edge "YESS" leaves c; did you mean "YES"?',
      'R1014 nodes.d.spec.rules[0].when.type rules[0].when.type cannot be "exist"',
      'R2103 nodes.d.spec.rules[0].go no edge leaves d, so it cannot go "x"',
      'R1015 nodes.g.spec.template.k template.k: {{#x}} is not closed',
    ])
  })

  it('reports an unknown agent of the whole workflow once', () => {
    const wrong = {
      ...workflow,
      nodes: { e: workflow.nodes['e'] ?? { id: 'e', spec: {} }, x: { id: 'x', spec: {} } },
      metadata: { agent: 'ruls' },
    }
    expect(
      dispatch({ ...base, default: 'zzz' })
        .check(wrong)
        .map(({ path, message }) => `${path} ${message}`),
    ).toEqual([
      'metadata.agent the workflow names the agent "ruls", which does not exist; did you mean "rules"?',
      'nodes.e.spec.agent --agent names the agent "zzz", which does not exist',
    ])
  })

  it('finds nothing in a correct workflow', () => {
    expect(dispatch(base).check({ ...workflow, nodes: { e: { id: 'e', spec: {} } }, edges: [] })).toEqual([])
  })
})

it('reads times', () => {
  const times: [string | number, number | undefined][] = [
    ['500ms', 500],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['3d', 259_200_000],
    ['15 m', 900_000],
    [7, 7],
  ]
  for (const [text, time] of times) expect(readDuration(text)).toBe(time)
  for (const text of ['', '3', 'd', '-1s', '0s', '1w', '1e3s', '99999999d', '3dd', -1, 0, 1.5, Number.NaN])
    expect(readDuration(text)).toBeUndefined()
})
