export { brief } from './brief.ts'
export { cells } from './cells.ts'
export { compileExpression } from './expression/expression.ts'
export type {
  CompiledExpression,
  Evaluation,
  Expression,
  ExpressionFailure,
  ExpressionLimits,
  ExpressionOptions,
  Purse,
} from './expression/expression.ts'
export type { Variables } from './expression/code.ts'
export type { ExpressionFunction, ExpressionType } from './expression/functions.ts'
export type { ExpressionRead } from './expression/reads.ts'
export { readText, sawText } from './expression/saw.ts'
export { shownJson } from './file-contents.ts'
export { harmless, quote, quoteAll } from './harmless.ts'
export { readJson } from './json.ts'
export type { JsonText, Part, PlaceOptions } from './json.ts'
export { formatJson } from './json-format.ts'
export type { Formatted } from './json-format.ts'
export { pathText } from './path.ts'
export type { Path } from './path.ts'
export type { Place, Position, Stretch } from './place.ts'
export { checkSchema, unplaced } from './schema.ts'
export type { Locate, SchemaOptions } from './schema.ts'
export { type DiffLine, lineDiff } from './line-diff.ts'
export { once } from './once.ts'
export { didYouMean, suggest, suggester } from './suggest.ts'
export type { Suggester } from './suggest.ts'
export { shellWord, withoutActive } from './shell-word.ts'
export { valueIn } from './value-in.ts'
export {
  ANYTHING,
  demand,
  either,
  FLAG,
  type Form,
  FUNCTION,
  having,
  instance,
  listOf,
  NAMED_VALUES,
  NUMBER,
  OBJECT,
  oneOf,
  optional,
  options,
  recordOf,
  shape,
  TEXT,
} from './given.ts'
export { fromJavaScript, javaScriptPatternProblem } from './javascript-pattern.ts'
export { type LinearPattern, linearPattern, matchLinear } from './linear-pattern.ts'
export { firstGroups } from './pattern-search.ts'
