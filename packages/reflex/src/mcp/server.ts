import { dirname, join, sep } from 'node:path'
import { type Host, isFault } from '../kernel/index.ts'
import type { PinnedServer } from '../policy/index.ts'
import { confine, type SandboxSettings } from '../tools/sandbox.ts'
import type { ToolCall } from '../tools/tool.ts'
import { Connection, type OpenCall } from './connection.ts'
import { mcpFaults } from './faults.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { loadClient, type McpTransport } from './library.ts'
import { packageOf } from './package-hash.ts'
import { ServerProcess } from './server-process.ts'
import { resolveReferences } from './settings.ts'
import { listDifferences, listHash, type ListedTool } from './tool-list.ts'

/** The machine on which servers run. */
export interface ServerHost {
  readonly host: Host
  readonly workdir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The sandbox of commands. */
  readonly sandbox: SandboxSettings
}

/** The sandbox of a process of a server. */
export type Confinement = 'strict' | 'none'

/** The milliseconds after which a server that nobody uses is stopped. */
const IDLE = 300_000
/** The milliseconds for which a call waits for the answer to a question of its server. */
const HELD = 600_000
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000
/** The failures in a row after which a server rests, and for how many milliseconds. */
const MOST_FAILURES = 5
const REST = 60_000

/** The state of the processes of one server, in one sandbox. */
interface Instance {
  live: Promise<Connection> | undefined
  failures: number
  notBefore: number
  users: number
  cancelIdle: (() => void) | undefined
}

/** A server that the operator allows: started when it is first needed, once for all runs, and again after it has ended. */
export class McpServer {
  readonly name: string
  readonly spec: PinnedServer
  readonly #tools: readonly ListedTool[] | undefined
  readonly #machine: ServerHost
  readonly #instances = new Map<Confinement, Instance>()
  readonly #held = new Map<string, { readonly call: OpenCall; readonly end: () => void }>()
  #isClosed = false
  /** The server has changed its tools while it ran: it is not called again by this process. */
  #changed: Error | undefined

  /** `tools`: the list that the policy names by its hash; undefined to take any list. */
  constructor(name: string, spec: PinnedServer, tools: readonly ListedTool[] | undefined, machine: ServerHost) {
    this.name = name
    this.spec = spec
    this.#tools = tools
    this.#machine = machine
  }

  get host(): Host {
    return this.#machine.host
  }

  /**
   * Does work with a connection, and keeps the server alive for it. Throws the fault of a server that cannot be used: `R4502` to `R4505`,
   * `R4511` to `R4514`.
   */
  async with<Result>(confinement: Confinement, work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const instance = this.#instanceOf(confinement)
    instance.users++
    instance.cancelIdle?.()
    try {
      return await work(await this.#connect(instance, confinement))
    } finally {
      this.#leave(instance)
    }
  }

  /** Notes that a call has succeeded: the server works. */
  onSuccess(confinement: Confinement): void {
    this.#instanceOf(confinement).failures = 0
  }

  #instanceOf(confinement: Confinement): Instance {
    let instance = this.#instances.get(confinement)
    if (instance === undefined) {
      instance = { live: undefined, failures: 0, notBefore: 0, users: 0, cancelIdle: undefined }
      this.#instances.set(confinement, instance)
    }
    return instance
  }

  #leave(instance: Instance): void {
    const { host } = this.#machine
    instance.users--
    if (instance.users > 0 || this.#isClosed) return
    instance.cancelIdle = host.at(host.now() + IDLE, () => void this.#stop(instance), true)
  }

  async #stop(instance: Instance): Promise<void> {
    const { live } = instance
    instance.live = undefined
    await live?.then((connection) => connection.close()).catch(() => undefined)
  }

  async #connect(instance: Instance, confinement: Confinement): Promise<Connection> {
    if (this.#isClosed) throw mcpFaults.make('R4504', `the server ${this.name} is closed`)
    if (this.#changed !== undefined) throw this.#changed
    if (instance.live === undefined) {
      const begun = this.#start(instance, confinement)
      instance.live = begun
      begun.catch(() => {
        if (instance.live === begun) instance.live = undefined
      })
    }
    return instance.live
  }

  /** Starts the server, and checks what the policy has pinned. */
  async #start(instance: Instance, confinement: Confinement): Promise<Connection> {
    const { host } = this.#machine
    if (instance.failures >= MOST_FAILURES && host.now() < instance.notBefore)
      throw mcpFaults.make('R4511', `the server ${this.name} ended ${instance.failures} times in a row, and rests for a minute`)
    await this.#untilDue(instance.notBefore)
    try {
      const connection = await this.#open(instance, confinement)
      try {
        await this.#checkTools(connection)
      } catch (thrown) {
        await connection.close()
        throw thrown
      }
      return connection
    } catch (thrown) {
      this.#onFailure(instance)
      throw thrown
    }
  }

  async #untilDue(time: number): Promise<void> {
    const { host } = this.#machine
    if (host.now() < time) await new Promise<void>((resolve) => void host.at(time, resolve))
  }

  #onFailure(instance: Instance): void {
    const { host } = this.#machine
    instance.failures++
    const delay = instance.failures >= MOST_FAILURES ? REST : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** instance.failures)
    instance.notBefore = host.now() + delay
  }

  async #open(instance: Instance, confinement: Confinement): Promise<Connection> {
    const { name, spec } = this
    const library = await loadClient()
    const { transport, problem, said } = spec.url === undefined ? await this.#process(confinement) : await this.#http(library)
    const opened: Connection = await Connection.open({
      name,
      library,
      channel: { transport, problem, said },
      host: this.#machine.host,
      root: spec.roots === true ? this.#machine.workdir : undefined,
      onListChanged: () => void this.#onListChanged(instance),
      onClosed: () => {
        instance.live = undefined
        if (!this.#isClosed && instance.users > 0) this.#onFailure(instance)
      },
    })
    return opened
  }

  async #process(confinement: Confinement): Promise<{ transport: McpTransport; problem: () => Error | undefined; said: () => string }> {
    const { name, spec } = this
    const { workdir, environment, sandbox, host } = this.#machine
    const cwd = join(workdir, spec.cwd ?? '.')
    const { hash, paths } = packageOf(name, spec, { cwd, environment })
    if (spec.package !== undefined && hash !== spec.package)
      throw mcpFaults.make('R4502', `the package of the server ${name} has changed: ${paths.join(', ')} has the hash ${hash}`, {
        fix: `find out why; if it is intended: reflex mcp pin ${name}`,
      })
    const values = Object.entries(spec.env ?? {}).map(([key, text]) => [key, resolveReferences(text, environment, name)])
    const command = await confine(
      { argv: [spec.command ?? '', ...(spec.args ?? [])], cwd, environment: Object.fromEntries(values) as Record<string, string> },
      confinement,
      { ...sandbox, readable: [...(sandbox.readable ?? []), ...paths.map(librariesOf)] },
      sharedCall(workdir, confinement),
    )
    const process = new ServerProcess({ name, command, cwd, host })
    return { transport: process, problem: () => process.problem, said: () => process.errors }
  }

  async #http(
    library: Awaited<ReturnType<typeof loadClient>>,
  ): Promise<{ transport: McpTransport; problem: () => Error | undefined; said: () => string }> {
    const { name, spec } = this
    const { environment } = this.#machine
    const url = URL.parse(spec.url ?? '')
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      throw mcpFaults.make('R4516', `the address of the server ${name} is not an http or https address without a password`)
    const read = (text: string): string => resolveReferences(text, environment, name)
    const headers = Object.fromEntries(Object.entries(spec.headers ?? {}).map(([key, text]) => [key, read(text)]))
    let problem: Error | undefined
    const send = guardedFetch({
      name,
      headers,
      token: spec.token === undefined ? undefined : read(spec.token),
      isPrivateAllowed: spec.private === true,
    })
    const fetch: typeof send = async (address, init) => {
      try {
        const response = await send(address, init)
        problem = undefined
        return response
      } catch (thrown) {
        if (thrown instanceof Error && 'verdict' in thrown) problem = thrown
        throw thrown
      }
    }
    const options = {
      fetch,
      reconnectionOptions: { maxRetries: 0, initialReconnectionDelay: 1_000, maxReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 1 },
    }
    const transport = new library.StreamableHTTPClientTransport(url, options)
    return { transport, problem: () => problem, said: () => '' }
  }

  /** Throws `R4503` if the server lists other tools than the policy has pinned. */
  async #checkTools(connection: Connection): Promise<void> {
    const expected = this.#tools
    if (expected === undefined) return
    const found = await connection.list()
    if (listHash(found) === this.spec.tools) return
    const differences = listDifferences(expected, found)
    throw mcpFaults.make(
      'R4503',
      `the server ${this.name} lists other tools than your policy names: ${differences.slice(0, 20).join('; ')}`,
      {
        data: { differences: [...differences] },
        fix: `if they are intended: reflex mcp pin ${this.name}`,
      },
    )
  }

  /** The server says that its list has changed: the same list may stay, any other stops it until Reflex is started again. */
  async #onListChanged(instance: Instance): Promise<void> {
    const { live } = instance
    if (live === undefined) return
    // New calls wait for the check.
    const checked = live.then(async (connection) => {
      try {
        await this.#checkTools(connection)
      } catch (thrown) {
        if (isFault(thrown) && thrown.code === 'R4503') this.#changed = thrown
        await connection.close()
        throw thrown
      }
      return connection
    })
    instance.live = checked
    checked.catch(() => {
      if (instance.live === checked) instance.live = undefined
    })
  }

  /** Keeps a call open while its question waits for an answer. It is cancelled if none comes for a while. */
  hold(id: string, call: OpenCall, confinement: Confinement): void {
    const { host } = this.#machine
    const instance = this.#instanceOf(confinement)
    instance.users++
    const cancel = host.at(host.now() + HELD, () => this.take(id)?.cancel('nobody answered the question'), true)
    const end = (): void => {
      cancel()
      this.#leave(instance)
    }
    this.#held.set(id, { call, end })
  }

  /** Returns a call that waits for an answer, and no longer keeps it; undefined if this process has none, or its server has ended. */
  take(id: string): OpenCall | undefined {
    const held = this.#held.get(id)
    this.#held.delete(id)
    held?.end()
    return held?.call.isOver === true ? undefined : held?.call
  }

  /** Stops the server, and cancels its calls. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const id of this.#held.keys()) this.take(id)?.cancel('Reflex is closed')
    for (const instance of this.#instances.values()) {
      instance.cancelIdle?.()
      await this.#stop(instance)
    }
  }
}

/** Returns the folder from which a package loads others. */
function librariesOf(path: string): string {
  const at = path.lastIndexOf(`${sep}node_modules${sep}`)
  return at < 0 ? dirname(path) : path.slice(0, at + `${sep}node_modules`.length)
}

/** A server serves many runs, so its sandbox has the rights of none: it reads the work folder, and writes only to memory. */
function sharedCall(workdir: string, confinement: Confinement): ToolCall {
  return {
    workdir,
    runFolder: join(workdir, '.reflex', 'mcp'),
    signal: new AbortController().signal,
    key: '',
    part: () => undefined,
    allows: () => confinement === 'none',
    denies: () => false,
  }
}
