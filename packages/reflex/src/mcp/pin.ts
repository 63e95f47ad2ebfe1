import { join } from 'node:path'
import { equalJson, isFault } from '../kernel/index.ts'
import type { PinnedServer } from '../policy/index.ts'
import { storeList } from './list-file.ts'
import { packageOf } from './package-hash.ts'
import { McpServer } from './server.ts'
import type { McpServers } from './servers.ts'
import { pinLine } from './settings.ts'
import { listDifferences, listHash, type ListedTool } from './tool-list.ts'

/** A server with the list of its tools, ready to be allowed. */
export interface Pin {
  readonly name: string
  /** The name and version that the server states. */
  readonly server: string
  readonly tools: readonly ListedTool[]
  readonly entry: PinnedServer
  /** The entry for "mcp" of a policy file. */
  readonly line: string
  /** The files that the hash of the package covers. */
  readonly files: readonly string[]
  /** The file into which the list of tools was written. */
  readonly list: string
  /** The differences from the list that is pinned now. */
  readonly differences: readonly string[]
  /** True if the policy has this entry already. */
  readonly isCurrent: boolean
}

/**
 * Starts a server, reads its tools, and stops it. Writes the list of tools into `reflex.mcp.json` and changes no policy. This starts the
 * command of a settings file, so only a person asks for it. Throws the faults of a server that cannot be used.
 */
export async function pinServer(servers: McpServers, name: string): Promise<Pin> {
  const spec = servers.specOf(name)
  const { machine } = servers
  const before = servers.pinned(name)
  const place = { cwd: join(machine.workdir, spec.cwd ?? '.'), environment: machine.environment }
  const files = spec.url === undefined ? packageOf(name, spec, place) : undefined
  const kept = before === undefined ? {} : chosenBy(before)
  const draft = { ...spec, ...kept, ...(files === undefined ? {} : { package: files.hash }), tools: '' }
  const { found, isPrivate } = await readTools(name, draft, servers)
  const entry: PinnedServer = { ...draft, ...(isPrivate ? { private: true } : {}), tools: listHash(found.tools) }
  const old = servers.pinnedList(name)
  return {
    name,
    server: found.version,
    tools: found.tools,
    entry,
    line: pinLine(name, entry),
    files: files?.paths ?? [],
    list: storeList(servers.listFolder, name, found.tools, before?.tools),
    differences: old === undefined ? [] : listDifferences(old, found.tools),
    isCurrent: before !== undefined && equalJson({ ...before }, { ...entry }),
  }
}

interface Found {
  readonly tools: readonly ListedTool[]
  readonly version: string
}

/** Reads the tools of a server. A private address is reached too, and the entry then says so: the person who adds it decides. */
async function readTools(
  name: string,
  draft: PinnedServer,
  servers: McpServers,
): Promise<{ readonly found: Found; readonly isPrivate: boolean }> {
  try {
    return { found: await toolsNow(name, draft, servers), isPrivate: false }
  } catch (thrown) {
    if (!isFault(thrown) || thrown.code !== 'R4512' || draft.private === true) throw thrown
    return { found: await toolsNow(name, { ...draft, private: true }, servers), isPrivate: true }
  }
}

async function toolsNow(name: string, spec: PinnedServer, { machine }: McpServers): Promise<Found> {
  const server = new McpServer(name, spec, undefined, machine)
  try {
    return await server.with(spec.sandbox ?? 'none', async (connection) => ({
      tools: await connection.list(),
      version: connection.version,
    }))
  } finally {
    await server.close()
  }
}

/** Returns what the operator has chosen for a server beside its identity and its hashes. */
function chosenBy({ trusted, private: isPrivate, roots, sandbox, timeout }: PinnedServer): Partial<PinnedServer> {
  return {
    ...(timeout === undefined ? {} : { timeout }),
    ...(trusted === undefined ? {} : { trusted }),
    ...(isPrivate === undefined ? {} : { private: isPrivate }),
    ...(roots === undefined ? {} : { roots }),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}
