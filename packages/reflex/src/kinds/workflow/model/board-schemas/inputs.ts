import type { Validator, Json, JsonObject } from '../../../../kernel/index.ts'
import { textAs } from '../../../../people/index.ts'
import { shortJson, quote, suggest } from '../../../../text/index.ts'
import { schemaSource } from './board-schemas.ts'
import type { CompiledWorkflow } from '../compile.ts'
import { programFaults } from '../../../../programs/faults.ts'
import type { BoardSchema } from '../../types/index.ts'

/**
 * Returns named inputs as a workflow accepts them. An input given as text is converted to the type that the board declares for
 * its key, if it can be. Throws `R2045` for the first input that does not fit.
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
 * Throws `R2045` for a misspelt input, and for a missing one that the entry node declares as required and inherited. An input
 * that only other nodes require may be missing: a run may not reach them.
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
    throw programFaults.make('R2045', `${workflow.id} requires the input ${quote(key)}${hint}`, {
      path: `${workflow.id}/${node}`,
      fix: meant === undefined ? `pass it: --input ${key}=…` : `write ${key} instead of ${meant}`,
    })
  }
}

function parseAs(schema: BoardSchema, text: string): Json {
  const source = schemaSource(schema)
  return 'schema' in source ? textAs(source.schema, text) : text
}

/** Throws `R2045` for the first value that does not fit the schema of its key. */
export function checkInputs({ workflow, board = {} }: CompiledWorkflow, inputs: Iterable<readonly [key: string, value: unknown]>): void {
  for (const [key, value] of inputs) {
    const problem = Object.hasOwn(board, key) ? problemOf(board[key], key, value) : undefined
    if (problem === undefined) continue
    throw programFaults.make('R2045', `${workflow.id} cannot take ${key} as ${shortJson(value)}: ${problem}`, {
      path: workflow.id,
      fix: `give ${quote(key)} a value that its schema allows`,
    })
  }
}

function problemOf(validator: Validator | undefined, key: string, value: unknown): string | undefined {
  const result = validator?.['~standard'].validate(value)
  if (result instanceof Promise) return 'its validator is asynchronous; a synchronous one is needed'
  return result?.issues
    ?.map(({ message, path }) => (path?.length ? `${key}.${path.map(stepName).join('.')}: ${message}` : message))
    .join('; ')
}

function stepName(step: unknown): string {
  return String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step)
}
