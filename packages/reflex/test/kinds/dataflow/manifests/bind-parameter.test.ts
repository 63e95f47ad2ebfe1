// proves: dataflow 34, dataflow I.4, dataflow X.11
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bindingFault, bindParameter, exposedProblem, isUnsafeInteger } from '../../../../src/kinds/dataflow/manifests/bind-parameter.ts'
import type { ParameterType } from '../../../../src/kinds/dataflow/model/manifest.ts'

/** Binds a value; the result is the value or the rule that refuses it. */
function bind(type: ParameterType, stated: unknown, text?: string): unknown {
  const bound = bindParameter({ type, values: ['rise', 'fall'] }, stated, text)
  return 'value' in bound ? bound.value : bound.problem.rule
}

describe('the value of a parameter', () => {
  it.each([
    ['Int', 4, 4],
    ['Int', -0, 0],
    ['Int', 2 ** 53, 2 ** 53],
    ['Int', -(2 ** 53), -(2 ** 53)],
    ['Int', 2 ** 53 + 2, 'X.11'],
    ['Int', -(2 ** 63), 'X.11'],
    ['Int', 1e308, 'X.11'],
    ['Int', 1.5, 'I.4'],
    ['Int', Number.NaN, 'I.4'],
    ['Int', Number.POSITIVE_INFINITY, 'I.4'],
    ['Int', '4', 'I.4'],
    ['Int', 2n ** 53n, 2 ** 53],
    ['Int', 2n ** 53n + 1n, 'X.11'],
    ['Number', 4, 4],
    ['Number', 1e308, 1e308],
    ['Number', 5e-324, 5e-324],
    ['Number', Number.NaN, 'I.4'],
    ['Number', Number.NEGATIVE_INFINITY, 'I.4'],
    ['Number', true, 'I.4'],
    ['Number', 7n, 7],
    ['Bool', false, false],
    ['Bool', 0, 'I.4'],
    ['Bool', 'true', 'I.4'],
    ['String', '', ''],
    ['String', '\ud800', 'I.4'],
    ['String', null, 'I.4'],
    ['String', ['x'], 'I.4'],
    ['Enum', 'rise', 'rise'],
    ['Enum', 'rises', 'I.4'],
    ['Enum', 1, 'I.4'],
    ['Enum', undefined, 'I.4'],
  ] as const)('%s takes or refuses %s: %s', (type, stated, expected) => expect(bind(type, stated)).toBe(expected))

  it('is 0 for −0', () => expect(Object.is(bind('Number', -0), 0)).toBe(true))

  it.each([
    ['Int', '9007199254740992', 2 ** 53],
    ['Int', '9007199254740993', 'X.11'],
    ['Int', '-9007199254740993', 'X.11'],
    ['Int', '9007199254740992.0', 2 ** 53],
    ['Int', '9.007199254740993e15', 'X.11'],
    ['Int', '90071992547409920e-1', 2 ** 53],
    ['Int', '0.5', 'I.4'],
    ['Int', '5e-1', 'I.4'],
    ['Int', '0e999', 0],
    ['Int', '-0', 0],
    ['Int', '1e999', 'X.11'],
    ['Int', '1e999999999999', 'X.11'],
    ['Int', '1e-999999999999', 'I.4'],
    ['Number', '9007199254740993', 'X.11'],
    ['Number', '9007199254740992', 2 ** 53],
    ['Number', '1e16', 1e16],
    ['Number', '1e999', 'I.4'],
    ['Number', '0.1', 0.1],
  ] as const)('%s reads the text %s: %s', (type, text, expected) => expect(bind(type, JSON.parse(text), text)).toBe(expected))

  it('is an Int exactly if it is an integer up to 2^53, however it is written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 60n }), fc.boolean(), fc.integer({ min: 0, max: 5 }), (size, negative, zeros) => {
        const integer = negative ? -size : size
        const fits = integer <= 2n ** 53n && integer >= -(2n ** 53n)
        for (const text of [String(integer), `${integer}.${'0'.repeat(zeros + 1)}`, `${integer}${'0'.repeat(zeros)}e-${zeros}`])
          expect(bind('Int', JSON.parse(text), text)).toBe(fits ? Number(integer) : 'X.11')
        expect(isUnsafeInteger(String(integer))).toBe(!fits)
      }),
    )
  })

  it('says what is wrong', () => {
    const bound = bindParameter({ type: 'Enum', values: ['rise', 'fall'] }, 'rises')
    expect('problem' in bound && bindingFault(bound.problem, 'parameter "mode" of node "edge"', { path: '$.nodes' })).toMatchObject({
      code: 'R1348',
      rule: 'I.4',
      message: 'parameter "mode" of node "edge" takes "rise", "fall" and cannot be "rises"; did you mean "rise"?',
      fix: 'write "rise"',
      path: '$.nodes',
    })
  })
})

describe('a parameter that takes one of the cluster around it', () => {
  it.each([
    ['Number', 'Number', undefined],
    ['Number', 'Int', undefined],
    ['Int', 'Number', 'I.4'],
    ['String', 'Enum', 'I.4'],
    ['Bool', 'Number', 'I.4'],
  ] as const)('%s from %s: %s', (type, from, rule) => expect(exposedProblem({ type }, { name: 'p', type: from })?.rule).toBe(rule))

  it('takes an Enum whose values are among its own', () => {
    const problem = (values: string[]) => exposedProblem({ type: 'Enum', values: ['a', 'b'] }, { name: 'p', type: 'Enum', values })
    expect(problem(['b'])).toBeUndefined()
    expect(problem(['a', 'c'])?.reason).toBe('cannot take "p", which can be "c"; it takes "a", "b"')
  })
})
