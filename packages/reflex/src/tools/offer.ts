import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { Tools } from './registry.ts'
import type { Tool } from './tool.ts'

/** A tool in the form in which a model gets it. */
export interface Offer {
  /** The tool's own name. */
  readonly tool: string
  /** The name by which models call it: providers accept only letters, digits, dashes and underscores. */
  readonly name: string
  readonly description: string
  /** The JSON Schema of its arguments. */
  readonly schema: JsonObject
}

/** Returns a tool by its own name or by the name that models use. */
export function offeredTool(tools: Tools, name: string): Tool | undefined {
  return tools.find(name) ?? tools.names().flatMap((offered) => (modelToolName(offered) === name ? [tools.get(offered)] : []))[0]
}

/**
 * Returns the offer of a tool, without the arguments that only an author writes; undefined for a tool that requires one
 * of these.
 */
export function offerOf({ name, description, input, authored = [] }: Tool): Offer | undefined {
  const schema = schemaOf(input)
  const { required, properties } = schema
  if (isList(required) && authored.some((argument) => required.includes(argument))) return undefined
  const kept = isObject(properties) ? Object.entries(properties).filter(([argument]) => !authored.includes(argument)) : undefined
  const offered = authored.length === 0 || kept === undefined ? schema : { ...schema, properties: Object.fromEntries(kept) }
  return { tool: name, name: modelToolName(name), description, schema: offered }
}

/** Returns the name of a tool for models: letters, digits, dashes and underscores, at most 64 characters. */
export function modelToolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}

/** A validator that declares its JSON Schema, as in Standard JSON Schema. */
interface JsonSchemaSource {
  readonly '~standard': { readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => Json } }
}

/** Returns the schema of the arguments; any object if the tool declares none, because the tool checks them itself. */
function schemaOf(input: Tool['input']): JsonObject {
  let declared: Json | undefined
  try {
    declared = (input as JsonSchemaSource | undefined)?.['~standard'].jsonSchema?.input?.({ target: 'draft-07' })
  } catch {
    declared = undefined
  }
  if (!isObject(declared)) return { type: 'object' }
  const { $schema: _, ...schema } = declared
  return schema
}
