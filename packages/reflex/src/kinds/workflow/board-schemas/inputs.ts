import type { Validator } from '../../../kernel/state/board.ts'
import type { Json, JsonObject } from '../../../kernel/journal/json.ts'
import { textAs } from '../../../people/index.ts'
import { shortJson, quote, suggest } from '../../../text/index.ts'
import { schemaSource } from './board-schemas.ts'
import type { CompiledWorkflow } from '../compile.ts'
import { faults } from '../faults.ts'
import type { BoardSchema } from '../types.ts'

/**
 * Named inputs as a workflow takes them: what was written as text becomes what the board declares for its key, as far
 * as it reads as that. Throws `R2045` for the first that does not fit.
 */
export function parseInputs(program: CompiledWorkflow, input: JsonObject, texts: readonly string[] = []): JsonObject {
  const { board = {} } = program.workflow
  const entries = Object.entries(input).map(([key, value]): [string, Json] => {
    const schema = Object.hasOwn(board, key) ? board[key] : undefined
    return [key, schema !== undefined && typeof value === 'string' && texts.includes(key) ? parseAs(schema, value) : value]
  })
  checkInputs(program, entries)
  checkRequired(program, new Set(Object.keys(input)))
  return Object.fromEntries(entries)
}

/**
 * Throws `R2045` for an input that is misspelt, or that the entry cannot do without: one that a node declares as required
 * and inherited. What only nodes on some way need is theirs to miss.
 */
function checkRequired({ workflow }: CompiledWorkflow, given: ReadonlySet<string>): void {
  const requiredInputs = Object.values(workflow.nodes).flatMap(({ id, inputs = [] }) =>
    inputs
      .filter(({ key, required, inherited }) => required && inherited === true && !given.has(key))
      .map(({ key }) => ({ key, node: id })),
  )
  const undeclared = [...given].filter((key) => !Object.hasOwn(workflow.board ?? {}, key))
  for (const { key, node } of requiredInputs) {
    const meant = undeclared.find((name) => suggest(name, [key]) !== undefined)
    if (meant === undefined && node !== workflow.entry) continue
    const hint = meant === undefined ? '' : `; ${quote(meant)} was given`
    throw faults.make('R2045', `${workflow.id} needs the input ${quote(key)}${hint}`, {
      path: `${workflow.id}/${node}`,
      fix: meant === undefined ? `give it: --input ${key}=…` : `write ${key} instead of ${meant}`,
    })
  }
}

function parseAs(schema: BoardSchema, text: string): Json {
  const source = schemaSource(schema)
  return 'schema' in source ? textAs(source.schema, text) : text
}

/** Throws `R2045` for the first value that does not fit what the board declares for its key. */
export function checkInputs({ workflow, board = {} }: CompiledWorkflow, inputs: Iterable<readonly [key: string, value: unknown]>): void {
  for (const [key, value] of inputs) {
    const problem = Object.hasOwn(board, key) ? problemOf(board[key], key, value) : undefined
    if (problem === undefined) continue
    throw faults.make('R2045', `${workflow.id} cannot take ${key} as ${shortJson(value)}: ${problem}`, {
      path: workflow.id,
      fix: `give ${quote(key)} what its schema allows`,
    })
  }
}

function problemOf(validator: Validator | undefined, key: string, value: unknown): string | undefined {
  const result = validator?.['~standard'].validate(value)
  if (result instanceof Promise) return 'its schema answers later, and the answer is needed at once'
  return result?.issues
    ?.map(({ message, path }) => (path?.length ? `${key}.${path.map(stepName).join('.')}: ${message}` : message))
    .join('; ')
}

function stepName(step: unknown): string {
  return String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step)
}
