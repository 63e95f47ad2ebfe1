import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/kernel/journal/json.ts'
import type { TypedEdge } from '../../../src/kinds/pipeline/model/typed.ts'
import type { CanonicalType } from '../../../src/kinds/pipeline/model/resolution.ts'
import { textOf, type AttributeValue, type DotNode } from '../../../src/kinds/pipeline/dot/graph.ts'
import type { Outcome } from '../../../src/kinds/pipeline/contract/outcome.ts'
import { parseCondition } from '../../../src/kinds/pipeline/language/condition-parse.ts'
import { closedEdges, routeFailure, selectEdge, type RouteRequest, type Routes } from '../../../src/kinds/pipeline/engine/routing.ts'
import { graphOf, node } from './language/graphs.ts'

/** An edge as `target`, `target ? condition`, `target : label`, with a weight as `target * 2` behind the target. */
type Written = string

interface Scenario {
  readonly edges: Readonly<Record<string, readonly Written[]>>
  readonly nodes?: Readonly<Record<string, Readonly<Record<string, AttributeValue>>>>
  readonly graph?: Readonly<Record<string, AttributeValue>>
}

/** A node's type is its attribute `type`. */
function routesOf({ edges, nodes = {}, graph: values = {} }: Scenario): Routes {
  const list = Object.entries(edges).flatMap(([from, written]) => written.map((one) => edgeOf(from, one)))
  const declared = Object.entries(nodes).map(([id, attributes]) => node(id, attributes))
  const graph = graphOf(declared, list, values)
  const outgoing = new Map<string, TypedEdge[]>([...graph.nodes.keys()].map((id) => [id, []]))
  for (const edge of graph.edges) {
    const { condition } = parseCondition(textOf(edge.attributes, 'condition') ?? '')
    const label = textOf(edge.attributes, 'label') ?? ''
    outgoing.get(edge.from)?.push({ edge, condition, label, weight: Number(textOf(edge.attributes, 'weight') ?? 0) })
  }
  const typeOf = ({ attributes }: DotNode): CanonicalType => (textOf(attributes, 'type') ?? 'compute') as CanonicalType
  return { graph, nodes: new Map([...graph.nodes].map(([id, one]) => [id, { node: one, canonical: typeOf(one) }])), outgoing }
}

function edgeOf(from: string, written: Written): [string, string, Record<string, AttributeValue>] {
  const [, to = '', weight, , condition, label] = /^(\w+)(?: \* (-?[\d.]+))?( \? (.*?))?(?: : (.*))?$/.exec(written) ?? []
  return [
    from,
    to,
    {
      ...(weight === undefined ? {} : { weight }),
      ...(condition === undefined ? {} : { condition }),
      ...(label === undefined ? {} : { label }),
    },
  ]
}

const CONTEXT: Readonly<Record<string, Json>> = { score: 84, mode: 'x', word: 'many' }

function request(scenario: Scenario, outcome: Outcome, at = 'n'): RouteRequest {
  return { typed: routesOf(scenario), node: at, outcome, get: (key) => CONTEXT[key] }
}

function from(edges: readonly Written[], outcome: Outcome): string | undefined {
  const route = selectEdge(request({ edges: { n: edges } }, outcome))
  return route === undefined ? undefined : `${route.to} ${route.step}`
}

const SUCCESS: Outcome = { status: 'success' }
const PARTIAL: Outcome = { status: 'partial_success' }
const FAIL: Outcome = { status: 'fail', failure_reason: 'broken' }

describe('selecting an edge (reference pipeline 3.3)', () => {
  // proves: pipeline s3.3a, pipeline s3.3b, pipeline s3.3c, pipeline 2.6.2, pipeline 2.6.3, pipeline 2.6.4, pipeline 2.6.5, pipeline 2.6.36
  // proves: pipeline 2.6.40, pipeline 3.3c, pipeline 3.3d, pipeline 3.3e, pipeline 12.25
  test.each<[string, Written[], Outcome, string | undefined]>([
    ['step 1: a true condition over a heavier edge without one', ['a * 9', 'b ? outcome=success'], SUCCESS, 'b condition'],
    ['step 1: the heaviest of the true', ['a ? score>1', 'b * 2 ? mode=x', 'c * 1 ? score>2'], SUCCESS, 'b condition'],
    ['step 1: equal weights, the smaller target', ['b ? score>1', 'a ? mode=x'], SUCCESS, 'a condition'],
    ['step 1: over a preferred label', ['a : Yes', 'b ? mode=x'], { ...SUCCESS, preferred_label: 'Yes' }, 'b condition'],
    [
      'step 2: the preferred label, without case and key',
      ['a * 9', 'b : [Y] Yes please'],
      { ...SUCCESS, preferred_label: 'y) YES PLEASE ' },
      'b label',
    ],
    ['step 2: the first in order', ['z : Yes', 'a * 9 : Yes'], { ...SUCCESS, preferred_label: 'Yes' }, 'z label'],
    ['step 2: a false condition bars a label', ['a ? mode=y : Yes', 'b'], { ...SUCCESS, preferred_label: 'Yes' }, 'b unconditional'],
    ['step 2: an empty label prefers nothing', ['a', 'b * 1'], { ...SUCCESS, preferred_label: ' ' }, 'b unconditional'],
    ['step 2 before step 3', ['a', 'b : Yes'], { ...SUCCESS, preferred_label: 'Yes', suggested_next_ids: ['a'] }, 'b label'],
    [
      'step 3: the first suggestion that an edge leads to',
      ['a * 9', 'b', 'c'],
      { ...SUCCESS, suggested_next_ids: ['gone', 'c', 'b'] },
      'c suggested',
    ],
    ['step 3: a false condition bars a suggestion', ['a', 'b ? mode=y'], { ...SUCCESS, suggested_next_ids: ['b'] }, 'a unconditional'],
    ['step 4: the heaviest', ['a', 'b * 0.5', 'c * -1'], SUCCESS, 'b unconditional'],
    ['step 4: equal weights, the smaller target', ['b', 'a', 'c'], SUCCESS, 'a unconditional'],
    ['step 4: a label that is the status', ['a', 'b : Success'], SUCCESS, 'b unconditional'],
    ['step 4: a label that is the status yields to weight', ['a * 1', 'b : success'], SUCCESS, 'a unconditional'],
    ['step 4: a failure label comes last', ['a : failed', 'b'], SUCCESS, 'b unconditional'],
    ['step 4: a failure label alone is open all the same', ['a : fail'], SUCCESS, 'a unconditional'],
    ['a label never closes an edge', ['a : No'], SUCCESS, 'a unconditional'],
    ['the label "default" means nothing', ['b : default', 'a'], SUCCESS, 'a unconditional'],
    ['false conditions are walls', ['a * 9 ? outcome=fail', 'b ? mode=y'], SUCCESS, undefined],
    ['a condition that cannot be read is a wall', ['a ? mode || x'], SUCCESS, undefined],
    ['no edges', [], SUCCESS, undefined],
    ['a skipped outcome is seen', ['a ? outcome=skipped', 'b'], { status: 'skipped' }, 'a condition'],
    ['partial: the edge that names it', ['a * 9 ? outcome=success', 'b ? outcome=partial_success'], PARTIAL, 'b condition'],
    ['partial: else as a success', ['a ? outcome=success', 'b * 9 ? outcome!=success'], PARTIAL, 'a condition'],
    [
      'partial: a name in a false condition does not count',
      ['a ? outcome=success', 'b ? outcome!=partial_success'],
      PARTIAL,
      'a condition',
    ],
    ['partial: as it is, at last', ['b ? outcome!=success', 'c'], PARTIAL, 'b condition'],
    ['partial: other conditions as ever', ['a ? mode=x', 'b ? mode=y'], PARTIAL, 'a condition'],
    ['step 0h: the chosen edge, whatever its condition', ['a', 'b ? outcome=fail', 'b : other'], { ...SUCCESS, edge: 1 }, 'b chosen'],
    ['step 0h: an edge of another node is none', ['a'], { ...SUCCESS, edge: 7 }, 'a unconditional'],
    ['step 0: of parallel nodes alone', ['a'], { ...SUCCESS, join: 'a' }, 'a unconditional'],
  ])('%s', (_, edges, outcome, expected) => {
    expect(from(edges, outcome)).toBe(expected)
  })

  test('step 0: a parallel node goes to its join without an edge, if the join exists', () => {
    const scenario = { edges: { n: ['a', 'b'], b: ['far'] }, nodes: { n: { type: 'parallel' } } }
    expect(selectEdge(request(scenario, { ...SUCCESS, join: 'far' }))).toEqual({
      to: 'far',
      step: 'join',
      reason: 'its branches join there',
    })
    expect(selectEdge(request(scenario, { ...SUCCESS, join: 'nowhere' }))?.step).toBe('unconditional')
  })

  test('follows the edge with a true condition, of two edges between the same nodes', () => {
    const route = selectEdge(request({ edges: { n: ['a ? mode=y', 'a ? mode=x'] } }, SUCCESS))
    expect([route?.edge?.edge.index, route?.conditional]).toEqual([1, true])
  })

  // proves: pipeline 2.6.4
  test('the chosen edge does not depend on the order of declaration, except for equal targets', () => {
    const EDGE = fc.record({
      to: fc.constantFrom('a', 'b', 'c', 'd'),
      weight: fc.integer({ min: 0, max: 2 }),
      when: fc.constantFrom('', ' ? mode=x', ' ? mode=y'),
    })
    fc.assert(
      fc.property(fc.uniqueArray(EDGE, { selector: ({ to }) => to, maxLength: 4 }), (edges) => {
        const written = edges.map(({ to, weight, when }) => `${to} * ${weight}${when}`)
        const route = from(written, SUCCESS)
        expect(from(written.toReversed(), SUCCESS)).toBe(route)
        expect(route === undefined).toBe(edges.every(({ when }) => when === ' ? mode=y'))
      }),
    )
  })
})

describe('routing a failure (reference pipeline 3.4)', () => {
  const retry = { n: { retry_target: 'back', fallback_retry_target: 'far' }, back: {}, far: {} }
  // proves: pipeline 3.4a, pipeline 3.4b, pipeline 3.4d, pipeline 3.4e, pipeline 3.4f, pipeline 3.4g, pipeline 3.4h, pipeline s3.6a
  // proves: pipeline s3.6b, pipeline 2.6.6
  test.each<[string, Scenario, string | undefined]>([
    ['F1: a true condition before everything', { edges: { n: ['a ? outcome=fail', 'b : fail'] }, nodes: retry }, 'a condition'],
    ['F1: any true condition counts', { edges: { n: ['a ? mode=x'] }, nodes: retry }, 'a condition'],
    ['F1: the heaviest', { edges: { n: ['a ? outcome=fail', 'b * 1 ? outcome!=success'] } }, 'b condition'],
    ['F2: an edge labelled for it', { edges: { n: ['z * 9', 'a ? outcome=success', 'b : [f] Failed'] }, nodes: retry }, 'b fail_label'],
    ['F2: error and failure as well', { edges: { n: ['a : Error', 'b * 1 : failure'] } }, 'b fail_label'],
    ['F2: not with a false condition', { edges: { n: ['b ? mode=y : fail'] } }, undefined],
    ['F3: the retry target, also with false conditions', { edges: { n: ['a ? outcome=success'] }, nodes: retry }, 'back retry_target jump'],
    [
      'F4: its fallback, if the target is not there',
      { edges: { n: ['a'] }, nodes: { n: { retry_target: 'gone', fallback_retry_target: 'far' }, far: {} } },
      'far fallback_retry_target jump',
    ],
    [
      'F5: a diamond that asks for the outcome',
      { edges: { n: ['check'], check: ['a ? outcome=fail', 'b'] }, nodes: { check: { type: 'branch' } } },
      'check check',
    ],
    [
      'F5: or for the preferred label',
      { edges: { n: ['check'], check: ['a ? preferred_label!=x'] }, nodes: { check: { type: 'branch' } } },
      'check check',
    ],
    [
      'F5: through another diamond',
      { edges: { n: ['one'], one: ['two'], two: ['a ? outcome!=success'] }, nodes: { one: { type: 'branch' }, two: { type: 'branch' } } },
      'one check',
    ],
    [
      'F5: not one that asks for the context alone',
      { edges: { n: ['check'], check: ['a ? context.mode=x', 'b'] }, nodes: { check: { type: 'branch' } } },
      undefined,
    ],
    [
      'F5: not one whose question is answered no',
      { edges: { n: ['check'], check: ['a ? outcome=success', 'b'] }, nodes: { check: { type: 'branch' } } },
      undefined,
    ],
    ['F5: not a stage', { edges: { n: ['work'], work: ['a ? outcome=fail'] } }, undefined],
    [
      'F5: not behind a closed edge',
      { edges: { n: ['check ? mode=y'], check: ['a ? outcome=fail'] }, nodes: { check: { type: 'branch' } } },
      undefined,
    ],
    [
      'F5: a ring of diamonds ends',
      { edges: { n: ['one'], one: ['two'], two: ['one'] }, nodes: { one: { type: 'branch' }, two: { type: 'branch' } } },
      undefined,
    ],
    [
      'F6: a goal gate goes back to the target of the pipeline',
      { edges: { n: ['a'] }, nodes: { n: { goal_gate: true } }, graph: { retry_target: 'a' } },
      'a graph_retry_target jump',
    ],
    [
      'F6: or to its fallback',
      { edges: { n: ['a'] }, nodes: { n: { goal_gate: true } }, graph: { retry_target: 'gone', fallback_retry_target: 'a' } },
      'a graph_fallback_retry_target jump',
    ],
    ['F6: for gates alone', { edges: { n: ['a'] }, graph: { retry_target: 'a' } }, undefined],
    ['F7: an edge without a condition is no way out', { edges: { n: ['a', 'b'] } }, undefined],
  ])('%s', (_, scenario, expected) => {
    const route = routeFailure(request(scenario, FAIL))
    expect(route === undefined ? undefined : [route.to, route.step, ...(route.jump === true ? ['jump'] : [])].join(' ')).toBe(expected)
  })

  // proves: pipeline 2.6.7
  test('a branch node uses the outcome of the stage before it', () => {
    const scenario = { edges: { n: ['a ? outcome=success', 'b ? outcome=fail', 'c'] }, nodes: { n: { type: 'branch' } } }
    expect(selectEdge(request(scenario, FAIL))?.to).toBe('b')
    expect(selectEdge(request(scenario, SUCCESS))?.to).toBe('a')
    expect(selectEdge(request(scenario, { status: 'skipped' }))?.to).toBe('c')
  })
})

describe('the reason for an edge', () => {
  test.each<[Written[], Outcome, string]>([
    [['a ? score>=80'], SUCCESS, 'score >= 80 is true (84)'],
    [['a'], SUCCESS, 'no condition'],
    [['a', 'b * 2'], SUCCESS, 'weight 2 is the highest'],
    [['a', 'b'], SUCCESS, 'first by name'],
    [['a', 'b : success'], SUCCESS, 'its label is "success"'],
    [['a : fail', 'b'], SUCCESS, 'the others are for failures'],
    [['a : Go', 'b'], { ...SUCCESS, preferred_label: 'go' }, 'label "go" was preferred'],
    [['a', 'b'], { ...SUCCESS, suggested_next_ids: ['b'] }, '"b" was suggested'],
  ])('%j: %s', (edges, outcome, reason) => {
    expect(selectEdge(request({ edges: { n: edges } }, outcome))?.reason).toBe(reason)
  })

  test('names the other open edges, and the closed ones with the values that were read', () => {
    const edges = { n: ['a ? score>=80', 'b ? mode=x', 'c ? score>=100', 'd ? word>3', 'e'] }
    const asked: RouteRequest = { ...request({ edges }, SUCCESS), from: () => '@6' }
    const closed = [
      [2, 'score >= 100 is false (84 @6)'],
      [3, 'word > 3 is false ("many" @6, no number)'],
    ]
    expect(selectEdge(asked)?.seen).toEqual({ open: [1], closed, incomparable: [3] })
    expect(closedEdges(asked).map(({ edge, why }) => [edge.edge.index, why])).toEqual(closed)
  })

  test('a return to a retry target names the closed edges', () => {
    const scenario = { edges: { n: ['a ? outcome=success'] }, nodes: { n: { retry_target: 'a' } } }
    expect(routeFailure(request(scenario, FAIL))).toEqual({
      to: 'a',
      step: 'retry_target',
      jump: true,
      reason: 'its retry_target',
      seen: { closed: [[0, 'outcome = success is false ("fail")']] },
    })
  })

  test('an edge that was open for a success is not reported as closed', () => {
    const route = selectEdge(request({ edges: { n: ['a ? outcome=success', 'b ? outcome=success'] } }, PARTIAL))
    expect([route?.to, route?.seen]).toEqual(['a', { open: [1] }])
    expect(route?.reason).toBe('a partial success counts: outcome = success is true ("success")')
  })
})
