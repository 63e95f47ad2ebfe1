import { isList, isObject, type Json } from '../../../kernel/journal/json.ts'
import { quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Finding } from './finding.ts'
import { type Mention, mentionsOf, pathInWords, stretchOf } from './mentions.ts'
import type { Sheet } from './sheet.ts'

const DEEPEST = 16

/** Reads of a part of a value that the schema of its key does not have (seed workflow 6.3). */
export function unknownParts(sheet: Sheet): Finding[] {
  const seen = new Set<string>()
  return mentionsOf(sheet).flatMap((mention): Finding[] => {
    const { key, path, nodeId, who, at, ofItem } = mention
    const schema = ofItem || path.length === 0 ? undefined : sheet.schema(key)
    const lack = schema === undefined ? undefined : lackOf(schema, path)
    if (lack === undefined) return []
    const id = JSON.stringify([at, key, path])
    if (seen.has(id)) return []
    seen.add(id)
    const owner = pathInWords({ key, path: path.slice(0, lack.step) })
    const word = String(path[lack.step])
    const meant = suggest(word, lack.names)
    // Who asks for what is not listed, and goes on without it, may know more than the schema.
    if (mention.perhaps && meant === undefined && lack.names.length > 0) return []
    return [
      {
        rule: 'UNKNOWN_PART',
        nodeId,
        key,
        message: `${who} reads ${quote(pathInWords(mention))}, and the board gives ${quote(owner)} no ${quote(word)}`,
        path: at,
        within: stretchOf(mention, lack.step + 1),
        fix: lack.names.length === 0 ? `read ${quote(owner)} itself` : `write one of ${quoteAll(lack.names)}, or add it to the schema`,
        guess: () => meant,
      },
    ]
  })
}

interface Lack {
  /** The first step that leads nowhere. */
  readonly step: number
  /** What could have stood there. */
  readonly names: readonly string[]
}

/** Where a path leads out of what a schema lists; undefined where it leads somewhere, or where nobody knows. */
function lackOf(schema: Json, path: Mention['path']): Lack | undefined {
  let at: readonly Json[] = [schema]
  for (const [step, name] of path.entries()) {
    const inside = at.map((one) => into(one, name, 0))
    if (inside.some((one) => one === 'anything')) return undefined
    const next = inside.flatMap((one) => (one === 'anything' ? [] : one.next))
    if (next.length === 0) return { step, names: [...new Set(inside.flatMap((one) => (one === 'anything' ? [] : one.names)))] }
    at = next
  }
  return undefined
}

type Inside = 'anything' | { readonly next: readonly Json[]; readonly names: readonly string[] }

const NOTHING: Inside = { next: [], names: [] }

/** What stands in a value of a schema under a name; a part of a schema that is not understood may hold anything. */
function into(schema: Json, name: string | number, depth: number): Inside {
  if (!isObject(schema) || depth > DEEPEST) return schema === false ? NOTHING : 'anything'
  if (['$ref', 'allOf', 'if', 'not', 'patternProperties', 'dependentSchemas'].some((word) => schema[word] !== undefined)) return 'anything'
  const options = schema.anyOf ?? schema.oneOf
  if (isList(options)) {
    if (schema.properties !== undefined) return 'anything'
    return joined(options.map((option) => into(option, name, depth + 1)))
  }
  if (isList(schema.enum) || schema.const !== undefined) return ofValues(isList(schema.enum) ? schema.enum : [schema.const ?? null])
  const types = isList(schema.type) ? schema.type : schema.type === undefined ? undefined : [schema.type]
  if (types === undefined) return schema.properties === undefined ? 'anything' : inObject(schema, name)
  return joined(types.map((type) => (type === 'object' ? inObject(schema, name) : type === 'array' ? inList(schema, name) : NOTHING)))
}

function joined(all: readonly Inside[]): Inside {
  if (all.includes('anything')) return 'anything'
  const known = all.flatMap((one) => (one === 'anything' ? [] : [one]))
  return { next: known.flatMap(({ next }) => next), names: known.flatMap(({ names }) => names) }
}

/** Values that are no objects or lists have nothing in them. */
function ofValues(values: readonly Json[]): Inside {
  return values.some((value) => typeof value === 'object' && value !== null) ? 'anything' : NOTHING
}

function inObject({ properties, additionalProperties }: Record<string, Json | undefined>, name: string | number): Inside {
  const names = isObject(properties) ? Object.keys(properties) : []
  if (isObject(properties) && Object.hasOwn(properties, name)) return { next: [properties[name] ?? true], names }
  // Where nothing is listed, or more is said to be allowed, anything may be there.
  if (additionalProperties === false) return { next: [], names }
  return names.length === 0 || additionalProperties !== undefined ? 'anything' : { next: [], names }
}

function inList({ items, prefixItems }: Record<string, Json | undefined>, name: string | number): Inside {
  if (name === 'length') return { next: [{ type: 'integer' }], names: [] }
  if (prefixItems !== undefined || isList(items)) return 'anything'
  return /^(0|[1-9]\d*)$/.test(String(name)) ? { next: [items ?? true], names: [] } : NOTHING
}
