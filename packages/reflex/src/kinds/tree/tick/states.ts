/** The states of a tree. */
export const IDLE = 0
export const ACTIVE = 1
export const YIELDED = 2
export const COMPLETED = 3
export const FAILED = 4

/** The states of a node, as they stand in a position. */
export const FRESH = 0
export const IS_RUNNING = 1
export const SUCCEEDED = 2
export const HAS_FAILED = 3
