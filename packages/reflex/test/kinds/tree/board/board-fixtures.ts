import { type Fault, isFault } from '../../../../src/kernel/index.ts'
import type { BoardOptions } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import { TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import type { SchemaType } from '../../../../src/kinds/tree/board/schema.ts'
import type { TreeEvent } from '../../../../src/kinds/tree/board/tree-error.ts'

/** Returns the fault that a call throws. */
export function faultOf(call: () => unknown): Fault {
  try {
    call()
  } catch (thrown) {
    if (isFault(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

/** Returns a root with schemas, and the events that it emits. */
export function boardOf(schemas: Readonly<Record<string, SchemaType>>, options: BoardOptions = {}) {
  const events: TreeEvent[] = []
  const board = new TypedBlackboard(undefined, 'root', { emit: (event) => events.push(event), ...options })
  board.registerMany(schemas)
  return { board, events }
}
