import { z } from 'zod'

/** Formats of zod that their pattern in the JSON Schema expresses completely, or that `hasFormat` checks in the same way. */
const PATTERNED: ReadonlySet<string> = new Set([
  'regex',
  'email',
  'uuid',
  'guid',
  'nanoid',
  'cuid',
  'cuid2',
  'ulid',
  'xid',
  'ksuid',
  'e164',
  'datetime',
  'date',
  'time',
  'duration',
  'ipv4',
  'cidrv4',
  'lowercase',
  'uppercase',
  'includes',
  'starts_with',
  'ends_with',
])

/** Types whose JSON Schema expresses less than they do, with the reason. */
const MORE_THAN_SCHEMA: Readonly<Record<string, string>> = {
  transform: 'it changes values',
  pipe: 'it changes values',
  catch: 'it accepts any value',
  custom: 'it is a function',
}

interface ZodDefinition {
  readonly type?: string
  readonly check?: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly coerce?: boolean
  readonly checks?: readonly { readonly _zod: { readonly def: ZodDefinition } }[]
  readonly hostname?: unknown
  readonly protocol?: unknown
}

/**
 * Returns the reason why a schema of zod expresses more than its JSON Schema, or undefined. zod leaves out rules that JSON
 * Schema cannot express, such as a refinement. A program loaded from a store would then check less than its author meant.
 */
export function jsonSchemaLoss(schema: unknown): string | undefined {
  let found: string | undefined
  try {
    z.toJSONSchema(schema as z.core.$ZodType, {
      io: 'input',
      override: ({ zodSchema }) => {
        found ??= definitionLoss(zodSchema['_zod'].def as unknown as ZodDefinition)
      },
    })
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'it has no JSON Schema'
  }
  return found
}

function definitionLoss(def: ZodDefinition): string | undefined {
  const typeLoss = MORE_THAN_SCHEMA[def.type ?? ''] ?? (def.coerce === true ? 'it changes values' : checkLoss(def))
  return typeLoss ?? def.checks?.map((part) => checkLoss(part['_zod'].def)).find((reason) => reason !== undefined)
}

function checkLoss({ check, format, pattern, hostname, protocol }: ZodDefinition): string | undefined {
  if (check === 'custom' || check === 'property' || check === 'mime_type') return 'it has a refinement'
  if (check === 'overwrite') return 'it changes values'
  if (check !== 'string_format') return undefined
  if (format === 'url' && hostname === undefined && protocol === undefined) return undefined
  if (!PATTERNED.has(format ?? '')) return `its format ${format ?? ''} is checked by more than a pattern`
  return (pattern?.flags ?? '') === '' ? undefined : `its pattern has the flag ${pattern?.flags ?? ''}`
}
