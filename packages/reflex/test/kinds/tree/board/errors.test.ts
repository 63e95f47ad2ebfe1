import { describe, expect, test } from 'vitest'
import { Fault, faultData } from '../../../../src/kernel/index.ts'
import { ERROR_FACTS } from '../../../../src/kinds/tree/board/error-table.ts'
import { ErrorResult } from '../../../../src/kinds/tree/board/error-result.ts'
import {
  BlackboardKeyError,
  BlackboardValidationError,
  FunctionNotFoundError,
  InvalidResumeTokenError,
  loadError,
  LuaExecutionError,
  LuaSyntaxError,
  LuaTimeoutError,
  namedError,
  SchemaValidationError,
  SubtreeNotFoundError,
  TreeDefinitionError,
  TreeInUseError,
  TreeLoadError,
  TreeNotFoundError,
} from '../../../../src/kinds/tree/board/errors.ts'
import { faultEvent, treeError, treeErrorText } from '../../../../src/kinds/tree/board/tree-error.ts'
import { faults } from '../../../../src/kinds/tree/model/faults.ts'
import { fromBool, isComplete, isRunning, NodeType, RunStatus, TreeStatus } from '../../../../src/kinds/tree/model/run-status.ts'

type Code = keyof typeof faults.entries

describe('the error object', () => {
  test('has 33 codes, each with one entry of the catalogue', () => {
    const codes = Object.keys(ERROR_FACTS)
    expect(codes).toHaveLength(33)
    const rules = Object.values(faults.entries).flatMap((entry) => ('rules' in entry ? entry.rules : []))
    expect(rules.toSorted()).toEqual(codes.map((code) => `tree ${code}`).toSorted())
  })

  test('has a category, a severity, a recovery and an event for every code', () => {
    const rows = (Object.keys(faults.entries) as Code[]).flatMap((code) => {
      const error = treeError(faults.make(code, 'm'))
      return error === undefined ? [] : [`${error.code} ${error.category} ${error.severity} ${error.recovery.action} ${error.emit_event}`]
    })
    expect(rows).toHaveLength(33)
    expect(rows).toEqual(
      expect.arrayContaining([
        'E1001 blackboard error abort blackboard.key.unregistered',
        'E1005 blackboard critical abort blackboard.scope.corrupted',
        'E2003 node warning skip node.contract.violation',
        'E3003 tree critical abort tree.watchdog.timeout',
        'E3004 tree warning retry tree.budget.exceeded',
        'E3005 tree error manual tree.reload.failed',
        'E4004 loader error abort loader.subtree.not_found',
        'E5002 script error abort script.error',
        'E5004 script warning skip null',
        'E6003 async error retry llm.api.error',
        'E7002 security critical abort security.path.traversal',
        'E8001 merge error abort tree.parallel.conflict',
      ]),
    )
  })

  test('has the data of its fault, the place, and what the caller knows', () => {
    const fault = faults.make('R1253', 'rate limit', { file: 'x.lua', line: 4, data: { model: 'm1', error_type: 'rate_limit' } })
    expect(treeError(fault, { node_id: 'ask', tree_id: 't', tick_count: 3, timestamp: 9 })).toEqual({
      code: 'E6003',
      category: 'async',
      severity: 'error',
      message: 'rate limit',
      context: {
        source_location: 'x.lua:4',
        model: 'm1',
        error_type: 'rate_limit',
        node_id: 'ask',
        tree_id: 't',
        tick_count: 3,
        timestamp: 9,
      },
      recovery: { action: 'retry', max_retries: 3, backoff_ms: 2000 },
      emit_event: 'llm.api.error',
    })
    expect(treeError(faults.make('R1235', 'm', { fix: 'add then' }))?.recovery).toEqual({ action: 'manual', manual_steps: ['add then'] })
    expect(treeErrorText(fault)).toBe('[E6003] rate limit')
    expect(treeError(faultData(fault))?.code).toBe('E6003')
  })

  test('of a refusal of the kernel has the code that the kernel states', () => {
    expect(treeError({ code: 'R2007', rule: 'E1002', message: 'm', verdict: 'fail' })?.category).toBe('blackboard')
    expect(treeError({ code: 'R2001', message: 'm', verdict: 'fail' })).toBeUndefined()
    expect(treeErrorText({ code: 'R2001', message: 'm', verdict: 'fail' })).toBe('[R2001] m')
  })

  test('has an event, with the name that other documents use (C9, C10)', () => {
    expect(faultEvent(faults.make('R1242', 'boom'))).toEqual({
      type: 'script.error',
      severity: 'error',
      priority: 'high',
      payload: { error_code: 'E5002', error_message: 'boom', alias: 'script.runtime.error' },
    })
    expect(faultEvent(faults.make('R1222', 'm'), { node_id: 'n' })).toMatchObject({
      severity: 'warning',
      payload: { violation_type: 'undeclared_read', node_id: 'n' },
    })
    expect(faultEvent(faults.make('R1271', 'm'))).toMatchObject({ severity: 'warning' })
    expect(faultEvent(faults.make('R1244', 'm'))).toBeUndefined()
    expect(faultEvent(faults.make('R1240', 'm'))).toBeUndefined()
  })
})

describe('the errors of the seed', () => {
  test.each<[Code, abstract new (...args: never[]) => unknown, string]>([
    ['R1211', BlackboardKeyError, 'BlackboardKeyError'],
    ['R1213', BlackboardKeyError, 'BlackboardKeyError'],
    ['R1212', BlackboardValidationError, 'BlackboardValidationError'],
    ['R1204', SubtreeNotFoundError, 'SubtreeNotFoundError'],
    ['R1231', TreeNotFoundError, 'TreeNotFoundError'],
    ['R1201', TreeLoadError, 'TreeLoadError'],
    ['R1226', TreeDefinitionError, 'TreeDefinitionError'],
    ['R1237', TreeInUseError, 'TreeInUseError'],
    ['R1241', LuaSyntaxError, 'LuaSyntaxError'],
    ['R1243', LuaTimeoutError, 'LuaTimeoutError'],
    ['R1242', LuaExecutionError, 'LuaExecutionError'],
    ['R1203', FunctionNotFoundError, 'FunctionNotFoundError'],
    ['R1238', InvalidResumeTokenError, 'InvalidResumeTokenError'],
  ])('are the faults of the catalogue: %s', (code, Class, name) => {
    const fault = faults.make(code, 'message', { path: 'p', data: { k: 1 }, cause: new Error('cause') })
    expect(fault).toBeInstanceOf(Class)
    const named = namedError(fault)
    expect(named).toBeInstanceOf(Class)
    expect(named).toBeInstanceOf(Fault)
    expect([named.name, named.constructor.name]).toEqual([name, name])
    expect(faultData(named)).toEqual({ ...faultData(fault), ...(code === 'R1242' ? { rule: 'E5002' } : {}) })
    expect(faults.make('R1240', 'm')).not.toBeInstanceOf(Class)
    expect({ code }).not.toBeInstanceOf(Class)
  })

  test('can be thrown and extended by programs', () => {
    const error = new BlackboardValidationError('too short', { path: 'name' })
    expect(error).toMatchObject({ code: 'R1212', verdict: 'fail', message: 'too short', path: 'name' })
    class Mine extends BlackboardKeyError {}
    expect(new Mine('x')).toBeInstanceOf(Mine)
    expect(new Mine('x')).toBeInstanceOf(BlackboardKeyError)
    expect(new BlackboardKeyError('x')).not.toBeInstanceOf(Mine)
    expect(namedError(faults.make('R1240', 'm')).name).toBe('Fault')
  })

  // proves: tree 19
  test('for Lua has the message, the traceback and the line', () => {
    const error = new LuaExecutionError('boom', 'stack traceback:\n\tx.lua:3', 3)
    expect(error).toMatchObject({
      message: 'boom',
      luaTraceback: 'stack traceback:\n\tx.lua:3',
      lineNumber: 3,
      code: 'R1242',
      rule: 'E5002',
    })
    const named = namedError(faults.make('R1242', 'boom', { line: 7, data: { lua_traceback: 't' } }))
    expect(named).toMatchObject({ luaTraceback: 't', lineNumber: 7 })
    expect([new LuaExecutionError('x').luaTraceback, new LuaExecutionError('x').lineNumber]).toEqual([undefined, undefined])
  })

  test('of a load have the class of the first mistake and all mistakes', () => {
    const errors = ['R1204', 'R1202', 'R1225', 'R1226', 'R1226'] as const
    const [first, ...rest] = errors.map((code, i) => faults.make(code, `mistake ${i}`, { file: 'x.lua', line: i + 1 }))
    if (first === undefined) throw new Error('five mistakes')
    const error = loadError([first, ...rest])
    expect(error).toBeInstanceOf(SubtreeNotFoundError)
    expect(error).toBeInstanceOf(TreeLoadError)
    expect(error).toMatchObject({ message: 'mistake 0; mistake 1; mistake 2; and 2 more', file: 'x.lua', line: 1 })
    expect(error.errors).toEqual([first, ...rest])
    expect(loadError([first]).message).toBe('mistake 0')
    expect(faults.make('R1202', 'm')).not.toBeInstanceOf(SchemaValidationError)
  })
})

test('a result is a value or an error', () => {
  const [good, bad] = [ErrorResult.ok(1), ErrorResult.failure(new BlackboardKeyError('no'))]
  expect([good.success, good.isOk, good.isError, good.value, good.unwrap(), good.unwrapOr(2)]).toEqual([true, true, false, 1, 1, 1])
  expect([bad.success, bad.isOk, bad.isError, bad.value]).toEqual([false, false, true, undefined])
  expect(() => bad.unwrap()).toThrow('no')
  expect((bad as ErrorResult<number>).unwrapOr(2)).toBe(2)
})

// proves: tree 24
test('a node has one of four statuses', () => {
  expect(JSON.stringify(Object.values(RunStatus))).toBe('["FRESH","RUNNING","SUCCESS","FAILURE"]')
  expect([fromBool(true), fromBool(false)]).toEqual(['SUCCESS', 'FAILURE'])
  expect(Object.values(RunStatus).map((status) => [isComplete(status), isRunning(status)])).toEqual([
    [false, false],
    [false, true],
    [true, false],
    [true, false],
  ])
  expect(Object.keys(TreeStatus)).toEqual(['IDLE', 'RUNNING', 'YIELDED', 'COMPLETED', 'FAILED'])
  expect(Object.keys(NodeType)).toEqual(['COMPOSITE', 'DECORATOR', 'LEAF'])
})
