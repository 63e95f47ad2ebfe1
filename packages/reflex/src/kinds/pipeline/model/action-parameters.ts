import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Safety } from './operation-ports.ts'
import { renderText } from '../language/render.ts'
import { parseJson } from '../language/parse-json.ts'

/** One parameter of an action. */
export interface Parameter {
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'json'
  readonly required?: true
  /**
   * It decides what runs or what is touched, so nothing from outside may choose it; what it must be safe against where a
   * check at the point of use sees to that (reference pipeline 5.3).
   */
  readonly control?: Safety | true
  /** Only the author writes it: no value of the context does. */
  readonly authored?: true
  /** Other names of it, that pipelines use. */
  readonly also?: readonly string[]
}

/** The parameters of an action, by name. */
export type Parameters = Readonly<Record<string, Parameter>>

/** Parameters as an action gets them: under their own names, each as its kind says. */
export type ParameterValues = JsonObject

/** Reads what a node hands over: other names become the own one, text becomes what is wanted. Names that nothing knows stay. */
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

/** A list as text: as JSON, or with commas. */
function splitList(text: string): readonly Json[] {
  const json = text.trim().startsWith('[') ? parseJson(text) : undefined
  if (isList(json)) return json
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
