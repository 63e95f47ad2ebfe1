import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Node, VerificationWarning, Workflow } from '../../../src/kinds/workflow/types/index.ts'
import { verificationFindings, verifyWorkflow } from '../../../src/kinds/workflow/check/verify.ts'
import { chain, dags, workflowOf } from './fixtures.ts'

const needs = (...keys: string[]): Pick<Node, 'inputs'> => ({ inputs: keys.map((key) => ({ key, required: true })) })
const writes = (...keys: string[]): Pick<Node, 'outputs'> => ({ outputs: keys.map((key) => ({ key, guaranteed: true })) })

/** The codes of the reference; what is proved beyond it has tests of its own. */
const seedCodes: readonly string[] = ['MISSING_REQUIRED_INPUT', 'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS']

function warned(workflow: Workflow, ...children: Workflow[]): string[] {
  const { valid, warnings, workflowId } = verifyWorkflow(workflow, (id) => children.find((child) => child.id === id))
  expect(workflowId).toBe(workflow.id)
  expect(valid).toBe(warnings.every(({ onSomePaths }) => onSomePaths === true))
  const ours = warnings.filter(({ code }) => seedCodes.includes(code))
  return ours.map(({ code, nodeId, key }: VerificationWarning) => `${code} ${nodeId} ${key}`)
}

describe('declared inputs', () => {
  // proves: workflow 1.6b, workflow 6.1d, workflow r10n
  test('are written by an earlier node', () => {
    const edges = [
      ['a', 'b'],
      ['b', 'c'],
    ] as const
    expect(warned(workflowOf('w', ['a', 'b', 'c'], edges, { a: writes('k'), c: needs('k') }))).toEqual([])
    expect(warned(workflowOf('w', ['a', 'b', 'c'], edges, { c: needs('k') }))).toEqual(['MISSING_REQUIRED_INPUT c k'])
  })

  // proves: workflow r10n
  test('are not written by the node itself, nor by a later one', () => {
    expect(warned(workflowOf('w', ['a', 'b'], [['a', 'b']], { a: { ...needs('k'), ...writes('k') }, b: writes('k') }))).toEqual([
      'MISSING_REQUIRED_INPUT a k',
    ])
  })

  // proves: workflow D8
  test('are not written on a parallel branch, in any order of nodes', () => {
    const edges = [
      ['a', 'b'],
      ['a', 'c'],
    ] as const
    const extra = { b: writes('k'), c: needs('k') }
    expect(warned(workflowOf('w', ['a', 'b', 'c'], edges, extra))).toEqual(['MISSING_REQUIRED_INPUT c k'])
    expect(warned(workflowOf('w', ['a', 'c', 'b'], edges, extra))).toEqual(['MISSING_REQUIRED_INPUT c k'])
  })

  // proves: workflow r10o, workflow D8
  test('may be optional, or inherited', () => {
    const inputs = [
      { key: 'x', required: false },
      { key: 'y', required: true, inherited: true },
    ]
    expect(warned(workflowOf('w', ['a'], [], { a: { inputs } }))).toEqual([])
  })

  // proves: workflow D8
  test('may be returned by a call, to the calling node and to later ones', () => {
    const invokes = { workflowId: 'child', returnMap: [{ parentKey: 'k', childKey: 'c' }] }
    const workflow = workflowOf('w', ['a', 'b'], [['a', 'b']], { a: { invokes, ...needs('k') }, b: needs('k') })
    expect(warned(workflow)).toEqual([])
  })

  // proves: workflow 1.6b
  test('have the same result as a search over all ancestors', () => {
    const keys = Array.from({ length: 70 }, (_, i) => `k${i}`)
    fc.assert(
      fc.property(dags, fc.array(fc.nat(69), { minLength: 12 * 10, maxLength: 12 * 10 }), (workflow, drawn) => {
        const draw = (count: number): string[] => Array.from({ length: count }, () => keys[drawn.pop() ?? 0] ?? '')
        for (const node of Object.values(workflow.nodes)) Object.assign(node, needs(...draw(5)), writes(...draw(5)))
        const leadsTo = (from: string, to: string): boolean =>
          workflow.edges.some((edge) => edge.from === from && (edge.to === to || leadsTo(edge.to, to)))
        const missing = Object.values(workflow.nodes).flatMap((node) => {
          const before = Object.values(workflow.nodes).filter(({ id }) => leadsTo(id, node.id))
          return (node.inputs ?? [])
            .filter(({ key }) => !before.some(({ outputs }) => outputs?.some((output) => output.key === key)))
            .map(({ key }) => `MISSING_REQUIRED_INPUT ${node.id} ${key}`)
        })
        expect(warned(workflow).toSorted()).toEqual(missing.toSorted())
      }),
    )
  })
})

describe('declared returns', () => {
  const child = workflowOf(
    'child',
    ['a', 'b', 'c'],
    [
      ['a', 'b'],
      ['a', 'c'],
    ],
    { a: writes('early'), b: writes('x'), c: writes('y') },
  )
  const caller = (id: string, ...keys: string[]): Workflow =>
    workflowOf('w', ['call'], [], {
      call: { invokes: { workflowId: id, returnMap: keys.map((childKey) => ({ parentKey: 'p', childKey })) } },
    })

  // proves: workflow 6.1g, workflow r10p, workflow C13
  test('are outputs of one of the last nodes of the child', () => {
    expect(warned(caller('child', 'x', 'y'), child)).toEqual([])
    expect(warned(caller('child', 'early', 'z'), child)).toEqual([
      'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS call early',
      'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS call z',
    ])
  })

  // proves: workflow r10q
  test('are not checked if the child is unknown or declares nothing', () => {
    expect(warned(caller('nobody', 'z'), child)).toEqual([])
    expect(warned(caller('quiet', 'z'), workflowOf('quiet', ['a'], []))).toEqual([])
  })
})

describe('validity', () => {
  const diamond = (extra: Readonly<Record<string, Partial<Node>>>): Workflow =>
    workflowOf(
      'w',
      ['a', 'b', 'c', 'd'],
      [
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'd'],
        ['c', 'd'],
      ],
      extra,
    )

  // proves: workflow r10l, workflow d-verify
  test('is lost if no path writes a key', () => {
    const { valid, warnings } = verifyWorkflow(diamond({ b: writes('other'), d: needs('k') }))
    expect([valid, warnings.map(({ code, onSomePaths }) => [code, onSomePaths])]).toEqual([false, [['MISSING_REQUIRED_INPUT', undefined]]])
  })

  // proves: workflow d-verify
  test('is kept if some path writes a key, with a warning', () => {
    const { valid, warnings } = verifyWorkflow(diamond({ b: writes('k'), d: needs('k') }))
    expect([valid, warnings.map(({ code, onSomePaths }) => [code, onSomePaths])]).toEqual([true, [['READ_BEFORE_WRITE', true]]])
  })

  test('is kept if only some states leave a node without an open edge', () => {
    const workflow = workflowOf('w', ['a', 'b'], [['a', 'b']])
    for (const edge of workflow.edges) edge.guard = { type: 'exists', key: 'k' }
    const { valid, warnings } = verifyWorkflow({ ...workflow, board: { k: { type: 'string' } } })
    expect([valid, warnings.map(({ code }) => code)]).toEqual([true, ['NO_VALID_EDGE']])
  })
})

describe('verification', () => {
  // proves: workflow r10r
  test('warns of inputs in topological order, then of returns in the order of nodes', () => {
    const invokes = { workflowId: 'child', returnMap: [{ parentKey: 'p', childKey: 'z' }] }
    const workflow = workflowOf(
      'w',
      ['last', 'call', 'first'],
      [
        ['first', 'call'],
        ['call', 'last'],
      ],
      { last: needs('l'), call: { invokes, ...needs('c') }, first: needs('f') },
    )
    expect(warned(workflow, workflowOf('child', ['a'], [], { a: writes('x') }))).toEqual([
      'MISSING_REQUIRED_INPUT first f',
      'MISSING_REQUIRED_INPUT call c',
      'MISSING_REQUIRED_INPUT last l',
      'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS call z',
    ])
  })

  test('returns faults with a suggestion', () => {
    const workflow = workflowOf('w', ['a', 'b'], [['a', 'b']], { a: writes('order'), b: needs('ordr') })
    expect(verificationFindings(workflow)).toMatchObject([
      { code: 'R1054', severity: 'warning', rule: 'MISSING_REQUIRED_INPUT', path: 'nodes.b.inputs[0].key', fix: 'write "order"' },
    ])
  })

  test('checks 20,000 nodes, each with its own key, in bounded work', () => {
    const workflow = chain('big', 20_000)
    for (const [i, node] of Object.values(workflow.nodes).entries()) Object.assign(node, writes(`k${i}`), i === 0 ? {} : needs(`k${i - 1}`))
    expect(warned(workflow)).toEqual([])
  })
})
