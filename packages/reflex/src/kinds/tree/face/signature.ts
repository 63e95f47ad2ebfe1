import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { ProgramSignature } from '../../../programs/kind-view.ts'
import { schemaName, type SchemaName } from '../board/schema-names.ts'
import type { CompiledTree } from '../compile/compiled.ts'

/** The JSON Schemas of the schemas that every tree knows by name. */
const SCHEMAS: Readonly<Record<SchemaName, JsonObject>> = {
  any: {},
  str: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  list: { type: 'array' },
  dict: { type: 'object' },
}

/** Returns the inputs and outputs of a tree: those of its contract, else the keys of its blackboard as inputs. */
export function treeSignature({ source, schemas, defaults, outputs }: CompiledTree): ProgramSignature {
  const { board = {}, contract, description } = source
  const { inputs = {}, optional_inputs: optional = {}, inouts = {}, outputs: results = {} } = contract ?? {}
  const typed = (key: string, type: string | JsonObject | undefined): JsonObject => ({
    ...jsonSchemaOf(type ?? board[key]?.type),
    ...(Object.hasOwn(defaults, key) ? { default: defaults[key] as Json } : {}),
  })
  const taken: Readonly<Record<string, string | JsonObject | undefined>> =
    contract === undefined
      ? Object.fromEntries(Object.entries(board).map(([key, { type }]) => [key, type]))
      : { ...inputs, ...optional, ...inouts }
  const required = Object.keys(inputs).filter((key) => !Object.hasOwn(defaults, key))
  const names = Object.keys(taken).filter((key) => schemas.has(key))
  const given = { ...results, ...inouts }
  return {
    inputs: {
      type: 'object',
      properties: Object.fromEntries(names.map((key) => [key, typed(key, taken[key])])),
      ...(required.length === 0 ? {} : { required }),
    },
    ...(outputs === undefined
      ? {}
      : {
          output: {
            type: 'object',
            properties: Object.fromEntries(outputs.map((key) => [key, jsonSchemaOf(given[key] ?? board[key]?.type)])),
          },
        }),
    ...(description === undefined ? {} : { about: description }),
  }
}

/** Schemas of the host by name are not described: every value may fit them. */
function jsonSchemaOf(type: string | JsonObject | undefined): JsonObject {
  if (isObject(type)) return type
  const name = type === undefined ? undefined : schemaName(type)
  return name === undefined ? {} : SCHEMAS[name]
}
