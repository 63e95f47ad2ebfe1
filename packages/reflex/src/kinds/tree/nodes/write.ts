import { isFault, type Json } from '../../../kernel/index.ts'
import type { FAILURE, Tick, TreeNode } from '../manifest/behaviour.ts'

/** Writes keys; one that begins with @ is written for all trees. Returns FAILURE, with the reason recorded, if one is refused; the ones before it are kept. */
export function write(tick: Tick, node: TreeNode, writes: Iterable<readonly [key: string, value: Json]>): typeof FAILURE | undefined {
  const board = tick.board(node)
  try {
    for (const [key, value] of writes) {
      if (key.startsWith('@')) board.setGlobal(key.slice(1), value)
      else board.set(key, value)
    }
    return undefined
  } catch (thrown) {
    if (isFault(thrown)) return tick.fail(node, thrown)
    throw thrown
  }
}
