import type { Json } from '../../../kernel/index.ts'
import type { FunctionBoard } from '../compile/pure-functions.ts'
import type { CodeWrite } from '../nodes/run-code.ts'

/** A blackboard over another one that keeps its writes for itself. */
export interface StagedBoard {
  readonly board: FunctionBoard
  readonly writes: readonly CodeWrite[]
}

/** Makes the blackboard of a function. Values are copies in both directions, so no later change of an object changes what is stored. */
export function stagedBoard(stored: (key: string) => Json | undefined): StagedBoard {
  const writes: CodeWrite[] = []
  const read = (key: string): Json | undefined => {
    const written = writes.findLast(([, of]) => of === key)
    return written !== undefined && written[0] !== 'delete' ? written[2] : stored(key)
  }
  return {
    writes,
    board: {
      get: (key) => copyOf(read(key)),
      has: (key) => read(key) !== undefined,
      set: (key, value) => void writes.push(['set', key, copyOf(value as Json)]),
      setGlobal: (key, value) => void writes.push(['global', key, copyOf(value as Json)]),
      delete: (key) => void writes.push(['delete', key]),
    },
  }
}

function copyOf<Value extends Json | undefined>(value: Value): Value {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value
}
