import { canonicalJson, copyJson, digest, equalJson, isFault, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { mcpFaults } from './faults.ts'

/** A tool as its server declares it. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
}

const MOST_TOOLS = 500
const MOST_CHARACTERS = 2_000_000
const KEPT = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/**
 * Returns the tools of a server as data, sorted by name, with the parts that programs and models see. Throws `R4507` for a list that
 * cannot be used, and `R4509` for one that is too large.
 */
export function readToolList(server: string, raw: unknown): readonly ListedTool[] {
  const list = copied(server, raw)
  if (!isList(list)) throw mcpFaults.make('R4507', `the server ${server} lists no tools`)
  if (list.length > MOST_TOOLS || JSON.stringify(list).length > MOST_CHARACTERS)
    throw mcpFaults.make('R4509', `the server ${server} lists more than ${MOST_TOOLS} tools, or ${MOST_CHARACTERS} characters`)
  const tools = list.map((tool) => readTool(server, tool))
  const names = new Set(tools.map(({ name }) => name))
  if (names.size < tools.length) throw mcpFaults.make('R4507', `the server ${server} lists two tools with one name`)
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function copied(server: string, raw: unknown): Json {
  try {
    return copyJson(raw, 'a list of tools')
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    throw mcpFaults.make('R4507', `the list of tools of the server ${server} is not JSON: ${thrown.message}`)
  }
}

function readTool(server: string, tool: Json): ListedTool {
  const { name, inputSchema } = isObject(tool) ? tool : {}
  if (!isObject(tool) || typeof name !== 'string' || name === '' || name.length > 256 || !isObject(inputSchema))
    throw mcpFaults.make('R4507', `the server ${server} lists a tool without a name or a schema of its arguments`)
  return Object.fromEntries(KEPT.flatMap((key) => (tool[key] === undefined ? [] : [[key, tool[key]]]))) as unknown as ListedTool
}

/** Returns the hash of a list of tools: of everything that a program or a model learns of it. */
export function listHash(tools: readonly ListedTool[]): string {
  return `sha256-${digest(canonicalJson(tools as unknown as Json))}`
}

/** Returns the differences between two lists of tools, one text for each tool. */
export function listDifferences(before: readonly ListedTool[], after: readonly ListedTool[]): readonly string[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort()
  return names.flatMap((name) => {
    const [old, fresh] = [before, after].map((list) => list.find((tool) => tool.name === name))
    if (old === undefined) return [`+ ${name}`]
    if (fresh === undefined) return [`- ${name}`]
    const changed = KEPT.filter((key) => !equalJson((old[key] as Json | undefined) ?? null, (fresh[key] as Json | undefined) ?? null))
    return changed.length === 0 ? [] : [`~ ${name}: ${changed.join(', ')}`]
  })
}
