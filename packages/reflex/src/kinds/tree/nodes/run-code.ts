import { type Fault, isFault, isObject, type Json } from '../../../kernel/index.ts'
import { FAILURE, type Next, RUNNING, type Settled, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'

/** What a function or a script answers, as its port records it. */
export interface CodeResult {
  readonly status: 'success' | 'failure' | 'running'
  readonly reason?: string
  /** A failure that the code meant. */
  readonly isIntended?: true
  readonly writes?: readonly CodeWrite[]
  /** RUNNING ends with an event that names this id. */
  readonly async_id?: string
}

/** A write of code: an operation, the key, and the value. */
export type CodeWrite = readonly ['set' | 'global' | 'delete', key: string, value?: Json]

/** Applies the result of a function or a script: its writes, then its status. Writes before the first refused one are kept (UB-04). */
export function applyCode(tick: Tick, node: TreeNode, settled: Settled): Next {
  if (!settled.ok) return tick.fail(node, settled.fault)
  const {
    status,
    reason,
    writes = [],
  } = isObject(settled.value) ? (settled.value as unknown as CodeResult) : { status: 'failure' as const }
  const refused = applyWrites(tick, node, writes)
  if (refused !== undefined) return refused
  switch (status) {
    case 'success':
      return SUCCESS
    case 'running':
      tick.again(node)
      return RUNNING
    default:
      return tick.fail(node, reason ?? `${node.manifest.type} ${node.id} returned FAILURE`)
  }
}

function applyWrites(tick: Tick, node: TreeNode, writes: readonly CodeWrite[]): typeof FAILURE | undefined {
  const board = tick.board(node)
  try {
    for (const [operation, key, value = null] of writes) {
      if (operation === 'delete') board.delete(key)
      else if (operation === 'global') board.setGlobal(key, value)
      else board.set(key, value)
    }
  } catch (thrown) {
    return tick.fail(node, asFault(thrown))
  }
  return undefined
}

/** A write is refused with a fault; anything else is a bug. */
function asFault(thrown: unknown): Fault {
  if (isFault(thrown)) return thrown
  throw thrown
}
