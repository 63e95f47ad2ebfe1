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
