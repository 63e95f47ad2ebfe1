import { join } from 'node:path'
import { canonicalJson, digest, type Fault, isFault, type Json, type JsonObject, type Repeat, type Validator } from '../kernel/index.ts'
import { schemaIssues } from '../text/json-schema/check.ts'
import { checkablePart, schemaFindings } from '../text/json-schema/schema-findings.ts'
import { writeWhole } from '../tools/full-output.ts'
import { UNSANDBOXED_CAPABILITY } from '../tools/capability.ts'
import type { Tool, ToolCall } from '../tools/tool.ts'
import { callTool } from './call.ts'
import { resultOf } from './result.ts'
import type { Confinement, McpServer } from './server.ts'
import type { ListedTool } from './tool-list.ts'

/** The most characters of a name, so that models can be offered it whole. */
const MOST_NAME = 64
const MOST_DESCRIPTION = 4_000

/** Returns the name of a tool in Reflex. Other characters than letters, digits, points, dashes and underscores become underscores, and a hash follows. */
export function toolName(server: string, tool: string): string {
  const name = `mcp.${server}.${tool.replace(/[^\w.-]/g, '_')}`
  if (name.length <= MOST_NAME && name === `mcp.${server}.${tool}`) return name
  return `${name.slice(0, MOST_NAME - 9)}-${digest(tool).slice(0, 8)}`
}

/** Returns the rule for repeating a call: the annotations of a trusted server, else a person decides. */
export function repeatOf({ annotations = {} }: ListedTool, isTrusted: boolean): Repeat {
  if (!isTrusted) return 'ask'
  if (annotations['readOnlyHint'] === true) return 'free'
  return annotations['idempotentHint'] === true ? 'keyed' : 'ask'
}

/** Returns the tools of a server for programs. `sample`: returns a value that fits a schema, for simulated runs. */
export function toolsOf(server: McpServer, list: readonly ListedTool[], sample: (schema: JsonObject) => Json): readonly Tool[] {
  return list.map((tool) => toolOf(server, tool, sample))
}

function toolOf(server: McpServer, tool: ListedTool, sample: (schema: JsonObject) => Json): Tool {
  const { spec } = server
  const repeat = repeatOf(tool, spec.trusted === true)
  const check = checkerOf()
  return {
    name: toolName(server.name, tool.name),
    description: (tool.description ?? tool.title ?? tool.name).slice(0, MOST_DESCRIPTION),
    outside: true,
    leaves: true,
    repeat,
    input: validatorOf(tool.inputSchema, check),
    simulates: () => ({
      text: `[Simulated] ${tool.name}`,
      ...(tool.outputSchema === undefined ? {} : { data: sample(tool.outputSchema) }),
    }),
    says: (_, result) => saysOf(result),
    async run(args, call) {
      const confinement = confinementOf(server, call)
      const raw = await callTool({ server, tool, repeat, confinement }, args as JsonObject, call)
      return resultOf(server.name, tool, raw, check, (name, bytes) => writeWhole(join(call.runFolder, 'mcp', name), bytes, call))
    },
  }
}

/** A run that may start commands without a sandbox uses a server without one, unless the policy says otherwise. */
function confinementOf({ spec }: McpServer, call: ToolCall): Confinement {
  if (spec.url !== undefined) return 'none'
  return spec.sandbox ?? (call.allows(UNSANDBOXED_CAPABILITY) ? 'none' : 'strict')
}

function saysOf(result: Json): string {
  const text = canonicalJson(result)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

type Check = (schema: JsonObject, value: Json) => readonly string[]

/** Returns the checker of values against schemas of a server. Parts of a schema that cannot be checked are left to the server. */
function checkerOf(): Check {
  const usable = new Map<JsonObject, JsonObject | Fault>()
  return (schema, value) => {
    let known = usable.get(schema)
    if (known === undefined) {
      const part = checkablePart(schema)
      const [finding] = schemaFindings({ schema: part })
      known = finding ?? part
      usable.set(schema, known)
    }
    if (isFault(known)) return [`the schema of the server cannot be used: ${known.message}`]
    return schemaIssues(known, value).map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
  }
}

function validatorOf(schema: JsonObject, check: Check): Validator {
  const standard = {
    version: 1 as const,
    vendor: 'reflex',
    validate: (value: unknown) => {
      const issues = check(schema, value as Json)
      return issues.length === 0 ? { value } : { issues: issues.map((message) => ({ message })) }
    },
    jsonSchema: { input: () => schema },
  }
  return { '~standard': standard }
}
