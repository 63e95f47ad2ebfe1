import { describe, expect, test } from 'vitest'
import { specFlow } from '../../src/agents/spec-flow.ts'
import { templateProblem } from '../../src/agents/template.ts'
import type { NodeSpec, Workflow } from '../../src/kinds/workflow/types/index.ts'
import type { NodeFlow } from '../../src/kinds/workflow/check/verify.ts'

/** A node `n` with a spec and edges that are named after the nodes to which they lead. */
function flowOf(
  spec: NodeSpec,
  targets: readonly string[] = ['next'],
  settings: Parameters<typeof specFlow>[0] = {},
): NodeFlow | undefined {
  const node = { id: 'n', spec }
  const edges = targets.map((to) => ({ id: to, from: 'n', to, event: to.toUpperCase() }))
  const workflow: Workflow = { id: 'w', entry: 'n', nodes: { n: node }, edges }
  return specFlow(settings, (name) => name === 'mine', workflow, node)
}

const reads = (flow: NodeFlow | undefined): string[] =>
  (flow?.reads ?? []).map(({ path, at, optional }) => `${path}${optional === true ? '?' : ''} @${at.join('.')}`)
const writes = (flow: NodeFlow | undefined): string[] =>
  (flow?.writes ?? []).map(({ key, values }) => (values === undefined ? key : `${key}=${JSON.stringify(values)}`))

describe('the reads and writes of a spec', () => {
  test('are in the order of its actions, without reads of keys that it wrote itself', () => {
    const flow = flowOf({
      classify: { from: 'commits', into: 'classes', rules: [{ class: 'fix', match: '^fix' }] },
      extract: [{ from: 'classes.top', into: 'numbers', match: '#(\\d+)', without: 'known' }],
      pick: { title: [{ from: 'headline' }, '{{subject}}'] },
      template: { text: ['{{title}} of {{version}}', '{{#tag}}since {{tag}} {{.}}{{/tag}}{{^tag}}{{begin}}{{/tag}}'] },
      writes: { done: true, copy: { from: 'repo', else: '.' }, deep: [{ a: '{{commits.length}}' }, { literal: { from: 'x' } }] },
    })
    expect(reads(flow)).toEqual([
      'commits @spec.classify.from',
      'known @spec.extract.0.without',
      'headline? @spec.pick.title.0.from',
      'subject? @spec.pick.title.1',
      'version @spec.template.text.0',
      'tag? @spec.template.text.1',
      'tag? @spec.template.text.1',
      'tag? @spec.template.text.1',
      'begin? @spec.template.text.1',
      'repo? @spec.writes.copy.from',
      'commits.length @spec.writes.deep.0.a',
    ])
    expect(writes(flow)).toEqual(['classes', 'numbers', 'title', 'text', 'done=[true]', 'copy', 'deep'])
  })

  test('of each case of its rules include the conditions that earlier rules excluded', () => {
    const flow = flowOf(
      {
        rules: [
          { when: { type: 'equals', key: 'kind', value: 'a' }, go: 'left', writes: { out: { from: 'total' } } },
          { when: { type: 'above', key: 'order.total', value: 5 }, go: 'right', because: '{{order.id}}' },
          { go: 'left' },
        ],
      },
      ['left', 'right'],
    )
    expect(flow?.cases.map(({ edge, when }) => [edge, when])).toEqual([
      ['left', [{ type: 'equals', key: 'kind', value: 'a' }]],
      [
        'right',
        [
          { type: 'not-equals', key: 'kind', value: 'a' },
          { type: 'exists', key: 'order' },
        ],
      ],
      ['left', [{ type: 'not-equals', key: 'kind', value: 'a' }]],
    ])
    expect(flow?.cases.map((way) => way.reads.map(({ path, optional }) => `${path}${optional === true ? '?' : ''}`))).toEqual([
      ['kind?', 'total'],
      ['order.total?', 'order.id'],
      [],
    ])
    expect(flow?.cases.map((way) => way.writes.map(({ key }) => key))).toEqual([['out'], [], []])
  })

  test('of tools, people and models', () => {
    const tool = flowOf({
      tool: 'git.log',
      args: { repo: { from: 'repository' }, limit: 5 },
      writes: { commits: 'commits' },
      extract: { from: 'commits', into: 'found', match: 'x' },
    })
    expect([reads(tool), writes(tool)]).toEqual([['repository @spec.args.repo.from'], ['commits', 'found']])
    const person = flowOf({
      ask: ['Pay {{total}}?'],
      options: ['yes', { value: 'no', writes: { why: '{{reason}}' } }],
      writes: 'answer',
      show: ['order'],
    })
    expect(reads(person)).toEqual(['total @spec.ask.0', 'order @spec.show.0'])
    const answer = { key: 'answer', isCertain: true, at: ['spec', 'writes'] }
    expect(person?.cases.map((way) => way.writes)).toEqual([
      [{ ...answer, values: ['yes'], valueAt: ['spec', 'options', 0] }],
      [
        { ...answer, values: ['no'], valueAt: ['spec', 'options', 1, 'value'] },
        { key: 'why', isCertain: true, at: ['spec', 'options', 1, 'writes', 'why'], part: 'key' },
      ],
    ])
    const model = flowOf({ prompt: 'About {{order}}', show: ['notes'], writes: { verdict: { type: 'string' } } })
    expect([reads(model), writes(model)]).toEqual([['order @spec.prompt', 'notes? @spec.show.0'], ['verdict']])
    expect(reads(flowOf({ prompt: 'About {{order}}' }))).toEqual(['order? @spec.prompt'])
  })

  test('are unknown for the spec or agent of somebody else, and empty for an empty spec', () => {
    expect(flowOf({ create: ['a fact'] })).toBeUndefined()
    expect(flowOf({ agent: 'mine', writes: { a: 1 } })).toBeUndefined()
    expect(flowOf({ rules: 'none' })).toBeUndefined()
    expect(flowOf({ agent: 5 })).toBeUndefined()
    expect(flowOf({})).toEqual({ reads: [], writes: [], cases: [{ when: [], reads: [], writes: [] }] })
  })

  test('are possible but not certain if another agent chooses instead of the rules', () => {
    const spec = { rules: [{ go: 'left', writes: { out: 1 } }, { go: 'right' }] }
    const flow = flowOf(spec, ['left', 'right'], { default: 'person' })
    expect(flow?.cases.map(({ edge, writes: made }) => [edge, made.length])).toEqual([
      ['left', 1],
      ['right', 0],
      [undefined, 0],
    ])
  })
})

test('a template that is not closed is a mistake', () => {
  expect(templateProblem('Dear {{name')).toBe('{{name is not closed with }}')
  expect(templateProblem('{{#a}}x{{/a')).toBe('{{#a}} is not closed')
  expect(templateProblem('{{a}} and { b }')).toBeUndefined()
})
