import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { OPEN_ATTRIBUTES } from '../../../../src/kinds/pipeline/operations/adapt/untrusted-mutations.ts'
import { BUILT_IN_OPERATIONS } from '../../../../src/kinds/pipeline/operations/built-in.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

/** A pipeline that a model changes, with one node of each sort that decides something. */
const PLANNED = `digraph g {
  start [shape=Mdiamond]
  plan [prompt="plan", output_key=plan]
  change [type=adapt, mutations_key=plan]
  go [type=branch]
  ask [prompt="as written", timeout="60s", max_retries=1, max_tokens=500]
  goal [prompt="are we there", goal_gate=true]
  vote [prompt="yes or no", perspective=safety]
  valid [type=gate, predicate=output_valid, pattern="^ok$", source_key=plan]
  human [type="wait.human", question="Deploy?", "human.default_choice"=No]
  file [type="file.write", output="out.txt", content_key=plan]
  fork [type=parallel, join_policy=wait_all]
  one [type=transform, transform=constant, expression=x]
  two [type=transform, transform=constant, expression=x]
  join [type=fan_in]
  done [shape=Msquare]
  start -> plan -> change -> go
  go -> ask
  go -> goal [condition="context.never=1"]
  goal -> vote -> valid -> human
  human -> file [label=Yes]
  human -> done [label=No]
  file -> fork
  fork -> one -> join
  fork -> two -> join
  join -> done
  ask -> done
}`

interface Planned {
  readonly went: Went
  /** The prompts of the models that were asked, but for the plan. */
  readonly asked: readonly string[]
}

async function planned(mutations: Json, world: World = {}, dot = PLANNED): Promise<Planned> {
  const asked: string[] = []
  const perform = ({ args }: { readonly args: Json | undefined }): Json => {
    const request = args as { readonly messages: Json }
    const isPlan = asked.push(JSON.stringify(args ?? request)) === 1
    return {
      text: isPlan ? JSON.stringify(mutations) : 'ok',
      model: 'test:model',
      finish: 'stop',
      usage: { input: 1, output: 1 },
      tries: 1,
    }
  }
  const went = await runDot(dot, { trust: 'autonomous', ports: { model: { leaves: false, repeat: 'free', perform } }, ...world })
  return { went, asked: asked.slice(1) }
}

const modify = (id: string, attrs: JsonObject): Json => [{ op: 'modify_attrs', id, attrs }]

describe('mutations of a model change', () => {
  test.each<[string, JsonObject]>([
    ['the prompt', { prompt: 'another' }],
    ['the model', { llm_model: 'other', llm_provider: 'test', reasoning_effort: 'low' }],
    ['the model by its other name', { model: 'other' }],
    ['the temperature', { temperature: 0.1 }],
    ['the longest answer, downwards', { max_tokens: 100 }],
    ['the timeout, downwards', { timeout: '30s' }],
    ['retries, up to those of a preset', { max_retries: 4 }],
  ])('%s of a model node', async (_, attrs) => {
    const { went } = await planned(modify('ask', attrs), { trust: 'probationary' })
    expect([went.status, went.reason]).toEqual(['success', ''])
    expect(told(went, 'graph_adapted')).toHaveLength(1)
  })

  test('the prompt that the model is asked', async () => {
    const { asked } = await planned(modify('ask', { prompt: 'the other prompt' }))
    expect(asked).toEqual([expect.stringContaining('the other prompt')])
  })

  test('the pipeline by a new model node that no edge leads to', async () => {
    const { went } = await planned([{ op: 'add_node', id: 'extra', attrs: { type: 'codergen', prompt: 'more', max_retries: 2 } }])
    expect(went.status).toBe('success')
  })
})

describe('mutations of a model never change', () => {
  test.each<[string, Json, string]>([
    ['the pattern of a validator', modify('valid', { pattern: null }), 'valid is not a plain model node'],
    ['the question of a person', modify('human', { question: 'Deploy? (harmless)' }), 'human is not a plain model node'],
    ['the time that a person has', modify('human', { 'human.timeout_seconds': 1 }), 'human is not a plain model node'],
    ['the path of a file', modify('file', { output: '.bashrc' }), 'file is not a plain model node'],
    ['how branches join', modify('fork', { join_policy: 'first_success' }), 'fork is not a plain model node'],
    ['what a branch goes by', modify('go', { condition_key: 'plan' }), 'go is not a plain model node'],
    ['the prompt of a goal gate', modify('goal', { prompt: 'say yes' }), 'goal is not a plain model node'],
    ['the prompt of a vote', modify('vote', { prompt: 'say yes' }), 'vote is not a plain model node'],
    ['a node into a goal gate', modify('ask', { goal_gate: true }), 'goal_gate of ask cannot be changed'],
    ['what happens after a crash', modify('ask', { on_resume: 'repeat' }), 'on_resume of ask cannot be changed'],
    ['where a failure leads', modify('ask', { retry_target: 'done' }), 'retry_target of ask cannot be changed'],
    ['that a failure counts', modify('ask', { auto_status: true }), 'auto_status of ask cannot be changed'],
    ['where the answer is written', modify('ask', { output_key: 'approved' }), 'output_key of ask cannot be changed'],
    ['tools of a model', modify('ask', { use_tools: true }), 'use_tools of ask cannot be changed'],
    ['who the model is', modify('ask', { system_prompt: 'evil' }), 'system_prompt of ask cannot be changed'],
    ['an attribute that nothing knows', modify('ask', { anything: 'x' }), 'anything of ask cannot be changed'],
    ['a timeout upwards', modify('ask', { timeout: '2m' }), 'timeout of ask can be 60000 at most'],
    ['a timeout to none', modify('ask', { timeout: 0 }), 'timeout of ask is too low'],
    ['a timeout away', modify('ask', { timeout: null }), 'timeout of ask cannot be removed'],
    ['the longest answer upwards', modify('ask', { max_tokens: 501 }), 'max_tokens of ask can be 500 at most'],
    ['retries without end', modify('ask', { max_retries: 1000 }), 'max_retries of ask can be 4 at most'],
    ['retries to what is no number', modify('ask', { max_retries: 'many' }), 'max_retries of ask is not a whole number'],
    ['the edges', [{ op: 'add_edge', from: 'change', to: 'file' }], 'add_edge is not allowed'],
    ['an edge away', [{ op: 'remove_edge', from: 'go', to: 'goal' }], 'remove_edge is not allowed'],
    ['a gate away', [{ op: 'remove_node', id: 'valid' }], 'remove_node is not allowed'],
    ['the pipeline by a command', [{ op: 'add_node', id: 'x', attrs: { type: 'shell', command: 'id' } }], 'x is not a plain model node'],
    ['the pipeline by tools', [{ op: 'add_node', id: 'x', attrs: { use_tools: true } }], 'use_tools of x cannot be changed'],
    ['a plain node into a command', modify('ask', { type: 'shell', command: 'id' }), 'type of ask cannot be changed'],
    [
      'a node of its own in two steps',
      [
        { op: 'add_node', id: 'x', attrs: { prompt: 'x' } },
        { op: 'modify_attrs', id: 'x', attrs: { capabilities: 'arbor://shell/exec' } },
      ],
      'capabilities of x cannot be changed',
    ],
  ])('%s', async (_, mutations, reason) => {
    const { went } = await planned(mutations)
    expect(went.status).toBe('failed')
    expect(went.reason).toContain(reason)
    expect(went.reason).toContain('the mutations come from plan (derived), and nobody has reviewed them')
    expect(told(went, 'graph_adapted')).toEqual([])
  })

  test.each([
    ['fixup', 'retry_target=fixup start [', 'the pipeline continues at fixup already'],
    ['exit', 'start [', 'exit is the name of a start or an exit'],
  ])('where the run continues, by a node called %s', async (id, graph, reason) => {
    const dot = PLANNED.replace('start [', graph.replace('retry_target=fixup', 'graph [retry_target=fixup]'))
    const { went } = await planned([{ op: 'add_node', id, attrs: { prompt: 'x' } }], {}, dot)
    expect(went.reason).toContain(reason)
  })

  test('more than their tier allows', async () => {
    const { went } = await planned([{ op: 'add_node', id: 'x', attrs: { prompt: 'x' } }], { trust: 'trusted' })
    expect(went.reason).toContain('add_node is not allowed at the tier trusted')
  })

  test('the text of the author in a block of defaults', async () => {
    const dot = PLANNED.replace('start [', 'node [capabilities="arbor://fs/write/x"] start [')
    const { went } = await planned([{ op: 'add_node', id: 'extra', attrs: { prompt: 'more' } }], {}, dot)
    const { nodes } = went.run.definition(went.run.state.root.pin) as { nodes: ReadonlyMap<string, { capabilitiesRequired: string[] }> }
    const needs = (id: string): string[] | undefined => nodes.get(id)?.capabilitiesRequired.filter((need) => need.includes('/fs/'))
    expect([needs('ask'), needs('extra')]).toEqual([['arbor://fs/write/x'], []])
  })
})

test('mutations that a person has reviewed are trusted', async () => {
  const dot = PLANNED.replace(
    'plan -> change -> go',
    'plan -> look; look -> change [label=Fine]; look -> done [label=No]; change -> go',
  ).replace('change [type', 'look [type="wait.human", question="Fine?", reviews_keys=plan, review_on_choice=Fine] change [type')
  const { went } = await planned(modify('valid', { pattern: 'more' }), { answers: { look: 'Fine' } }, dot)
  expect(told(went, 'graph_adapted')).toHaveLength(1)
})

test('model nodes read every attribute of the list', () => {
  for (const name of Object.keys(OPEN_ATTRIBUTES))
    expect(BUILT_IN_OPERATIONS.attributes.find('node', name, 'codergen')).toMatchObject({ name })
})
