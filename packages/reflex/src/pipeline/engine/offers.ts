import { isList, isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Call, Port } from '../../kernel/port.ts'
import { type Tool, toolCapability, type Tools } from '../../tools/index.ts'

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

/** What the port `offers` answers. */
export interface Offers {
  readonly offers: readonly Offer[]
  /** Names that nothing has. */
  readonly unknown: readonly string[]
  /** Tools that were named and that no model may call: what they cannot do without, only an author writes. */
  readonly withheld: readonly string[]
}

/**
 * The port `offers`: `{tools?: [name]}`; its result says how the tools of these names are offered to a model, without
 * names all that the policy may grant to the run. Asking grants nothing: each call is judged when it is made.
 */
export function offersPort(of: Tools | ((run: string) => Tools), allows: (call: Call, capability: string) => boolean): Port {
  return {
    leaves: false,
    repeat: 'free',
    perform(call): Offers {
      const tools = typeof of === 'function' ? of(call.run) : of
      const asked = isObject(call.args) && isList(call.args['tools']) ? call.args['tools'].map(String) : undefined
      if (asked === undefined) {
        const names = tools.names().filter((name) => allows(call, toolCapability(name)))
        return { offers: names.flatMap((name) => offerOf(tools.get(name)) ?? []), unknown: [], withheld: [] }
      }
      const found = [...new Set(asked)].map((name) => [name, find(tools, name)] as const)
      const offered = found.map(([name, tool]) => [name, tool, tool === undefined ? undefined : offerOf(tool)] as const)
      return {
        offers: offered.flatMap(([, , offer]) => offer ?? []),
        unknown: offered.flatMap(([name, tool]) => (tool === undefined ? [name] : [])),
        withheld: offered.flatMap(([name, tool, offer]) => (tool !== undefined && offer === undefined ? [name] : [])),
      }
    },
  }
}

/** A tool by its own name, or by the name that models call it by. */
function find(tools: Tools, name: string): Tool | undefined {
  return tools.find(name) ?? tools.names().flatMap((own) => (calledName(own) === name ? [tools.get(own)] : []))[0]
}

/** A tool without the arguments that only an author writes; nothing for one that cannot be called without them. */
function offerOf({ name, description, input, authored = [] }: Tool): Offer | undefined {
  const schema = schemaOf(input)
  const { required, properties } = schema
  if (isList(required) && authored.some((argument) => required.includes(argument))) return undefined
  const kept = isObject(properties) ? Object.entries(properties).filter(([argument]) => !authored.includes(argument)) : undefined
  const own = authored.length === 0 || kept === undefined ? schema : { ...schema, properties: Object.fromEntries(kept) }
  return { tool: name, name: calledName(name), description, schema: own }
}

/** The name by which models call a tool. */
export function calledName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}

/** A validator that tells its JSON Schema, as Standard JSON Schema has it. */
interface Telling {
  readonly '~standard': { readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => Json } }
}

/** The schema of arguments; any object where the tool does not tell, since the tool checks them itself. */
function schemaOf(input: Tool['input']): JsonObject {
  let told: Json | undefined
  try {
    told = (input as Telling | undefined)?.['~standard'].jsonSchema?.input?.({ target: 'draft-07' })
  } catch {
    told = undefined
  }
  if (!isObject(told)) return { type: 'object' }
  const { $schema: _, ...schema } = told
  return schema
}
