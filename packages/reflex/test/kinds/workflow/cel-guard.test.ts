import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeFault } from '../../../src/kernel/journal/fault.ts'
import { explainGuard } from '../../../src/kinds/workflow/guards/guards.ts'
import {
  createRegistry,
  evaluateGuard,
  filterEdges,
  loadWorkflow,
  serializeWorkflow,
  workflowSchema,
  type CelGuard,
  type Guard,
  type Workflow,
} from '../../../src/kinds/workflow/index.ts'
import { readWorkflow } from '../../../src/kinds/workflow/file/read-workflow.ts'
import { validateWorkflow } from '../../../src/kinds/workflow/check/validate.ts'
import { agentOf, engineOf, flow, writing } from './engine/kit.ts'
import { board, guarded } from './fixtures.ts'

const cel = (expr: string): CelGuard => ({ type: 'cel', expr })
const values = board({ order: { total: 84, state: 'lost' }, vip: true, 'Part Object': 'chair', name: 'Ana' })

/** What asking a guard throws. */
function thrown(guard: Guard): unknown {
  try {
    evaluateGuard(guard, values)
  } catch (error) {
    return error
  }
  throw new Error('did not throw')
}

function workflowOf(guard: unknown): Workflow {
  return flow('refund', { decide: {}, pay: {} }, [['decide', 'pay', guard as Guard]])
}

describe('a guard in CEL', () => {
  test('opens and closes its edge', () => {
    expect(evaluateGuard(cel('order.total <= 100 && vip'), values)).toBe(true)
    const edges = [
      guarded('small', cel('order.total <= 50')),
      guarded('large', cel('order.total > 50')),
      guarded('chair', cel('board["Part Object"] == "chair"')),
    ]
    expect(filterEdges(edges, values)).toMatchObject({ ok: true, open: [{ id: 'large' }, { id: 'chair' }], closed: [{ id: 'small' }] })
  })

  test('describes the values that it read', () => {
    expect(explainGuard(cel('order.total >= 100'), values)).toEqual({ open: false, why: 'order.total >= 100 is false (84)' })
    expect(explainGuard(cel('has(board.order) && vip'), values)).toEqual({
      open: true,
      why: 'has(board.order) && vip is true (order there, vip true)',
    })
    expect(explainGuard(cel('ordr.total > 5'), values)).toEqual({
      open: false,
      why: 'the guard failed: ordr is not on the board; did you mean "order"?',
    })
  })

  test.each([
    ['identity == "x"', 'identity is not on the board', 'identity'],
    ['vip && name > 5', 'cannot compare text with a number', 'name > 5'],
    ['vip ? name : 5', 'the expression gives "Ana", not true or false', 'vip ? name : 5'],
  ])('fails with its expression, the place in it, and what was read: %s', (expr, message, part) => {
    const fault = thrown(cel(expr))
    expect(fault).toMatchObject({
      code: 'R2044',
      message,
      verdict: 'wait',
      data: { expr, offset: expr.indexOf(part), length: part.length },
    })
    expect(describeFault(fault as never)).toContain(`1 │ ${expr}\n  │ ${' '.repeat(expr.indexOf(part))}${'^'.repeat(part.length)}`)
  })

  test('has the read values in its fault', () => {
    expect(thrown(cel('vip && name > 5'))).toMatchObject({ data: { read: 'vip true, name "Ana"' } })
    expect(thrown(cel('order.totl > 5'))).toMatchObject({
      message: 'no field "totl" in order; did you mean "total"?',
      fix: 'write "total"',
    })
  })

  test('that cannot be read fails when it is asked, and so does one that is no text', () => {
    expect(thrown(cel('vip and'))).toMatchObject({ code: 'R2044', message: 'the expression cannot be read: "and" is not an operator' })
    expect(thrown({ type: 'cel' } as CelGuard)).toMatchObject({
      code: 'R2044',
      message: 'the expression cannot be read: the expression is not a text',
    })
  })

  test('is compiled again if its text has changed', () => {
    const guard = cel('vip')
    expect(evaluateGuard(guard, values)).toBe(true)
    guard.expr = '!vip'
    expect(evaluateGuard(guard, values)).toBe(false)
  })

  test('that fails suspends the run at its node, which continues when the board is corrected (seed workflow 3.4)', async () => {
    const agent = agentOf({ look: writing({ total: 7 }) })
    const workflow = flow('refund', { read: {}, decide: {}, pay: {} }, [
      ['read', 'decide'],
      ['decide', 'pay', cel('total > 5')],
    ])
    const engine = engineOf([workflow, flow('mender', { look: {} }, [])], agent)
    await engine.init('refund')
    expect(await engine.run()).toMatchObject({
      status: 'error',
      error: { error: { code: 'R2044', message: 'total is not on the board' }, nodeId: 'decide' },
    })
    expect(agent.asked.map(({ node }) => node.id)).toEqual(['read'])
    engine.pushWorkflow('mender', { returnMap: [{ parentKey: 'total', childKey: 'total' }] })
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})

describe('a workflow with a guard in CEL', () => {
  test('is written to a file and loaded again', () => {
    const workflow = workflowOf(cel('name == "a \\"b\\"" && order.total > 5'))
    expect(loadWorkflow(serializeWorkflow(workflow))).toEqual(workflow)
    expect(JSON.stringify(workflowSchema)).toContain('"const":"cel"')
    expect(() => serializeWorkflow(workflowOf({ type: 'cel', expr: 5 }))).toThrow(/expr expects a string/)
  })

  test('is refused without an expression, with the place of the guard', () => {
    expect(validateWorkflow(workflowOf(cel('order.total >')))).toMatchObject([
      {
        code: 'R1016',
        rule: 'SCHEMA_VIOLATION',
        severity: 'error',
        path: 'edges[0].guard.expr',
        frame: expect.stringContaining('order.total >') as string,
        data: { edgeId: 'decide-pay' },
      },
    ])
    expect(validateWorkflow(workflowOf({ type: 'cel' }))).toMatchObject([{ code: 'R1058', path: 'edges[0].guard.expr' }])
    expect(validateWorkflow(workflowOf(cel('order.total > 5 && "Part Object" in board')))).toEqual([])
    expect(() => createRegistry().register(workflowOf(cel('len(order) > 1')))).toThrow(/Workflow 'refund': there is no function "len"/)
  })

  test('reports a mistake at its place in the file, even after escapes', () => {
    const character = (text: string, every: number, i: number): string => {
      const units = text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      return i % 3 === every ? units.join('') : JSON.stringify(text).slice(1, -1)
    }
    const escaped = (text: string, every: number): string => Array.from(text, (one, i) => character(one, every, i)).join('')
    const count = (text: string): number => Array.from(text).length
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\t', '😀', 'é', '/', '\\\\', '\\"', ' ') }), fc.nat(2), (before, every) => {
        const expr = `"${before}" != name && lenght(name) > 1`
        const file = `{"id":"r","entry":"a","nodes":{"a":{"id":"a","spec":{}},"b":{"id":"b","spec":{}}},\n"edges":[{"id":"e","from":"a","to":"b","event":"N","guard":{"type":"cel","expr":"${escaped(expr, every)}"}}]}`
        const head = file.split('\n')[1]?.indexOf(escaped(expr, every)) ?? 0
        const at = head + count(escaped(expr.slice(0, expr.indexOf('lenght')), every))
        const length = count(escaped(expr.slice(0, expr.indexOf('lenght') + 6), every)) - (at - head)
        expect(readWorkflow(file, 'r.workflow.json').findings).toMatchObject([
          { code: 'R1018', line: 2, column: at + 1, length, file: 'r.workflow.json', path: 'edges[0].guard.expr' },
        ])
      }),
    )
  })
})
