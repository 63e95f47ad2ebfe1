import { realpathSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import type { Fault, Json, JsonObject } from '../kernel/index.ts'
import type { PinnedServer, PolicyFile, ServerSpec } from '../policy/index.ts'
import type { Tool } from '../tools/tool.ts'
import { mcpFaults } from './faults.ts'
import { findList, LIST_FILE } from './list-file.ts'
import { McpServer, type ServerHost } from './server.ts'
import { allowedServer, refusal, type ServerSettings, shownServer } from './settings.ts'
import type { ListedTool } from './tool-list.ts'
import { toolsOf } from './tools.ts'

/** The servers that a settings file proposes. */
export interface ProposedServers {
  /** The settings file. */
  readonly file: string
  readonly servers: Readonly<Record<string, ServerSpec>>
}

/** The state of one server before it is started, for people. */
export interface ServerState {
  readonly name: string
  /** The command or the address. */
  readonly shown: string
  /** The names of its tools in Reflex; empty if it may not be started. */
  readonly tools: readonly string[]
  /** The reason why its tools cannot be called. */
  readonly fault: Fault | undefined
}

/** The MCP servers of a `Reflex`, and their tools. Nothing is started before a tool is called. */
export class McpServers {
  readonly #settings: ServerSettings
  readonly #servers = new Map<string, McpServer>()
  readonly #lists = new Map<string, readonly ListedTool[]>()
  readonly #machine: ServerHost
  readonly #folders: readonly string[]
  readonly tools: readonly Tool[]

  constructor(
    proposed: ProposedServers | undefined,
    policy: readonly PolicyFile[],
    machine: ServerHost,
    sample: (schema: JsonObject) => Json,
  ) {
    this.#machine = machine
    this.#settings = settingsOf(proposed, policy)
    this.#folders = foldersOf(proposed, policy, machine.workdir)
    this.tools = Object.keys(this.#settings.allowed).flatMap((name) => {
      if (refusal(name, this.#settings) !== undefined) return []
      const spec = allowedServer(name, this.#settings)
      const list = findList(name, spec.tools, this.#folders)
      if (list === undefined) return []
      const server = new McpServer(name, spec, list, machine)
      this.#servers.set(name, server)
      this.#lists.set(name, list)
      return toolsOf(server, list, sample)
    })
  }

  /** The names of all servers, allowed or not. */
  get names(): readonly string[] {
    return [...new Set([...Object.keys(this.#settings.allowed), ...Object.keys(this.#settings.proposed ?? {})])]
  }

  /** Returns the state of each server. Starts nothing. */
  states(): readonly ServerState[] {
    return this.names.map((name) => ({
      name,
      shown: shownServer(this.specOf(name)),
      tools: this.tools.flatMap((tool) => (tool.name.startsWith(`mcp.${name}.`) ? [tool.name] : [])),
      fault: this.#faultOf(name),
    }))
  }

  /** Returns the settings of a server as they would be pinned: those of the settings file, else those of the policy. Throws `R4500`. */
  specOf(name: string): ServerSpec {
    const { proposed = {}, allowed } = this.#settings
    if (Object.hasOwn(proposed, name)) return { ...proposed[name] }
    return Object.hasOwn(allowed, name) ? { ...allowed[name] } : allowedServer(name, this.#settings)
  }

  /** Returns the pinned entry of a server, also of one that the settings file proposes differently. */
  pinned(name: string): PinnedServer | undefined {
    const { allowed } = this.#settings
    return Object.hasOwn(allowed, name) ? allowed[name] : undefined
  }

  /** Returns the list of tools that is pinned now; undefined if none is known. */
  pinnedList(name: string): readonly ListedTool[] | undefined {
    const pinned = this.pinned(name)
    return this.#lists.get(name) ?? (pinned === undefined ? undefined : findList(name, pinned.tools, this.#folders))
  }

  /** The folder of the file of lists: beside the settings file, else beside the policy. */
  get listFolder(): string {
    return this.#folders[0] ?? this.#machine.workdir
  }

  get machine(): ServerHost {
    return this.#machine
  }

  /** Returns the reason why there is no tool with a name; undefined for a name that belongs to no server. */
  explain(tool: string): Fault | undefined {
    const [, name] = /^mcp\.([^.]+)\./.exec(tool) ?? []
    return name === undefined ? undefined : this.#faultOf(name)
  }

  #faultOf(name: string): Fault | undefined {
    const { allowed } = this.#settings
    const refused = refusal(name, this.#settings)
    if (refused !== undefined) return refused
    const pinned = Object.hasOwn(allowed, name) ? allowed[name] : undefined
    if (pinned === undefined || this.#servers.has(name)) return undefined
    return mcpFaults.make('R4515', `the list of tools of the server ${name} (${pinned.tools.slice(0, 19)}…) is in no ${LIST_FILE}`, {
      fix: `reflex mcp pin ${name}`,
      data: { folders: [...this.#folders] },
    })
  }

  /** Stops all servers. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()))
  }
}

/** A policy file in the folder of the settings file, or below it, may have come with the programs: its servers do not count. */
function settingsOf(proposed: ProposedServers | undefined, policy: readonly PolicyFile[]): ServerSettings {
  const named = policy.filter(({ mcp }) => mcp !== undefined)
  const isBeside = ({ file }: PolicyFile): boolean =>
    proposed !== undefined && file !== undefined && isInside(dirname(realOrSame(proposed.file)), realOrSame(resolve(file)))
  const allowed = Object.assign({}, ...named.filter((file) => !isBeside(file)).map(({ mcp = {} }) => mcp)) as Record<string, PinnedServer>
  return {
    proposed: proposed?.servers,
    file: proposed?.file,
    allowed,
    ignored: named.filter(isBeside).flatMap(({ file }) => file ?? []),
  }
}

function foldersOf(proposed: ProposedServers | undefined, policy: readonly PolicyFile[], workdir: string): readonly string[] {
  const beside = policy.flatMap(({ file, mcp }) => (mcp === undefined || file === undefined ? [] : [dirname(resolve(file))]))
  return [...new Set([...(proposed === undefined ? [] : [dirname(proposed.file)]), ...beside, workdir])]
}

function isInside(folder: string, path: string): boolean {
  const from = relative(folder, path)
  return from !== '..' && !from.startsWith(`..${sep}`) && resolve(folder, from) !== from
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
