import { expect, test } from 'vitest'
import * as door from '../../../../src/kinds/tree/index.ts'

/** The names of the seed, part 2, that are values. */
const SEED = [
  'BehaviorNode',
  'BehaviorTree',
  'BlackboardKeyError',
  'BlackboardSizeExceededError',
  'BlackboardValidationError',
  'CollectStrategy',
  'EventBus',
  'FailOnConflictStrategy',
  'FirstWinsStrategy',
  'FunctionNotFoundError',
  'InvalidResumeTokenError',
  'LastWinsStrategy',
  'LuaExecutionError',
  'LuaSyntaxError',
  'LuaTimeoutError',
  'MergeDictStrategy',
  'MergeStrategyType',
  'NodeContract',
  'NodeType',
  'ParallelMerger',
  'RunStatus',
  'SchemaValidationError',
  'SubtreeNotFoundError',
  'TickContext',
  'TickScheduler',
  'TreeBuilder',
  'TreeDefinitionError',
  'TreeInUseError',
  'TreeLoadError',
  'TreeLoader',
  'TreeNotFoundError',
  'TreeRegistry',
  'TreeStatus',
  'TreeValidator',
  'TreeWatchdog',
  'TypedBlackboard',
  'defineNode',
  'luaToInt',
]

test('the door of trees has the names of the seed', () => {
  expect(SEED.filter((name) => !(name in door))).toEqual([])
})

test('a tree is made and ticked through the door', () => {
  class Greet extends door.BehaviorNode {
    override _tick(ctx: door.TickContext): door.RunStatus {
      ctx.blackboard.set('greeting', 'hello')
      return door.RunStatus.SUCCESS
    }
  }
  const tree = new door.BehaviorTree({ id: 'greeter', board: { greeting: { type: 'str' } }, root: new Greet('greet') })
  expect([tree.tick().status, tree.blackboard.get('greeting')]).toEqual(['SUCCESS', 'hello'])
})

/** The members of the interfaces of part 2, in the spelling of TypeScript. */
const MEMBERS = {
  // proves: tree 2.1
  TypedBlackboard: 'register registerMany get set setGlobal has delete createChildScope getReads getWrites clearAccessTracking snapshot',
  // proves: tree 2.2
  NodeContract: 'validateInputs validateAccess allInputKeys',
  // proves: tree 2.3
  BehaviorNode: 'status tickCount runningSince lastTickDurationMs tick reset debugInfo propagatesFailure',
  // proves: tree 2.4
  TickContext:
    'elapsedMs budgetRemaining budgetExceeded pushPath popPath withBlackboard addAsync completeAsync hasPendingAsync markProgress parentPath asyncPending cancellationRequested',
  // proves: tree 2.5
  TreeRegistry: 'load get reload unload listTrees startWatching stopWatching onFileChanged',
  // proves: tree 2.6
  TreeLoader: 'load loadString',
  TreeBuilder: 'build',
  TreeValidator: 'validate',
  // proves: tree 2.7
  LastWinsStrategy: 'merge',
  FirstWinsStrategy: 'merge',
  CollectStrategy: 'merge',
  MergeDictStrategy: 'merge',
  FailOnConflictStrategy: 'merge',
  ParallelMerger: 'configure merge',
}

test('every interface of the seed has its members', () => {
  const missing = Object.entries(MEMBERS).flatMap(([name, members]) => {
    const { prototype } = Reflect.get(door, name) as { readonly prototype: object }
    return members.split(' ').flatMap((member) => (member in prototype ? [] : [`${name}.${member}`]))
  })
  expect(missing).toEqual([])
  expect(Object.keys(door.RunStatus).toSorted()).toEqual(['FAILURE', 'FRESH', 'RUNNING', 'SUCCESS'])
  expect([door.fromBool(true), door.fromBool(false)]).toEqual(['SUCCESS', 'FAILURE'])
  expect(Object.values(door.MergeStrategyType).toSorted()).toEqual(['collect', 'fail', 'first_wins', 'last_wins', 'merge_dict'])
})

test('contracts, contexts and results have the fields of the seed', () => {
  const contract = new door.NodeContract({ inputs: { a: 'int' }, optionalInputs: { b: 'int' }, outputs: { c: 'int' }, description: 'adds' })
  expect(Object.keys(contract)).toEqual(expect.arrayContaining(['inputs', 'optionalInputs', 'outputs', 'description']))
  expect([contract.allInputKeys, Object.isFrozen(contract)]).toEqual([new Set(['a', 'b']), true])
  const context = new door.TickContext()
  expect([context.tickCount, context.tickBudget, context.traceEnabled, context.parentPath, context.services]).toEqual([
    0,
    1000,
    false,
    [],
    {},
  ])
  expect(context.startTime).toBeInstanceOf(Date)
  const board = new door.TypedBlackboard()
  const merged = new door.ParallelMerger().merge(board, [])
  expect(merged).toMatchObject({ mergedKeys: [], conflicts: [], hasConflicts: false })
})
