/** All types of the workflow door, by subject. */
export type * from './types/board.ts'
export type * from './types/checking.ts'
export type * from './types/decision.ts'
export type * from './types/definition.ts'
export type * from './types/engine.ts'
export type * from './types/execution.ts'
