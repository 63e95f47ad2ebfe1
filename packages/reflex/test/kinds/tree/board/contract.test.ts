import { describe, expect, test } from 'vitest'
import { NodeContract } from '../../../../src/kinds/tree/board/contract.ts'
import { boardOf, faultOf } from './board-fixtures.ts'

describe('a contract', () => {
  // proves: tree 110
  test('with a key in two parts is refused', () => {
    for (const parts of [
      { inputs: { k: 'int' }, optionalInputs: { k: 'int' } },
      { inputs: { k: 'int' }, outputs: { k: 'int' } },
      { outputs: { k: 'int' }, inouts: { k: 'int' } },
    ])
      expect(faultOf(() => new NodeContract(parts))).toMatchObject({ code: 'R1202', rule: 'E4002', path: 'k' })
    expect(faultOf(() => new NodeContract({ inputs: { k: 'itn' } })).fix).toBe('write "int"')
  })

  // proves: tree 110
  test('gives a warning for each undeclared access, and none for keys of the runtime', () => {
    const contract = NodeContract.from({ inputs: { a: 'int' }, optional_inputs: { b: 'str' }, outputs: { c: 'any' }, inouts: { d: 'int' } })
    expect(contract.validateAccess(['a', 'b', 'd', '_failure_reason'], ['c', 'd', '_tool_error'])).toEqual([])
    expect(contract.validateAccess(new Set(['c', 'x']), new Set(['a']))).toEqual([
      'E2002 the node reads "c", which its contract does not declare',
      'E2002 the node reads "x", which its contract does not declare',
      'E2003 the node writes "a", which its contract does not declare',
    ])
    expect(contract.accessFaults(['x'], ['a'])).toMatchObject([
      { code: 'R1222', severity: 'warning', data: { key: 'x', declared_inputs: ['a', 'b', 'd'] } },
      { code: 'R1223', severity: 'warning', data: { key: 'a', declared_outputs: ['c', 'd'] } },
    ])
    expect([[...contract.allInputKeys], [...contract.allOutputKeys]]).toEqual([
      ['a', 'b', 'd'],
      ['c', 'd'],
    ])
    expect(Object.keys(contract.schemas)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('names the required inputs that have no value, and tracks no read', () => {
    const { board } = boardOf({ a: 'int', b: 'int' })
    const contract = new NodeContract({ inputs: { a: 'int', b: 'int' }, inouts: { c: 'int' }, description: 'adds' })
    board.set('a', 1)
    const child = board.createChildScope('child')
    expect(contract.validateInputs(child)).toEqual(['b'])
    expect(contract.inputFaults(child)).toMatchObject([
      { code: 'R1221', rule: 'E2001', data: { key: 'b', expected_type: 'int', contract_description: 'adds' } },
    ])
    expect(child.getReads().size).toBe(0)
  })

  test('is frozen and can be shown', () => {
    const contract = NodeContract.from(
      { inputs: { q: 'Query' }, outputs: { r: { type: 'array' } }, description: 'answers', on_violation: 'fail' },
      { Query: { type: 'object' } },
    )
    expect([Object.isFrozen(contract), Object.isFrozen(contract.inputs), contract.onViolation]).toEqual([true, true, 'fail'])
    expect(contract.summary()).toBe('answers\ninputs:\n  q: Query\noutputs:\n  r: {"type":"array"}')
    expect(new NodeContract().summary()).toBe('empty contract')
    expect(new NodeContract().onViolation).toBe('log')
  })
})
