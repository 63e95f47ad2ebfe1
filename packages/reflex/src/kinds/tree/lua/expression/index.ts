export { type Code, compileCondition, compileExpression, type Environment, type Test } from './compile.ts'
export { run, runCondition } from './evaluate.ts'
export { type Expression, reads } from './forms.ts'
export { parseExpression } from './parse.ts'
