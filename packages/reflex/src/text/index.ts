export { shortJson } from './brief.ts'
export { countCells } from './cells.ts'
export { compileExpression } from './expression/expression.ts'
export type {
  CompiledExpression,
  Evaluation,
  Expression,
  ExpressionFailure,
  ExpressionLimits,
  ExpressionOptions,
  StepBudget,
  UnknownFunction,
} from './expression/expression.ts'
export type { Variables } from './expression/code.ts'
export type { AnswerCall, ExpressionFunction, ExpressionType } from './expression/functions.ts'
export type { ExpressionRead } from './expression/reads.ts'
export { readValuesText, evaluationText } from './expression/evaluation-text.ts'
export { displayJson } from './display-json.ts'
export { printable, quote, quoteAll } from './printable.ts'
export { parseIfJson, readJson } from './json.ts'
export type { JsonText, AttributePart, PlaceOptions } from './json.ts'
export { formatJson } from './json-format.ts'
export type { FormattedText } from './json-format.ts'
export { valueAt, pathText } from './path.ts'
export type { Path } from './path.ts'
export type { Place, Position, TextSpan } from './place.ts'
export { checkSchema, pathOnly } from './schema.ts'
export type { Locator, SchemaOptions } from './schema.ts'
export { type DiffLine, lineDiff } from './line-diff.ts'
export { once } from './once.ts'
export { didYouMean, suggest, suggester } from './suggest.ts'
export type { Suggester } from './suggest.ts'
export { shellWord, escapeActive } from './shell-word.ts'
export {
  ANYTHING,
  checkArguments,
  anyOf,
  FLAG,
  type Form,
  describeValue,
  FUNCTION,
  objectWith,
  instanceOf,
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
} from './check-arguments.ts'
export { fromJavaScript, javaScriptPatternProblem } from './javascript-pattern.ts'
export { type LinearPattern, linearPattern, matchLinear } from './linear-pattern.ts'
export { firstGroups } from './pattern-search.ts'
export { Source } from './source.ts'
export { Lines } from './place.ts'
