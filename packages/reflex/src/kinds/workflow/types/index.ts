/** All types of the workflow door, by subject. */
export type * from './board.ts'
export type * from './checking.ts'
export type * from './decision.ts'
export type * from './definition.ts'
export type * from './engine.ts'
export type * from './execution.ts'
