import { type Fault, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { type Locator, type Path, quote, suggest } from '../text/index.ts'
import { faults as toolFaults, type Tool } from '../tools/index.ts'
import { schemaSource } from '../kinds/workflow/model/board-schemas/board-schemas.ts'
import { schemaIssues } from '../text/json-schema/check.ts'
import { isTemplate } from './template.ts'

/**
 * Returns the faults of a tool call that its spec already shows: unknown names, missing names, literal
 * values that do not fit the schema, and values where an author must write the text itself. The run checks values from the board.
 * A tool whose validator has no JSON Schema is checked by its run.
 */
export function argumentFindings(tool: Tool, args: unknown, locate: Locator): readonly Fault[] {
  const given = isObject(args) ? args : {}
  const source = tool.input === undefined ? undefined : schemaSource(tool.input)
  const authored = authoredFindings(tool, given, locate)
  if (source === undefined || !('schema' in source)) return authored
  const { properties, required = [], additionalProperties } = source.schema
  const takes = isObject(properties) ? properties : {}
  const missing = (required as readonly string[]).filter((name) => given[name] === undefined || given[name] === null)
  const closed = additionalProperties === false
  // If a tool accepts names that its schema does not list, only names that look misspelt are reported.
  const unknownNames = Object.keys(given).filter(
    (name) => !Object.hasOwn(takes, name) && (closed || suggest(name, Object.keys(takes)) !== undefined),
  )
  return [
    ...unknownNames.map((name) => unknownArgument(tool, name, { accepted: Object.keys(takes), missing, closed }, locate)),
    ...missing
      .filter((name) => !unknownNames.some((other) => suggest(other, [name]) !== undefined))
      .map((name) => missingArgument(tool, name, takes[name], args, locate)),
    ...Object.entries(given).flatMap(([name, value]) => {
      const schema = Object.hasOwn(takes, name) ? takes[name] : undefined
      return isObject(schema) && value !== null && isFinal(value) ? valueFindings(tool, name, value, schema, locate) : []
    }),
    ...authored,
  ]
}

interface ArgumentNames {
  readonly accepted: readonly string[]
  readonly missing: readonly string[]
  /** True if the tool accepts no other names. */
  readonly closed: boolean
}

function unknownArgument(tool: Tool, name: string, { accepted, missing, closed }: ArgumentNames, locate: Locator): Fault {
  const needed = suggest(name, missing)
  const meant = needed ?? suggest(name, accepted)
  const severity = closed || needed !== undefined ? 'error' : 'warning'
  const place = locate(['args', name], { part: 'key', note: meant === undefined ? undefined : `did you mean ${quote(meant)}?` })
  const fix = meant === undefined ? `write one of: ${accepted.join(', ') || 'none'}` : `write ${quote(meant)}`
  return toolFaults.make('R4101', `${tool.name} has no argument ${quote(name)}`, { ...place, fix, severity })
}

function missingArgument(tool: Tool, name: string, schema: Json | undefined, args: unknown, locate: Locator): Fault {
  const what = isObject(schema) && typeof schema.description === 'string' ? `: ${schema.description}` : ''
  const path: Path = args === undefined ? ['tool'] : ['args']
  return toolFaults.make('R4101', `${tool.name} needs the argument ${quote(name)}${what}`, {
    ...locate(path),
    fix: `add ${quote(name)} to "args"`,
  })
}

function valueFindings(tool: Tool, name: string, value: Json, schema: JsonObject, locate: Locator): Fault[] {
  const [issue] = schemaIssues(schema, withoutLiteral(value))
  if (issue === undefined) return []
  return [
    toolFaults.make('R4101', `${tool.name} has an invalid argument ${quote(name)}: ${issue.message}`, {
      ...locate(['args', name]),
      fix: 'write a value that the schema of the tool allows',
    }),
  ]
}

function authoredFindings({ name: tool, authored = [] }: Tool, given: JsonObject, locate: Locator): Fault[] {
  return authored
    .filter((name) => given[name] !== undefined && (typeof given[name] !== 'string' || isTemplate(given[name])))
    .map((name) => authoredOnlyFault(tool, name, locate(['args', name])))
}

/** Returns the fault for an argument that only an author may write. */
export function authoredOnlyFault(tool: string, name: string, place: ReturnType<Locator> = {}): Fault {
  return toolFaults.make('R4101', `${tool}: the argument ${name} must not be a template, because no value may become part of it`, {
    ...place,
    fix: `put the value under a name into "environment", and write "$name" in ${name}`,
  })
}

/** True if a value in the spec is final: no part of it comes from a board. */
function isFinal(value: Json): boolean {
  if (typeof value === 'string') return !isTemplate(value)
  if (typeof value !== 'object' || value === null) return true
  if (isObject(value) && (typeof value.from === 'string' || value.literal !== undefined)) return value.from === undefined
  return Object.values(value).every((inner: Json) => isFinal(inner))
}

function withoutLiteral(value: Json): Json {
  return isObject(value) && value.literal !== undefined && Object.keys(value).length === 1 ? value.literal : value
}
