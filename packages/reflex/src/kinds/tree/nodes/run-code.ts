import { type Fault, type FaultData, isFault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { type Next, RUNNING, type Settled, SUCCESS, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { textOf } from '../model/text-of.ts'

/** What a function or a script answers, as its port records it. */
export interface CodeResult {
  readonly status: 'success' | 'failure' | 'running'
  readonly reason?: string
  /** A failure that the code meant. */
  readonly isIntended?: true
  readonly writes?: readonly CodeWrite[]
  /** RUNNING ends with an event that names this id. */
  readonly async_id?: string
  /** The lines that a script has printed. */
  readonly printed?: readonly string[]
}

/**
 * A write of code: an operation, the key, and the value. `result`: a value that was returned under `blackboard`; `field`: another field of what
 * was returned, which is written if the tree declares its key.
 */
export type CodeWrite = readonly ['set' | 'global' | 'delete' | 'result' | 'field', key: string, value?: Json]

/** Ticks a node whose code has answered RUNNING: it is run again, unless it waits for an event that names its operation. */
export function resumeCode(tick: Tick, node: TreeNode, enter: () => Next): Next {
  const [asyncId] = tick.own(node) ?? []
  if (asyncId === undefined || namesOperation(tick.event, asyncId)) return enter()
  return RUNNING
}

function namesOperation(event: Json | undefined, asyncId: Json): boolean {
  return isObject(event) && event.async_id === asyncId
}

/**
 * Applies the result of a function or a script: its writes, then its status. A refused write makes the node fail; what was written before it is
 * kept (UB-04), and values that were returned are refused one by one. `names` maps names under which the code writes to the keys that they mean.
 */
export function applyCode(tick: Tick, node: TreeNode, settled: Settled, names?: Json): Next {
  if (!settled.ok) return tick.fail(node, settled.fault)
  const result: Partial<CodeResult> = isObject(settled.value) ? settled.value : {}
  const { status, reason, writes = [], async_id } = result
  const refused = applyWrites(tick, node, isObject(names) ? renamed(writes, names) : writes)
  if (refused !== undefined) return tick.fail(node, refused)
  switch (status) {
    case 'success':
      return SUCCESS
    case 'running':
      tick.keep(node, async_id === undefined ? undefined : [async_id])
      if (async_id === undefined) tick.again(node)
      return RUNNING
    default:
      return tick.fail(node, reason ?? `${node.manifest.type} ${node.id} returned FAILURE`)
  }
}

/** Applies the writes of a function whose status counts for nothing. Returns its fault, or that of the first write that was refused. */
export function applyAnswer(tick: Tick, node: TreeNode, settled: Settled): FaultData | undefined {
  if (!settled.ok) return settled.fault
  const { writes = [] }: Partial<CodeResult> = isObject(settled.value) ? settled.value : {}
  return applyWrites(tick, node, writes)
}

function renamed(writes: readonly CodeWrite[], names: JsonObject): readonly CodeWrite[] {
  return writes.map(([operation, name, value = null]) => {
    const key = textOf(names[name] ?? name)
    // A key of all trees is written as one, whatever the code calls it.
    return key.startsWith('@') && operation === 'set' ? ['global', key.slice(1), value] : [operation, key, value]
  })
}

/** Returns the fault of the first write that was refused. */
export function applyWrites(tick: Tick, node: TreeNode, writes: readonly CodeWrite[]): Fault | undefined {
  let refused: Fault | undefined
  for (const write of writes) {
    const [operation] = write
    if (refused !== undefined && operation !== 'result' && operation !== 'field') continue
    refused = applyWrite(tick, node, write) ?? refused
  }
  return refused
}

function applyWrite(tick: Tick, node: TreeNode, [operation, key, value = null]: CodeWrite): Fault | undefined {
  const board = tick.board(node)
  try {
    if (operation === 'delete') board.delete(key)
    else if (operation === 'global') board.setGlobal(key, value)
    else if (operation !== 'field' || key.startsWith('_') || tick.declares(node, key)) board.set(key, value)
    return undefined
  } catch (thrown) {
    if (isFault(thrown)) return thrown
    throw thrown
  }
}
