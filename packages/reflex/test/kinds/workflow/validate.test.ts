import { describe, expect, test } from 'vitest'
import type { Workflow } from '../../../src/kinds/workflow/types/index.ts'
import { validateWorkflow } from '../../../src/kinds/workflow/check/validate.ts'
import { chain, workflowOf } from './fixtures.ts'

const found = (workflow: Workflow): (string | undefined)[][] => validateWorkflow(workflow).map(({ code, rule, path }) => [code, rule, path])

describe('the structure of a workflow', () => {
  test('has no findings if it is correct', () => {
    expect(
      found(
        workflowOf(
          'w',
          ['a', 'b', 'c'],
          [
            ['a', 'b'],
            ['a', 'c'],
          ],
        ),
      ),
    ).toEqual([])
    expect(found(workflowOf('w', ['only'], []))).toEqual([])
  })

  test('is checked completely, in the order of the checks', () => {
    const workflow = workflowOf(
      'w',
      ['a', 'b', 'c', 'd'],
      [
        ['a', 'b'],
        ['b', 'a'],
        ['a', 'x'],
        ['y', 'c'],
        ['a', 'b'],
        ['c', 'c'],
      ],
    )
    workflow.entry = 'A'
    workflow.nodes.b = { id: 'bee', spec: {} }
    expect(found(workflow)).toEqual([
      ['R1041', 'INVALID_ENTRY_NODE', 'entry'],
      ['R1045', 'NODE_ID_MISMATCH', 'nodes.b.id'],
      ['R1042', 'INVALID_EDGE', 'edges[2].to'],
      ['R1043', 'INVALID_EDGE', 'edges[3].from'],
      ['R1044', 'INVALID_EDGE', 'edges[4].id'],
      ['R1047', 'CYCLE_DETECTED', 'edges[1].to'],
      ['R1047', 'CYCLE_DETECTED', 'edges[5].to'],
    ])
  })

  // proves: workflow 1.1a
  test('is checked for cycles: exactly their members are named', () => {
    const workflow = workflowOf(
      'w',
      ['start', 'a', 'b', 'end'],
      [
        ['start', 'a'],
        ['a', 'b'],
        ['b', 'a'],
        ['b', 'end'],
      ],
    )
    expect(validateWorkflow(workflow)[0]).toMatchObject({
      data: { nodesInCycle: ['a', 'b'] },
      message: 'the workflow has a cycle: "a" → "b" → "a"',
    })
  })

  test('needs a node without outgoing edges; edges to unknown nodes count as outgoing', () => {
    expect(found(workflowOf('w', ['a'], [['a', 'b']])).map(([code]) => code)).toEqual(['R1042', 'R1046'])
  })

  // proves: workflow D9
  test('is read by own properties only', () => {
    const workflow = workflowOf('w', ['a'], [['a', 'constructor']])
    workflow.entry = 'toString'
    expect(found(workflow).map(([code]) => code)).toEqual(['R1041', 'R1042', 'R1046'])
  })

  test('reports unreachable nodes, but not the nodes after them', () => {
    const workflow = workflowOf(
      'w',
      ['a', 'b', 'lost', 'behind'],
      [
        ['a', 'b'],
        ['lost', 'behind'],
      ],
    )
    expect(validateWorkflow(workflow).map(({ code, severity, path }) => [code, severity, path])).toEqual([
      ['R1052', 'warning', 'nodes.lost'],
    ])
  })

  test('has guards of known types', () => {
    const workflow = workflowOf('w', ['a', 'b'], [['a', 'b']])
    for (const guard of [{ type: 'toString' }, { type: 'equal', key: 'k' }, 'is-vip', null, {}]) {
      const [edge] = workflow.edges
      const wrong = { ...workflow, edges: [{ ...edge, guard }] } as unknown as Workflow
      expect(validateWorkflow(wrong).map(({ code, rule }) => [code, rule])).toEqual([['R1048', 'SCHEMA_VIOLATION']])
    }
  })

  test('has findings with a fix', () => {
    const [typo, none] = validateWorkflow(
      workflowOf(
        'w',
        ['approve', 'decline', 'pay'],
        [
          ['approve', 'delcine'],
          ['approve', 'zzz'],
        ],
      ),
    )
    expect(typo?.fix).toBe('write "decline"')
    expect(none?.fix).toBe('name one of "approve", "decline", "pay"')
  })

  test('can be any value: the check never throws', () => {
    const junk = [null, undefined, 0, 'x', [], {}, [null], [{}], { a: null }, { a: {} }, { a: { id: 1, invokes: 5 } }]
    for (const nodes of junk) {
      for (const edges of junk) {
        for (const entry of junk) expect(validateWorkflow({ id: 'w', entry, nodes, edges } as unknown as Workflow)).toBeInstanceOf(Array)
      }
    }
    expect(validateWorkflow({} as Workflow).map(({ code }) => code)).toEqual(['R1040'])
  })

  test('is checked in bounded work for 20,000 invalid nodes', () => {
    const workflow = chain('big', 20_000)
    for (const edge of workflow.edges) edge.to = `${edge.to}_`
    for (const node of Object.values(workflow.nodes)) node.id += '!'
    expect(validateWorkflow(workflow).length).toBeGreaterThan(39_000)
  })
})
