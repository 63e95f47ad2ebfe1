import { expect, test } from 'vitest'
import { compileGraph, parse } from '../../../../src/kinds/pipeline/index.ts'
import { pictureOf } from '../../../../src/kinds/pipeline/operations/picture.ts'

const picture = (body: string): ReturnType<typeof pictureOf> => pictureOf(compileGraph(parse(`digraph g { ${body} }`)))

test('nodes say what they are and what they do', () => {
  const { nodes } = picture(`
    start [shape=Mdiamond]
    plan [label="Plan\\nit", prompt="Plan"]
    build [shape=parallelogram, tool_command="make all"]
    check [shape=diamond]
    split [shape=component]
    ask [shape=hexagon, label="Ship it?"]
    child [type="graph.invoke", program="workflow:deploy"]
    act [type="exec", target="action", action="file_write"]
    done [shape=Msquare]
    start -> plan -> build -> check
    check -> split; check -> ask
    split -> child; split -> act
    child -> done; act -> done; ask -> done`)
  expect(nodes).toEqual([
    { id: 'start', form: 'step', entry: true, still: true },
    { id: 'plan', form: 'step', label: 'Plan it', deed: 'a model' },
    { id: 'build', form: 'step', deed: 'make all' },
    { id: 'check', form: 'choice' },
    { id: 'split', form: 'step', deed: 'parallel' },
    { id: 'ask', form: 'question', label: 'Ship it?', deed: 'asks a person' },
    { id: 'child', form: 'call', calls: 'workflow:deploy', deed: 'graph.invoke' },
    { id: 'act', form: 'step', deed: 'file_write' },
    { id: 'done', form: 'step', end: true, still: true },
  ])
})

test('edges have names of their own, labels, and conditions in their plainest spelling', () => {
  const { edges } = picture('a -> b [label="Yes", condition="outcome=success&&context.x!=\\"two words\\""]; a -> b; b -> a')
  expect(edges).toEqual([
    { id: 'a->b', from: 'a', to: 'b', label: 'Yes', guard: 'outcome = success && context.x != "two words"' },
    { id: 'a->b#2', from: 'a', to: 'b' },
    { id: 'b->a', from: 'b', to: 'a' },
  ])
})

test('every step of a run that no edge shows is a jump, with its reason', () => {
  const { edges } = picture(`graph [retry_target=plan]
    start [shape=Mdiamond]; done [shape=Msquare]; plan; proof [goal_gate=true]; build [retry_target=nowhere, fallback_retry_target=plan, timeout="9s"]
    start -> plan -> build -> proof -> done; proof -> build [loop_restart=true]`)
  expect(edges.filter(({ jump }) => jump !== undefined)).toEqual([
    { id: 'proof->build', from: 'proof', to: 'build', jump: 'begins a new round' },
    { id: 'proof->plan:failure', from: 'proof', to: 'plan', jump: 'after a failure' },
    { id: 'build->plan:failure', from: 'build', to: 'plan', jump: 'after a failure or a timeout' },
    { id: 'done->plan:goal_gate', from: 'done', to: 'plan', jump: 'proof not met' },
  ])
})

test('groups are the subgraphs with a label that contain each other or share nothing', () => {
  const { groups } = picture(`subgraph one { label="One"; a; b; subgraph two { label="Two"; b } }
    subgraph three { label="Three"; b; c }; subgraph four { d }; a -> b -> c -> d`)
  expect(groups).toEqual([
    { label: 'One', nodes: ['a', 'b'] },
    { label: 'Two', nodes: ['b'] },
  ])
})
