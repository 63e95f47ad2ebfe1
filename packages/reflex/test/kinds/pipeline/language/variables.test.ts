import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/journal/json.ts'
import { textOf } from '../../../../src/kinds/pipeline/dot/graph.ts'
import { expandFromContext, expandVariables } from '../../../../src/kinds/pipeline/language/variables.ts'
import { graphOf, node } from './graphs.ts'

const ATTRIBUTES = { goal: 'costs $id', label: 'The graph', question: 'why?', count: 3 }

function prompt(text: string, values: Readonly<Record<string, string | number>> = ATTRIBUTES): string | undefined {
  const found = expandVariables(graphOf([node('a', { prompt: text })], [], values)).nodes.get('a')
  return found === undefined ? undefined : textOf(found.attributes, 'prompt')
}

describe('when a pipeline is loaded (reference pipeline 8.3)', () => {
  // proves: pipeline s12.2a, pipeline 8.3a, pipeline 8.3b, pipeline 2.6.39, pipeline 12.74
  test.each([
    ['for $goal.', 'for costs $id.'],
    ['$label in $id', 'The graph in G'],
    ['$question $count', 'why? 3'],
    ['$goals $unknown', '$goals $unknown'],
    ['$goal_2', '$goal_2'],
    ['$$goal', '$costs $id'],
    ['${goal} $1 $', '${goal} $1 $'],
    ['$tool.output', '$tool.output'],
  ])('%s becomes %s', (text, expanded) => {
    expect(prompt(text)).toBe(expanded)
  })

  test('no goal is nothing, no label stays', () => {
    expect(prompt('[$goal] $label', {})).toBe('[] $label')
  })

  // proves: pipeline 8.3c
  test('prompts and labels of nodes alone, with their provenance, in a graph of its own', () => {
    const graph = graphOf(
      [node('a', { prompt: '$id', label: '$id', command: 'echo $id' })],
      [['a', 'b', { label: '$id', condition: 'x=$id' }]],
    )
    const before = structuredClone(graph)
    const expanded = expandVariables(graph)
    expect(graph).toEqual(before)
    expect([...(expanded.nodes.get('a')?.attributes.entries() ?? [])]).toEqual([
      ['prompt', { value: 'G', provenance: 'own' }],
      ['label', { value: 'G', provenance: 'own' }],
      ['command', { value: 'echo $id', provenance: 'own' }],
    ])
    expect(expanded.edges).toBe(graph.edges)
    expect(expanded.nodes.get('b')).toBe(graph.nodes.get('b'))
  })

  test('expanding twice is expanding once, unless a value has variables in it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z$ .{}]{0,30}$/), fc.stringMatching(/^[a-z .]{0,10}$/), (text, goal) => {
        const once = expandVariables(graphOf([node('a', { prompt: text })], [], { goal, a: 'x', ab: 'y' }))
        expect(expandVariables(once)).toEqual(once)
      }),
    )
  })
})

describe('when a prompt is about to be asked', () => {
  const context = new Map<string, Json>([
    ['last_response', 'done: $tool.output'],
    ['tool.output', 'lines'],
    ['tool', { output: 'walked', exit: 0 }],
    ['validation.errors', ['a']],
    ['empty', null],
    ['a', 'A'],
    ['a.b', 'AB'],
    ['big', 'ä'.repeat(20_000)],
  ])
  const read = (key: string) => context.get(key)

  // proves: pipeline 8.3c, pipeline 2.6.39
  test.each([
    ['$last_response', 'done: $tool.output'],
    ['see $tool.output.', 'see lines.'],
    ['$tool.exit', '0'],
    ['$validation.errors', '["a"]'],
    ['[$empty]', '[]'],
    ['$a.b.c $a.bc', 'AB.c A.bc'],
    ['$a-x $a.b-x', 'A-x AB-x'],
    ['$context.a', 'A'],
    ['$missing ${a} $', '$missing ${a} $'],
  ])('%s becomes %s', (text, expanded) => {
    expect(expandFromContext(text, read)).toBe(expanded)
  })

  // proves: pipeline 8.3c
  test('a value is cut at 32 KB, and never within a character', () => {
    const text = expandFromContext('$big', read)
    expect(text).toBe('ä'.repeat(16_384))
  })

  test('a long text takes time in proportion', () => {
    expect(expandFromContext(`$${'a.'.repeat(50_000)}z`, () => undefined)).toHaveLength(100_002)
  })
})
