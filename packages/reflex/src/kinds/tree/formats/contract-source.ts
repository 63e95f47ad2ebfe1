import { type JsonObject, isObject, type Json } from '../../../kernel/index.ts'
import { didYouMean, quote, suggest } from '../../../text/index.ts'
import type { Findings } from './findings.ts'
import { isPlain, judgeJson } from './parameter-values.ts'
import { type Origin, typeName } from './raw.ts'

/** The maps of a contract, each with its other names. */
const MAPS: Readonly<Record<string, readonly string[]>> = {
  inputs: ['requires'],
  optional_inputs: ['optional'],
  outputs: ['produces'],
  inouts: [],
}

const OTHER_KEYS = ['description', 'on_violation']

/** Returns a contract in its normal form: maps of keys to schemas that have no key in common. */
export function normaliseContract(given: unknown, origin: Origin, findings: Findings): JsonObject | undefined {
  if (!isPlain(given)) {
    findings.wrong(origin, `contract must be a table of inputs and outputs, found ${typeName(given)}`, { key: 'contract' })
    return undefined
  }
  const contract: Record<string, Json> = {}
  for (const [key, value] of Object.entries(given)) {
    const map = Object.entries(MAPS).find(([name, aliases]) => name === key || aliases.includes(key))?.[0]
    if (map !== undefined) {
      const read = schemasOf(value, `contract.${key}`, origin, findings)
      contract[map] = { ...(contract[map] as JsonObject | undefined), ...read }
    } else if (key === 'description' && typeof value === 'string') contract.description = value
    else if (key === 'on_violation' && (value === 'log' || value === 'fail')) contract.on_violation = value
    else refuseKey(key, value, origin, findings)
  }
  checkDisjoint(contract, origin, findings)
  return contract
}

function refuseKey(key: string, value: unknown, origin: Origin, findings: Findings): void {
  if (key === 'description') findings.wrong(origin, `contract.description must be a text, found ${typeName(value)}`, { key: 'contract' })
  else if (key === 'on_violation') findings.wrong(origin, 'contract.on_violation must be "log" or "fail"', { key: 'contract' })
  else {
    const note = didYouMean(suggest(key, [...Object.keys(MAPS), ...Object.values(MAPS).flat(), ...OTHER_KEYS]))
    findings.suspect(origin, `a contract has no key ${quote(key)}; it has no effect`, { key: 'contract', note })
  }
}

/** Returns a map of keys to schemas. A list of keys gives each of them the schema `any`. */
function schemasOf(given: unknown, name: string, origin: Origin, findings: Findings): JsonObject {
  const made: [string, Json][] = []
  if (!Array.isArray(given) && !isPlain(given)) {
    findings.wrong(origin, `${name} must be a list of keys or a map of keys to schemas, found ${typeName(given)}`, { key: 'contract' })
    return {}
  }
  for (const [key, value] of Array.isArray(given) ? given.map((key: unknown) => [key, 'any'] as const) : Object.entries(given)) {
    const schema = judgeJson(value)
    if (typeof key !== 'string' || key === '')
      findings.wrong(origin, `${name} has an entry that is no key: ${typeName(key)}`, { key: 'contract' })
    else if ('value' in schema && (typeof schema.value === 'string' || isObject(schema.value))) made.push([key, schema.value])
    else
      findings.wrong(origin, `${name}.${key} must be the name of a schema or a JSON Schema, found ${typeName(value)}`, { key: 'contract' })
  }
  return Object.fromEntries(made)
}

function checkDisjoint(contract: JsonObject, origin: Origin, findings: Findings): void {
  const first = new Map<string, string>()
  for (const map of Object.keys(MAPS)) {
    for (const key of Object.keys((contract[map] as JsonObject | undefined) ?? {})) {
      const other = first.get(key)
      if (other === undefined) first.set(key, map)
      else {
        const fix = 'write a key that is read and written into inouts alone'
        findings.wrong(origin, `the contract has ${quote(key)} in ${other} and in ${map}`, { key: 'contract', fix })
      }
    }
  }
}
