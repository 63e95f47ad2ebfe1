/** The types of TypeScript for schemas of routes, as texts. */
import type { z } from 'zod'
import { schemaOf } from '../packages/reflex/src/serve/openapi.ts'
import { SHARED_DOCUMENTS } from '../packages/reflex/src/protocol/schemas.ts'
import * as shapes from '../packages/reflex/src/protocol/shapes.ts'

/** The part of JSON Schema that schemas of routes use. */
export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly default?: unknown
  readonly pattern?: string
  readonly format?: string
}

/** The parts of documents that have a name of their own. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Fault: shapes.fault,
  Finding: shapes.finding,
  Program: shapes.program,
  Run: shapes.run,
  Question: shapes.question,
  Answered: shapes.answered,
  Line: shapes.line,
  DrawnProgram: shapes.drawnProgram,
  Cause: shapes.cause,
  Segment: shapes.segment,
  Compared: shapes.compared,
  ...Object.fromEntries(
    Object.entries(SHARED_DOCUMENTS).map(([name, schema]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}Document`, schema]),
  ),
}

const ANY = ['array', 'boolean', 'null', 'number', 'object', 'string'].join()

/** Writes schemas as types, and keeps the interfaces that they need. */
export class TypeTexts {
  readonly #names = new Map<string, string>()
  readonly #interfaces = new Map<string, string>()
  #defs: Readonly<Record<string, Schema>> = {}
  #root: Schema = {}

  constructor() {
    for (const [name, schema] of Object.entries(NAMED)) this.#names.set(keyOf(schemaOf(schema, 'output')), name)
  }

  /** The interfaces so far, by name. */
  get interfaces(): readonly string[] {
    return [...this.#interfaces].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  }

  /** Returns the type of a schema. */
  of(schema: z.ZodType, io: 'input' | 'output'): string {
    this.#root = schemaOf(schema, io)
    this.#defs = this.#root.$defs ?? {}
    return this.#text(this.#root)
  }

  /** Returns the type of a part of the schema of a request. */
  ofPart(schema: z.ZodType, part: Schema): string {
    this.#root = schemaOf(schema)
    this.#defs = this.#root.$defs ?? {}
    return this.#text(part)
  }

  /** Adds an interface for a schema of an object under a name. Returns the name. */
  named(name: string, schema: z.ZodType, io: 'input' | 'output'): string {
    const text = this.of(schema, io)
    if (/^\w+$/.test(text)) return text
    this.#interfaces.set(name, this.#root.type === 'object' ? `export interface ${name} ${text}` : `export type ${name} = ${text}`)
    return name
  }

  #text(schema: Schema): string {
    if (schema.$ref !== undefined) return this.#text(schema.$ref === '#' ? this.#root : this.#resolve(schema.$ref))
    const name = this.#names.get(keyOf(schema))
    if (name === undefined) return this.#plain(schema)
    if (!this.#interfaces.has(name)) {
      // A recursive type names itself.
      this.#interfaces.set(name, '')
      const { description } = name.endsWith('Document') ? {} : (schemaOf(NAMED[name] ?? SHARED_DOCUMENTS.error) as Schema)
      this.#interfaces.set(name, `${docText(description)}export interface ${name} ${this.#plain(schema)}`)
    }
    return name
  }

  #resolve(ref: string): Schema {
    return this.#defs[ref.slice(ref.lastIndexOf('/') + 1)] ?? {}
  }

  #plain(schema: Schema): string {
    const { type, anyOf, oneOf, allOf, items, prefixItems } = schema
    if ('const' in schema) return JSON.stringify(schema.const)
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
    const union = anyOf ?? oneOf
    if (union !== undefined) {
      if (
        union
          .map((one) => String(one.type ?? ''))
          .toSorted()
          .join() === ANY
      )
        return 'Json'
      return [...new Set(union.map((one) => this.#text(one)))].join(' | ')
    }
    if (allOf !== undefined) return allOf.map((one) => this.#text(one)).join(' & ')
    if (prefixItems !== undefined) return `readonly [${prefixItems.map((one) => this.#text(one)).join(', ')}]`
    if (type === 'array') return `readonly ${inBrackets(this.#text(items ?? {}))}[]`
    if (type === 'object') return this.#object(schema)
    if (type === undefined) return 'Json'
    return (typeof type === 'string' ? [type] : type).map((one) => (one === 'integer' ? 'number' : one)).join(' | ')
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema): string {
    const fields = Object.entries(properties).map(([name, property]) => {
      const isRequired = required.includes(name)
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
      return `${docText(property.description)}readonly ${key}${isRequired ? '' : '?'}: ${this.#text(property)}`
    })
    const isOpen = additionalProperties !== undefined && additionalProperties !== false
    // Beside named fields, whose types are narrower, a further one can be anything.
    const values = fields.length > 0 ? 'unknown' : typeof additionalProperties === 'object' ? this.#text(additionalProperties) : 'Json'
    const rest = isOpen ? [`readonly [key: string]: ${values}`] : []
    const all = [...fields, ...rest]
    return all.length === 0 ? '{ readonly [key: string]: never }' : `{\n${all.join('\n')}\n}`
  }
}

/** Returns a doc block. */
export function docText(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`
}

function inBrackets(text: string): string {
  return /^\w+$/.test(text) ? text : `(${text})`
}

/** Two schemas are the same type if only their descriptions differ. */
function keyOf(schema: Schema): string {
  return JSON.stringify(schema, (key, value: unknown) =>
    key === '$defs' ? undefined : key === 'description' ? undefined : key === '$ref' ? '#' : value,
  )
}
