/** The status of a node. It is stored and shown by its name. */
export const RunStatus = { FRESH: 'FRESH', RUNNING: 'RUNNING', SUCCESS: 'SUCCESS', FAILURE: 'FAILURE' } as const
export type RunStatus = keyof typeof RunStatus

/** The family of a node: with several children, with one, or with none. */
export const NodeType = { COMPOSITE: 'COMPOSITE', DECORATOR: 'DECORATOR', LEAF: 'LEAF' } as const
export type NodeType = keyof typeof NodeType

/** The status of a tree. YIELDED: it has used its budget of ticks and can be resumed. */
export const TreeStatus = { IDLE: 'IDLE', RUNNING: 'RUNNING', YIELDED: 'YIELDED', COMPLETED: 'COMPLETED', FAILED: 'FAILED' } as const
export type TreeStatus = keyof typeof TreeStatus

/** Returns SUCCESS for true and FAILURE for false. */
export function fromBool(value: boolean): RunStatus {
  return value ? RunStatus.SUCCESS : RunStatus.FAILURE
}

/** True if a node has ended: SUCCESS or FAILURE. */
export function isComplete(status: RunStatus): boolean {
  return status === RunStatus.SUCCESS || status === RunStatus.FAILURE
}

/** True for RUNNING. */
export function isRunning(status: RunStatus): boolean {
  return status === RunStatus.RUNNING
}
