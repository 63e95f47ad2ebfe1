import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { copyJson, isFault, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { mcpFaults } from './faults.ts'
import type { ListedTool } from './tool-list.ts'

/** Stores bytes by their hash in the run's folder. Returns the path of the file. */
export type KeepBytes = (name: string, bytes: Uint8Array) => Promise<string>

const MOST_CHARACTERS = 1_000_000
const MOST_PARTS = 1_000

/**
 * Returns the result of a tool as programs get it: `{text, data?, parts?}`. `text`: all texts; `data`: its structured content; `parts`:
 * images, sound, links and resources. Bytes become files of the run's folder, named by their SHA-256. Throws `R4508` for a failure that
 * the tool reports, `R4507` for a result that does not fit, `R4509` for one that is too large.
 */
export async function resultOf(server: string, tool: ListedTool, raw: unknown, fits: Fits, keep: KeepBytes): Promise<Json> {
  const named = `${tool.name} of the server ${server}`
  const result = copied(raw, named)
  const { content = [], structuredContent: data, isError } = isObject(result) ? result : {}
  if (!isObject(result) || !isList(content)) throw mcpFaults.make('R4507', `${named} returned no result`)
  if (content.length > MOST_PARTS) throw mcpFaults.make('R4509', `${named} returned more than ${MOST_PARTS} parts`)
  const text = content.flatMap(textsOf).join('\n')
  if (isError === true) throw mcpFaults.make('R4508', `${named} failed: ${text.slice(0, 2_000) || 'it gives no reason'}`)
  if (tool.outputSchema !== undefined) checkData(named, tool.outputSchema, data, fits)
  const parts: JsonObject[] = []
  for (const part of content) parts.push(...(await partsOf(part, named, keep)))
  const made = { text, ...(data === undefined ? {} : { data }), ...(parts.length === 0 ? {} : { parts }) }
  if (JSON.stringify(made).length > MOST_CHARACTERS)
    throw mcpFaults.make('R4509', `${named} returned more than ${MOST_CHARACTERS} characters`)
  return made
}

/** Returns what is wrong with a value under a schema; empty if it fits. */
export type Fits = (schema: JsonObject, value: Json) => readonly string[]

function copied(raw: unknown, named: string): Json {
  try {
    return copyJson(raw, named)
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    throw mcpFaults.make('R4507', `${named} returned a result that is not JSON: ${thrown.message}`)
  }
}

function checkData(named: string, schema: JsonObject, data: Json | undefined, fits: Fits): void {
  if (data === undefined) throw mcpFaults.make('R4507', `${named} declares the schema of its result, and returned no structured content`)
  const issues = fits(schema, data)
  if (issues.length > 0)
    throw mcpFaults.make('R4507', `${named} returned a result that does not fit its schema: ${issues.slice(0, 10).join('; ')}`)
}

function textsOf(part: Json): readonly string[] {
  const { type, text, resource } = isObject(part) ? part : {}
  if (type === 'text' && typeof text === 'string') return [text]
  return type === 'resource' && isObject(resource) && typeof resource['text'] === 'string' ? [resource['text']] : []
}

async function partsOf(part: Json, named: string, keep: KeepBytes): Promise<readonly JsonObject[]> {
  if (!isObject(part)) throw mcpFaults.make('R4507', `${named} returned a part that is not an object`)
  const { type, data, mimeType, resource } = part
  if (type === 'text') return []
  if (type === 'image' || type === 'audio') return [{ type, ...(await kept(data, mimeType, named, keep)) }]
  if (type === 'resource_link') return [pick(part, ['type', 'uri', 'name', 'title', 'description', 'mimeType', 'size'])]
  if (type !== 'resource' || !isObject(resource)) return [{ type: typeof type === 'string' ? type : 'unknown' }]
  const facts = { type, ...pick(resource, ['uri', 'mimeType']) }
  return [resource['blob'] === undefined ? facts : { ...facts, ...(await kept(resource['blob'], resource['mimeType'], named, keep)) }]
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])))
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'audio/wav': '.wav',
  'audio/mpeg': '.mp3',
  'application/pdf': '.pdf',
}

async function kept(data: Json | undefined, mimeType: Json | undefined, named: string, keep: KeepBytes): Promise<JsonObject> {
  if (typeof data !== 'string' || /[^A-Za-z0-9+/=\s]/.test(data))
    throw mcpFaults.make('R4507', `${named} returned bytes that are not base64`)
  const bytes = Buffer.from(data, 'base64')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const type = typeof mimeType === 'string' ? mimeType.slice(0, 200) : undefined
  const path = await keep(`${sha256}${ENDINGS[type ?? ''] ?? '.bin'}`, bytes)
  return { ...(type === undefined ? {} : { mimeType: type }), sha256, bytes: bytes.length, path }
}
