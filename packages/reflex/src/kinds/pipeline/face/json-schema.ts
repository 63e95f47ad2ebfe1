import type { JsonObject } from '../../../kernel/index.ts'
import { checkArguments } from '../../../text/index.ts'
import { SOME_OPTIONS } from '../dot/argument-forms.ts'
import type { AttributeRow } from '../model/attribute-row.ts'
import { type HostOperations, operationsOf } from '../operations/built-in.ts'

const TEXT: JsonObject = { type: 'string' }
const LIST: JsonObject = { type: ['string', 'array'], items: TEXT }

/** The JSON values of each attribute type. Every value can also be text, as in DOT. */
const VALUES: Readonly<Record<Exclude<AttributeRow['type'], 'words'>, JsonObject>> = {
  text: { type: ['string', 'number', 'boolean'] },
  int: { type: ['integer', 'string'] },
  number: { type: ['number', 'string'] },
  bool: { enum: [true, false, 'true', 'false'] },
  duration: { type: ['number', 'string'] },
  seconds: { type: ['number', 'string'] },
  csv: LIST,
  json: { type: ['string', 'object', 'array'] },
  node: TEXT,
  key: TEXT,
  keys: LIST,
  path: TEXT,
}

/** Custom attributes can have any name. */
const CUSTOM: JsonObject = { type: ['string', 'number', 'boolean', 'object', 'array'] }

/**
 * Returns the JSON Schema (draft-07) of the object that `pipeline` accepts. It is generated from the operations that check
 * every pipeline, with those of the host.
 */
export function pipelineSchema(host: Pick<HostOperations, 'operations'> = {}): JsonObject {
  checkArguments('pipelineSchema', { host: [host, SOME_OPTIONS] })
  const { rows } = operationsOf(host)
  const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` })
  const ends = {
    from: { type: 'string', description: 'The node that it leaves' },
    to: { type: 'string', description: 'The node that it leads to' },
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'urn:reflex:pipeline',
    title: 'Reflex pipeline',
    type: 'object',
    required: ['nodes', 'edges'],
    properties: {
      ...attributesOf(rows, 'graph'),
      id: { type: 'string', description: 'The name by which other programs call it' },
      nodes: { type: 'object', additionalProperties: ref('node'), description: 'The nodes, by id' },
      edges: {
        type: 'array',
        items: { anyOf: [ref('chain'), ref('edge')] },
        description: 'The edges; people see the choices in this order',
      },
    },
    additionalProperties: CUSTOM,
    definitions: {
      node: { type: 'object', properties: attributesOf(rows, 'node'), additionalProperties: CUSTOM },
      chain: { type: 'array', items: TEXT, minItems: 2, description: 'Edges from each node to the next' },
      edge: {
        type: 'object',
        required: ['from', 'to'],
        properties: { ...attributesOf(rows, 'edge'), ...ends },
        additionalProperties: CUSTOM,
      },
    },
  }
}

/** Returns the attributes of a graph, node or edge by name. Several operations may read the same name. */
function attributesOf(all: readonly AttributeRow[], on: AttributeRow['on']): JsonObject {
  const rows = all.filter((row) => row.on === on && !row.name.endsWith('.*'))
  const named = rows.flatMap((row) => [row.name, ...row.aliases].map((name) => ({ name, row })))
  const groups = Map.groupBy(named, ({ name }) => name)
  return Object.fromEntries(
    [...groups].map(([name, same]) => [
      name,
      attributeOf(
        name,
        same.map(({ row }) => row),
      ),
    ]),
  )
}

function attributeOf(name: string, rows: readonly AttributeRow[]): JsonObject {
  const values = [...new Map(rows.map((row) => [JSON.stringify(valueOf(row)), valueOf(row)])).values()]
  const does = [...new Set(rows.map((row) => (row.name === name ? row.does : `The same as ${row.name}: ${row.does}`)))].join(' ')
  const usual = [...new Set(rows.map((row) => row.usual))].filter((text) => text !== '').join(', ')
  const description = usual === '' ? does : `${does} Default: ${usual}.`
  const [only, ...others] = values
  return only !== undefined && others.length === 0 ? { ...only, description } : { anyOf: values, description }
}

function valueOf({ type, words }: AttributeRow): JsonObject {
  return type === 'words' ? { enum: [...words] } : VALUES[type]
}
