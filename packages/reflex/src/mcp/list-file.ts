import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { mcpFaults } from './faults.ts'
import { type ListedTool, listHash, readToolList } from './tool-list.ts'

/** The name of the file with lists of tools, beside the settings or the policy. Its content is found by hash, so it needs no trust. */
export const LIST_FILE = 'reflex.mcp.json'

/** Returns the list of tools with a hash, from the first folder that has it; undefined if none has. */
export function findList(server: string, hash: string, folders: readonly string[]): readonly ListedTool[] | undefined {
  for (const folder of folders) {
    const list = listsIn(join(folder, LIST_FILE), server)[hash]
    if (list === undefined) continue
    const tools = validList(server, list)
    if (tools !== undefined && listHash(tools) === hash) return tools
  }
  return undefined
}

function validList(server: string, list: Json): readonly ListedTool[] | undefined {
  try {
    return readToolList(server, list)
  } catch {
    return undefined
  }
}

function serversIn(file: string): JsonObject {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Json
    return isObject(value) && isObject(value['servers']) ? value['servers'] : {}
  } catch {
    return {}
  }
}

/** Returns the lists of one server by their hashes. */
function listsIn(file: string, server: string): JsonObject {
  const servers = serversIn(file)
  const lists = Object.hasOwn(servers, server) ? servers[server] : undefined
  return isObject(lists) ? lists : {}
}

/** Writes a list of tools into the file of a folder. Of the server's other lists, that with the hash `kept` stays. Returns the path of the file. Throws `R4514` if it cannot be written. */
export function storeList(folder: string, server: string, tools: readonly ListedTool[], kept: string | undefined): string {
  const file = join(folder, LIST_FILE)
  const before = Object.entries(listsIn(file, server)).filter(([hash]) => hash === kept)
  const lists = Object.fromEntries([...before, [listHash(tools), tools as unknown as Json]])
  const servers = Object.fromEntries(Object.entries({ ...serversIn(file), [server]: lists }).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  try {
    writeFileSync(file, `${JSON.stringify({ v: 1, servers }, null, 2)}\n`)
  } catch (cause) {
    throw mcpFaults.make('R4514', `${file} cannot be written`, { file, cause, fix: 'grant the permission to write it' })
  }
  return file
}
