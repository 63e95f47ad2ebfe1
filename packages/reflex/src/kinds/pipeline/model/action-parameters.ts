import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Safety } from './operation-ports.ts'
import { renderText } from '../language/render.ts'
import { parseJson } from '../language/parse-json.ts'

/** A parameter of an action. */
export interface Parameter {
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'json'
  readonly required?: true
  /**
   * Set if the parameter decides what runs or which files are touched: no value from outside may set it. A `Safety` names the
   * check at the point of use that makes such a value safe (reference pipeline 5.3).
   */
  readonly control?: Safety | true
  /** Only the author may write it; a context value may not. */
  readonly authored?: true
  /** Aliases of the parameter. */
  readonly also?: readonly string[]
}

/** The parameters of an action by name. */
export type Parameters = Readonly<Record<string, Parameter>>

/** The parameters that an action receives, by canonical name and converted to their types. */
export type ParameterValues = JsonObject

/** Reads the parameters that a node passes: resolves aliases and converts text to the types. Keeps unknown names. */
export function readParameters(
  parameters: Parameters,
  params: JsonObject,
): { readonly values: ParameterValues } | { readonly problem: string } {
  const values: Record<string, Json> = {}
  const used = new Set<string>()
  for (const [name, parameter] of Object.entries(parameters)) {
    const from = [name, ...(parameter.also ?? [])].find((one) => Object.hasOwn(params, one) && isPresent(params[one]))
    for (const one of [name, ...(parameter.also ?? [])]) used.add(one)
    if (from === undefined) {
      if (parameter.required === true) return { problem: `it needs the parameter ${name}` }
      continue
    }
    const value = convert(parameter.kind, params[from] ?? null)
    if (value === undefined) return { problem: `the parameter ${from} must be ${KINDS[parameter.kind]}` }
    values[name] = value
  }
  const others = Object.entries(params).filter(([name]) => !used.has(name))
  return { values: { ...Object.fromEntries(others), ...values } }
}

const KINDS: Readonly<Record<Parameter['kind'], string>> = {
  text: 'text',
  number: 'a number',
  flag: 'true or false',
  list: 'a list',
  json: 'JSON',
}

function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

function convert(kind: Parameter['kind'], value: Json): Json | undefined {
  switch (kind) {
    case 'text':
      return renderText(value)
    case 'number':
      return typeof value === 'boolean' || !Number.isFinite(Number(value)) ? undefined : Number(value)
    case 'flag':
      return typeof value === 'boolean' ? value : FLAGS.get(renderText(value).trim().toLowerCase())
    case 'list':
      return isList(value) ? value : isObject(value) ? undefined : splitList(renderText(value))
    default:
      return value
  }
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

/** Parses a list from JSON or from text with commas. */
function splitList(text: string): readonly Json[] {
  const json = text.trim().startsWith('[') ? parseJson(text) : undefined
  if (isList(json)) return json
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
