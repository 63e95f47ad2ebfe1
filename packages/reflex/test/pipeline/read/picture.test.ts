import { expect, test } from 'vitest'
import { compileGraph, parse } from '../../../src/pipeline/index.ts'
import { pictureOf } from '../../../src/pipeline/picture.ts'

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
    { id: 'build', form: 'step', deed: 'make' },
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
