import { type Fault, isFault } from '../../../kernel/index.ts'
import type { SetResult } from '../board/typed-blackboard.ts'
import type { NodeBoard } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import type { NodeBlackboard } from './tick-context.ts'

/** Returns the blackboard of a node during its tick. `declares`: true for keys that the tree has registered. */
export function nodeBlackboard(board: NodeBoard, declares: (key: string) => boolean): NodeBlackboard {
  const get = (key: string, _schema?: unknown, fallback?: unknown): unknown => {
    const value = board.get(key)
    if (value !== undefined) return value
    if (fallback !== undefined) return fallback
    if (declares(key) || key.startsWith('_')) return null
    throw unregistered(key)
  }
  return {
    get: get as NodeBlackboard['get'],
    set: (key, value) => board.set(key, value),
    trySet: (key, value): SetResult => {
      try {
        board.set(key, value)
        return { ok: true }
      } catch (thrown) {
        if (isFault(thrown)) return { ok: false, error: thrown }
        throw thrown
      }
    },
    setGlobal: (key, value) => board.setGlobal(key, value),
    has: (key) => board.has(key),
    delete: (key) => board.delete(key),
  }
}

function unregistered(key: string): Fault {
  return faults.make('R1211', `${key} is not registered and has no value`, { rule: 'E1001', path: key, data: { key } })
}
