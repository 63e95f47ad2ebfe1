import { isList, isObject, type Json } from '../../../kernel/index.ts'
import { quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Finding } from './finding.ts'
import { type Mention, mentionsOf, mentionText, spanOf } from './mentions.ts'
import type { Layout } from './layout.ts'

const DEEPEST = 16

/** Returns the findings about reads of a part of a value that the schema of its key does not have (seed workflow 6.3). */
export function unknownParts(layout: Layout): Finding[] {
  const seen = new Set<string>()
  return mentionsOf(layout).flatMap((mention): Finding[] => {
    const { key, path, nodeId, reader, at, ofItem } = mention
    const schema = ofItem || path.length === 0 ? undefined : layout.schema(key)
    const missing = schema === undefined ? undefined : missingStep(schema, path)
    if (missing === undefined) return []
    const id = JSON.stringify([at, key, path])
    if (seen.has(id)) return []
    seen.add(id)
    const owner = mentionText({ key, path: path.slice(0, missing.step) })
    const name = String(path[missing.step])
    const meant = suggest(name, missing.names)
    // An optional read of an unlisted part may know more than the schema.
    if (mention.isOptional && meant === undefined && missing.names.length > 0) return []
    return [
      {
        rule: 'UNKNOWN_PART',
        nodeId,
        key,
        message: `${reader} reads ${quote(mentionText(mention))}, but the schema of ${quote(owner)} has no ${quote(name)}`,
        path: at,
        within: spanOf(mention, missing.step + 1),
        fix:
          missing.names.length === 0 ? `read ${quote(owner)} itself` : `write one of ${quoteAll(missing.names)}, or add it to the schema`,
        guess: () => meant,
      },
    ]
  })
}

interface MissingStep {
  /** The index of the first step that has no schema. */
  readonly step: number
  /** The names that are possible at this step. */
  readonly names: readonly string[]
}

/** Returns the first step of a path that a schema does not list; undefined if all are listed, or if that is unknown. */
function missingStep(schema: Json, path: Mention['path']): MissingStep | undefined {
  let at: readonly Json[] = [schema]
  for (const [step, name] of path.entries()) {
    const parts = at.map((item) => stepInto(item, name, 0))
    if (parts.some((item) => item === 'anything')) return undefined
    const next = parts.flatMap((item) => (item === 'anything' ? [] : item.next))
    if (next.length === 0) return { step, names: [...new Set(parts.flatMap((item) => (item === 'anything' ? [] : item.names)))] }
    at = next
  }
  return undefined
}

type PartSchemas = 'anything' | { readonly next: readonly Json[]; readonly names: readonly string[] }

const NO_PARTS: PartSchemas = { next: [], names: [] }

/** Returns the schemas of a part of a value by name. An unknown keyword of a schema allows anything. */
function stepInto(schema: Json, name: string | number, depth: number): PartSchemas {
  if (!isObject(schema) || depth > DEEPEST) return schema === false ? NO_PARTS : 'anything'
  if (['$ref', 'allOf', 'if', 'not', 'patternProperties', 'dependentSchemas'].some((word) => schema[word] !== undefined)) return 'anything'
  const options = schema.anyOf ?? schema.oneOf
  if (isList(options)) {
    if (schema.properties !== undefined) return 'anything'
    return joinParts(options.map((option) => stepInto(option, name, depth + 1)))
  }
  if (isList(schema.enum) || schema.const !== undefined) return partOfValues(isList(schema.enum) ? schema.enum : [schema.const ?? null])
  const types = isList(schema.type) ? schema.type : schema.type === undefined ? undefined : [schema.type]
  if (types === undefined) return schema.properties === undefined ? 'anything' : partOfObject(schema, name)
  return joinParts(
    types.map((type) => (type === 'object' ? partOfObject(schema, name) : type === 'array' ? partOfList(schema, name) : NO_PARTS)),
  )
}

function joinParts(all: readonly PartSchemas[]): PartSchemas {
  if (all.includes('anything')) return 'anything'
  const known = all.flatMap((item) => (item === 'anything' ? [] : [item]))
  return { next: known.flatMap(({ next }) => next), names: known.flatMap(({ names }) => names) }
}

/** Returns the parts of listed values: none if they are neither objects nor lists. */
function partOfValues(values: readonly Json[]): PartSchemas {
  return values.some((value) => typeof value === 'object' && value !== null) ? 'anything' : NO_PARTS
}

function partOfObject({ properties, additionalProperties }: Record<string, Json | undefined>, name: string | number): PartSchemas {
  const names = isObject(properties) ? Object.keys(properties) : []
  if (isObject(properties) && Object.hasOwn(properties, name)) return { next: [properties[name] ?? true], names }
  // If no properties are listed, or others are explicitly allowed, any part may exist.
  if (additionalProperties === false) return { next: [], names }
  return names.length === 0 || additionalProperties !== undefined ? 'anything' : { next: [], names }
}

function partOfList({ items, prefixItems }: Record<string, Json | undefined>, name: string | number): PartSchemas {
  if (name === 'length') return { next: [{ type: 'integer' }], names: [] }
  if (prefixItems !== undefined || isList(items)) return 'anything'
  return /^(0|[1-9]\d*)$/.test(String(name)) ? { next: [items ?? true], names: [] } : NO_PARTS
}
