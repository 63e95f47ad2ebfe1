import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { Tools } from './registry.ts'
import type { Tool } from './tool.ts'

/** A tool as a model is offered it. */
export interface Offer {
  /** Its own name. */
  readonly tool: string
  /** The name that models call it by: providers take letters, digits, dashes and underscores alone. */
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly schema: JsonObject
}

/** A tool by its own name, or by the name that models call it by. */
export function offeredTool(tools: Tools, name: string): Tool | undefined {
  return tools.find(name) ?? tools.names().flatMap((offered) => (modelToolName(offered) === name ? [tools.get(offered)] : []))[0]
}

/** Returns how a tool is offered: without the arguments that only an author writes; undefined for a tool that cannot be called without them. */
export function offerOf({ name, description, input, authored = [] }: Tool): Offer | undefined {
  const schema = schemaOf(input)
  const { required, properties } = schema
  if (isList(required) && authored.some((argument) => required.includes(argument))) return undefined
  const kept = isObject(properties) ? Object.entries(properties).filter(([argument]) => !authored.includes(argument)) : undefined
  const offered = authored.length === 0 || kept === undefined ? schema : { ...schema, properties: Object.fromEntries(kept) }
  return { tool: name, name: modelToolName(name), description, schema: offered }
}

export function modelToolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}

/** A validator that tells its JSON Schema, as Standard JSON Schema has it. */
interface JsonSchemaSource {
  readonly '~standard': { readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => Json } }
}

/** The schema of arguments; any object where the tool does not tell, since the tool checks them itself. */
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
