import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listOf, textOf, type DotGraph, type DotNode } from '../../../../src/kinds/pipeline/dot/graph.ts'
import { problemFault } from '../../../../src/kinds/pipeline/language/faults.ts'
import { applyStylesheet } from '../../../../src/kinds/pipeline/language/stylesheet.ts'
import { parseStylesheet, type Selector, type StyleRule } from '../../../../src/kinds/pipeline/language/stylesheet-parse.ts'
import { Source } from '../../../../src/text/source.ts'
import { attributesOf, graphOf, node } from './graphs.ts'

function styled(nodes: readonly DotNode[], text: string): DotGraph {
  const { rules, problems } = parseStylesheet(text)
  expect(problems).toEqual([])
  return applyStylesheet(graphOf(nodes), rules)
}

function modelOf(one: DotNode, text: string): string | undefined {
  const found = styled([one], text).nodes.get(one.id)
  return found === undefined ? undefined : textOf(found.attributes, 'llm_model')
}

describe('what a stylesheet gives a node (reference pipeline 8.1)', () => {
  // proves: pipeline s11.1a, pipeline s11.2a, pipeline s11.3a, pipeline 8.1a, pipeline s2.9b, pipeline 2.2a
  test.each<[string, DotNode, string, string | undefined]>([
    ['all nodes', node('a'), '* { llm_model: one }', 'one'],
    ['a shape over all', node('a', { shape: 'hexagon' }), 'hexagon { llm_model: two } * { llm_model: one }', 'two'],
    ['a node without a shape is a box', node('a'), 'box { llm_model: two }', 'two'],
    ['another shape', node('a', { shape: 'diamond' }), 'box { llm_model: two }', undefined],
    ['a class over a shape', node('a', { class: 'fast, review' }), '.review { llm_model: three } box { llm_model: two }', 'three'],
    ['a class of a subgraph', node('a', {}, ['loop-a']), '.loop-a { llm_model: three }', 'three'],
    ['classes keep their case', node('a', { class: 'Big_One' }), '.Big_One { llm_model: three } .big_one { llm_model: four }', 'three'],
    ['an id over a class', node('a', { class: 'x' }), '#a { llm_model: four } .x { llm_model: three }', 'four'],
    ['the later of equals', node('a', { class: 'x,y' }), '.y { llm_model: one } .x { llm_model: two }', 'two'],
    ['the later line of one rule', node('a'), '* { llm_model: one; llm_model: two }', 'two'],
    ['what the node has stays', node('a', { llm_model: 'own' }), '#a { llm_model: four }', 'own'],
    ['the other name counts as well', node('a', { model: 'own' }), '#a { llm_model: four }', undefined],
    ['a list of selectors', node('a'), '#b, #a { llm_model: four }', 'four'],
    ['signs of model ids', node('a'), '*{llm_model:org/gpt-4.1:free}', 'org/gpt-4.1:free'],
    ['quotes', node('a'), `* { llm_model: "a;b}c"; }`, 'a;b}c'],
    ['single quotes', node('a'), `* { llm_model: 'x' }`, 'x'],
    ['comments and lines', node('a'), '/* { */\n*\n{\nllm_model/* ! */:\n one /* x */ ;\n}\n', 'one'],
    ['a comment within quotes is text', node('a'), '* { llm_model: "/* a */" }', '/* a */'],
  ])('%s', (_, one, text, model) => {
    expect(modelOf(one, text)).toBe(model)
  })

  // proves: pipeline s11.3a, pipeline 8.1c
  test('each property goes its own way, with the provenance of a stylesheet', () => {
    const text = '* { llm_model: one; llm_provider: p; reasoning_effort: low } .x { reasoning_effort: high; }'
    const found = styled([node('a', { class: 'x' })], text).nodes.get('a')
    expect(found?.attributes.get('llm_model')).toEqual({ value: 'one', provenance: 'stylesheet' })
    expect(found?.attributes.get('llm_provider')?.value).toBe('p')
    expect(found?.attributes.get('reasoning_effort')?.value).toBe('high')
  })

  test('an attribute of a node block is there', () => {
    const one: DotNode = { id: 'a', attributes: attributesOf({ llm_model: 'block' }, 'default'), classes: [] }
    expect(modelOf(one, '#a { llm_model: four }')).toBe('block')
  })

  test('the graph given stays as it is', () => {
    const graph = graphOf([node('a')])
    applyStylesheet(graph, parseStylesheet('* { llm_model: one }').rules)
    expect(graph).toEqual(graphOf([node('a')]))
  })
})

describe('mistakes in a stylesheet', () => {
  // proves: pipeline 8.1b
  test.each<[string, string, string]>([
    ['* { llm_model }', '}', ': and a value are missing after llm_model'],
    ['* { llm_model: }', ' ', 'llm_model has no value'],
    ['* { : x }', ':', 'a property is missing here'],
    ['* llm_model: x }', 'l', 'a rule has one selector, or several separated by commas'],
    ['{ llm_model: x }', '{', 'a selector must be *, #id, .class or a shape'],
    ['* { llm_model: x', '{', 'the rule is never closed'],
    ['* { llm_model: "x }', '"', 'the quote is never closed'],
    ['* { llm_model: "x" y }', 'y', 'a ; belongs behind each value'],
    ['* { llm_model: x\n llm_provider: y }', 'x', 'a ; belongs behind each value'],
    ['* { llm_model: x } /* never', '/*', 'the comment is never closed'],
    ['box .x { llm_model: x }', '.', 'a rule has one selector, or several separated by commas'],
  ])('%j at %j: %s', (text, marked, message) => {
    const [problem] = parseStylesheet(text).problems
    expect(problem).toMatchObject({ rule: 'stylesheet_syntax', message })
    expect(text.slice(problem?.from, problem?.to)).toBe(marked)
  })

  test('what stands behind the mistake counts', () => {
    const { rules, problems } = parseStylesheet('!! { llm_model: x } * { llm_model y; llm_provider: p } #a { llm_model: "z" }')
    expect(problems.length).toBe(2)
    expect(rules.flatMap(({ declarations }) => declarations.map(({ value }) => value))).toEqual(['p', 'z'])
  })

  // proves: pipeline 8.1b
  test('a property that is none is a warning with a guess', () => {
    const text = 'graph [model_stylesheet="* { model: x; lm_provider: y; colour: z }"]'
    const { rules, problems } = parseStylesheet('* { model: x; lm_provider: y; colour: z }')
    expect(rules[0]?.declarations).toEqual([])
    expect(problems.map(({ guess }) => guess)).toEqual(['llm_model', 'llm_provider', undefined])
    const [problem] = problems
    if (problem === undefined) throw new Error('no problem')
    const valueAt = { from: text.indexOf('"'), to: text.lastIndexOf('"') + 1 }
    expect(problemFault(problem, new Source(text, 'x.dot'), valueAt).toString()).toBe(
      [
        'warning R1111 (stylesheet_property)  x.dot:1:29  a stylesheet cannot set model',
        '1 │ graph [model_stylesheet="* { model: x; lm_provider: y; colour: z }"]',
        '  │                              ^^^^^ did you mean "llm_model"?',
      ]
        .join('\n')
        .replace(':1:29', ':1:30'),
    )
  })

  test('reading never throws, ends, and marks a place in the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[*.#ab{}:;,"'/ \n\\]{0,40}$/)), (text) => {
        for (const { from, to } of parseStylesheet(text).problems) expect(from >= 0 && to > from).toBe(true)
      }),
    )
  })

  test('a long text takes time in proportion', () => {
    for (const part of ['\\"', '* {', "'\\", '/*', '\n', 'a,', '* { llm_model: a\n}']) {
      expect(parseStylesheet(part.repeat(30_000)).problems.length).toBeLessThanOrEqual(100)
    }
  })
})

const NAMES = fc.constantFrom('a', 'b', 'box', 'hexagon')
const SELECTORS = fc.oneof(
  fc.record({ kind: fc.constant('all' as const), name: fc.constant('') }),
  fc.record({ kind: fc.constantFrom('shape' as const, 'class' as const, 'id' as const), name: NAMES }),
)
const PROPERTIES = fc.constantFrom('llm_model' as const, 'llm_provider' as const, 'reasoning_effort' as const)
const RULES = fc.array(
  fc.record({
    selectors: fc.array(SELECTORS, { minLength: 1, maxLength: 3 }),
    declarations: fc.array(
      fc.record({ property: PROPERTIES, value: fc.stringMatching(/^[a-z]{1,4}$/), from: fc.constant(0), to: fc.constant(0) }),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 6 },
)
const NODES = fc.record({ id: NAMES, shape: fc.option(NAMES), classes: fc.uniqueArray(NAMES, { maxLength: 3 }), own: fc.boolean() })

/** Every pair of selector and declaration that fits, the heaviest and then the latest first. */
function naive(rules: readonly StyleRule[], one: DotNode, property: string): string | undefined {
  const fits = ({ kind, name }: Selector): number => {
    if (kind === 'all') return 0
    if (kind === 'shape') return (textOf(one.attributes, 'shape') ?? 'box') === name ? 1 : -1
    if (kind === 'class') return [...listOf(one.attributes, 'class'), ...one.classes].includes(name) ? 2 : -1
    return one.id === name ? 3 : -1
  }
  const found = rules.flatMap(({ selectors, declarations }, rule) =>
    selectors.flatMap((selector) => declarations.map((declaration, line) => ({ weight: fits(selector), rule, line, ...declaration }))),
  )
  const fitting = found.filter((one) => one.weight >= 0 && one.property === property)
  return fitting.toSorted((x, y) => y.weight - x.weight || y.rule - x.rule || y.line - x.line)[0]?.value
}

// proves: pipeline s11.2a
test('the winner is that of the plain definition', () => {
  fc.assert(
    fc.property(RULES, NODES, (rules, { id, shape, classes, own }) => {
      const values = { ...(shape === null ? {} : { shape }), ...(own ? { llm_model: 'own' } : {}), class: classes.slice(1).join(',') }
      const one = node(id, values, classes.slice(0, 1))
      const found = applyStylesheet(graphOf([one]), rules).nodes.get(id)
      for (const property of ['llm_model', 'llm_provider', 'reasoning_effort']) {
        const expected = own && property === 'llm_model' ? 'own' : naive(rules, one, property)
        expect(found === undefined ? undefined : textOf(found.attributes, property)).toBe(expected)
      }
    }),
  )
})
