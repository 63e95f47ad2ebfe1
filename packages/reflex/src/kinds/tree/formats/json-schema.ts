import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { NodeManifest, Parameter } from '../manifest/manifest.ts'
import { TREE_FORMAT } from '../model/source.ts'
import { NODES } from '../nodes/table.ts'
import { NAME } from './names.ts'
import { POST_CONDITIONS, PRE_CONDITIONS } from './node-keys.ts'
import { TREE_SETTINGS } from './tree-keys.ts'

const TEXT: JsonObject = { type: 'string' }
const SCHEMAS: JsonObject = {
  description: 'Keys, each with the name of a schema or a JSON Schema.',
  type: 'object',
  additionalProperties: { type: ['string', 'object'] },
}

/** Returns the JSON Schema (draft-07) of `*.tree.json`, for editors and other languages. It describes the normal form. */
export function treeSchema(manifests: readonly NodeManifest[] = NODES): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'urn:reflex:tree',
    title: 'Reflex behaviour tree',
    ...treeObject(),
    definitions: {
      tree: treeObject(),
      contract: contractObject(),
      node: { anyOf: manifests.map(({ type }) => ({ $ref: `#/definitions/${type}_node` })) },
      ...Object.fromEntries(manifests.map((manifest) => [`${manifest.type}_node`, nodeObject(manifest)])),
    },
  }
}

function treeObject(): JsonObject {
  const boardKey = {
    type: 'object',
    additionalProperties: false,
    properties: { type: { type: ['string', 'object'] }, default: {} },
  }
  return {
    type: 'object',
    required: ['id', 'root'],
    additionalProperties: false,
    properties: {
      $schema: { ...TEXT, description: 'The schema of this file, for editors.' },
      format: { const: TREE_FORMAT },
      id: { ...TEXT, pattern: NAME.source, description: 'The name of the tree.' },
      file: { ...TEXT, description: 'The file that the tree was read from.' },
      ...Object.fromEntries(TREE_SETTINGS.map((setting) => [setting.name, valueSchema(setting)])),
      board: {
        description: 'The keys of the blackboard: a schema, { type, default }, or a first value.',
        type: 'object',
        additionalProperties: { anyOf: [boardKey, { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] }] },
      },
      contract: { $ref: '#/definitions/contract' },
      root: { $ref: '#/definitions/node' },
      on_failure: { $ref: '#/definitions/node' },
      trees: { type: 'object', additionalProperties: { $ref: '#/definitions/tree' } },
    },
  }
}

function contractObject(): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      inputs: SCHEMAS,
      optional_inputs: SCHEMAS,
      outputs: SCHEMAS,
      inouts: SCHEMAS,
      description: TEXT,
      on_violation: { enum: ['log', 'fail'] },
    },
  }
}

function nodeObject({ type, children: [least, most], parameters, lua, doc }: NodeManifest): JsonObject {
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name)
  const accepted = lua?.wraps === true ? {} : { maxItems: most }
  return {
    description: doc,
    type: 'object',
    required: ['type', ...(required.length === 0 ? [] : ['params']), ...(least === 0 ? [] : ['children'])],
    additionalProperties: false,
    properties: {
      type: { const: type },
      id: { ...TEXT, pattern: NAME.source },
      name: TEXT,
      description: TEXT,
      metadata: { type: 'object' },
      line: { type: 'integer', description: 'The line of the file from which the node was made.' },
      code_line: { type: 'integer', description: 'The line of the file on which its code begins, if it is another one.' },
      params: { type: 'object', required, additionalProperties: lua?.rest !== undefined, properties: paramsOf(parameters) },
      ...(most === 0 ? {} : { children: { type: 'array', minItems: least, ...accepted, items: { $ref: '#/definitions/node' } } }),
    },
  }
}

function paramsOf(parameters: readonly Parameter[]): JsonObject {
  const assigned = { type: 'object', additionalProperties: TEXT }
  return {
    ...Object.fromEntries(parameters.map((parameter) => [parameter.name, valueSchema(parameter)])),
    contract: { $ref: '#/definitions/contract' },
    ...Object.fromEntries(PRE_CONDITIONS.map((name) => [name, { ...TEXT, description: 'An expression of Lua.' }])),
    ...Object.fromEntries(POST_CONDITIONS.map((name) => [name, { ...assigned, description: 'Keys, each with an expression of Lua.' }])),
  }
}

function valueSchema(parameter: Parameter): JsonObject {
  const { doc, default: first } = parameter
  return { description: doc, ...(first === undefined ? {} : { default: first }), ...typeSchema(parameter) }
}

function typeSchema({ type, least, values = {} }: Parameter): JsonObject {
  switch (type) {
    case 'flag':
      return { type: 'boolean' }
    case 'number':
      return { type: 'number', ...(least === undefined ? {} : { minimum: least }) }
    case 'count':
      return { type: 'integer', minimum: least ?? 0 }
    case 'ms':
      return { type: 'integer', minimum: 1 }
    case 'enum':
      return { enum: Object.keys(values) }
    case 'names':
      return { type: 'array', items: TEXT }
    case 'map': {
      const words = Object.keys(values)
      return { type: 'object', additionalProperties: words.length === 0 ? TEXT : { enum: words } }
    }
    case 'condition':
      return { anyOf: [TEXT, functionCall()] }
    case 'tree':
      return { type: 'string', pattern: NAME.source }
    case 'json':
      return {}
    default:
      return TEXT
  }
}

function functionCall(): JsonObject {
  const args: Json = {}
  return {
    type: 'object',
    required: ['fn'],
    additionalProperties: false,
    properties: { fn: TEXT, args, inputs: { type: 'object', additionalProperties: TEXT } },
  }
}
