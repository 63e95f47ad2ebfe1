import { causeOf, type Host, isFault, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { mcpFaults } from './faults.ts'
import type { McpClient, McpLibrary, McpMessage, McpProgress, McpTransport } from './library.ts'
import { type ListedTool, readToolList } from './tool-list.ts'

/** A channel to a server, and what is known of its failure. */
export interface Channel {
  readonly transport: McpTransport
  /** Returns the fault that ended it, if one did. */
  problem(): Error | undefined
  /** Returns the last text that the server printed beside the protocol. */
  said(): string
}

/** The settings of one connection. */
export interface ConnectionSettings {
  readonly name: string
  readonly library: McpLibrary
  readonly channel: Channel
  readonly host: Host
  /** The folder that the server may ask for (roots). */
  readonly root: string | undefined
  /** Called when the server says that its list of tools has changed. */
  readonly onListChanged: () => void
  readonly onClosed: () => void
}

/** The end of a call, or a question in it. */
export type CallEvent =
  | { readonly is: 'result'; readonly value: McpMessage }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'asked'; readonly params: JsonObject }

const CONNECT_TIME = 30_000
const PROBE_TIME = 5_000
/** The time limits of the package, which are timers of its own: calls have theirs here. */
const NEVER = 2_147_483_647
const MOST_PAGES = 16

/** Accepts every value: results are checked by the checker of the house. */
const NO_CHECK = { getValidator: () => (data: unknown) => ({ valid: true, data }) }

/** A connection to a server that has answered. */
export class Connection {
  readonly #settings: ConnectionSettings
  readonly #client: McpClient
  readonly #calls = new Set<OpenCall>()
  #isClosed = false

  private constructor(settings: ConnectionSettings) {
    const { library, root } = settings
    this.#settings = settings
    this.#client = new library.Client(
      { name: 'reflex', version: '1' },
      {
        capabilities: { elicitation: { form: {}, url: {} }, ...(root === undefined ? {} : { roots: {} }) },
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_TIME } },
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: NO_CHECK,
        listMaxPages: MOST_PAGES,
      },
    )
    this.#client.setRequestHandler('elicitation/create', (request) => this.#elicit(request))
    if (root !== undefined)
      this.#client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file://${encodeURI(root)}`, name: 'work' }] }))
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => settings.onListChanged())
  }

  /** Connects to a server. Throws `R4504` if it does not answer, or the fault of its channel. */
  static async open(settings: ConnectionSettings): Promise<Connection> {
    const { channel, host } = settings
    const connection = new Connection(settings)
    const cancel = host.at(host.now() + CONNECT_TIME, () => void channel.transport.close())
    try {
      await connection.#client.connect(channel.transport, { timeout: NEVER })
      connection.#watchClose()
      if (connection.#client.getProtocolEra() === 'modern')
        void connection.#client.listen?.({ toolsListChanged: true }).catch(() => undefined)
      return connection
    } catch (thrown) {
      const fault = connection.failure(thrown)
      await channel.transport.close().catch(() => undefined)
      throw fault
    } finally {
      cancel()
    }
  }

  /** The package has set its own listeners: they are called first. */
  #watchClose(): void {
    const { transport } = this.#settings.channel
    const before = transport.onclose
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the package calls this one function
    transport.onclose = () => {
      this.#isClosed = true
      before?.()
      this.#settings.onClosed()
    }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The name and the version that the server states. */
  get version(): string {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {}
    return `${name} ${version}`.trim()
  }

  /** Returns the tools that the server lists now. Throws `R4504`, `R4507` or `R4509`. */
  async list(): Promise<readonly ListedTool[]> {
    const { name, host } = this.#settings
    const stop = new AbortController()
    const cancel = host.at(host.now() + CONNECT_TIME, () => stop.abort(new Error('it did not list its tools in time')))
    try {
      const { tools } = await this.#client.listTools(undefined, { timeout: NEVER, signal: stop.signal, cacheMode: 'refresh' })
      return readToolList(name, tools)
    } catch (thrown) {
      throw this.failure(thrown)
    } finally {
      cancel()
    }
  }

  /** Begins a call of a tool. */
  begin(tool: ListedTool, params: JsonObject, onProgress: (progress: McpProgress) => void): OpenCall {
    const stop = new AbortController()
    // Without the schema of the result: the checker of the house reads it.
    const { outputSchema: _, ...toolDefinition } = tool
    const options = { timeout: NEVER, signal: stop.signal, onprogress: onProgress, allowInputRequired: true, toolDefinition }
    const call = new OpenCall(this.#client.callTool({ name: tool.name, ...params }, options), stop, () => this.#calls.delete(call))
    this.#calls.add(call)
    return call
  }

  /**
   * The protocol before 2026-07-28 does not say which call asks. With one call that can ask, it is that one; with several, nobody is
   * asked: the question could reach the wrong run.
   */
  async #elicit({ params }: McpMessage): Promise<object> {
    const asking = [...this.#calls].filter(({ isAsking }) => !isAsking)
    const [call] = asking
    if (call === undefined || asking.length > 1) return { action: 'cancel' }
    return call.ask(JSON.parse(JSON.stringify(params ?? {})) as JsonObject)
  }

  /** Returns the fault for a failure of the connection. */
  failure(thrown: unknown): Error {
    const { name, channel } = this.#settings
    const problem = channel.problem()
    if (problem !== undefined) return problem
    if (isFault(thrown)) return thrown
    const cause = causeOf(thrown)
    const said = channel.said()
    const why = `${typeof cause === 'string' ? cause : cause.message}${said === '' ? '' : `; it printed: ${said.slice(-500)}`}`
    return mcpFaults.make('R4504', `the server ${name} cannot be reached: ${why}`, { cause: thrown })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#client.close().catch(() => undefined)
    await this.#settings.channel.transport.close().catch(() => undefined)
  }
}

/** A call that its server has not answered yet. */
export class OpenCall {
  readonly #stop: AbortController
  #events: CallEvent[] = []
  #wake: (() => void) | undefined
  #reply: ((result: JsonObject) => void) | undefined
  #isOver = false

  constructor(result: Promise<McpMessage>, stop: AbortController, onEnd: () => void) {
    this.#stop = stop
    const end = (event: CallEvent): void => {
      this.#isOver = true
      onEnd()
      this.#add(event)
    }
    result.then(
      (value) => end({ is: 'result', value }),
      (error: unknown) => end({ is: 'failed', error }),
    )
  }

  #add(event: CallEvent): void {
    this.#events.push(event)
    this.#wake?.()
  }

  /** True while a question of the call is open. */
  get isAsking(): boolean {
    return this.#reply !== undefined
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The server asks: resolves with the answer. */
  ask(params: JsonObject): Promise<JsonObject> {
    return new Promise((resolve) => {
      this.#reply = resolve
      this.#add({ is: 'asked', params })
    })
  }

  answer(result: JsonObject): void {
    const reply = this.#reply
    this.#reply = undefined
    reply?.(result)
  }

  /** Returns the next event. Waits for it. */
  async next(): Promise<CallEvent> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return event
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Notifies the server that the call is no longer wanted. */
  cancel(why: string): void {
    this.answer({ action: 'cancel' })
    this.#stop.abort(new Error(why))
  }
}

/** True for a result that asks for input before the call can end. */
export function asksForInput(value: Json): value is JsonObject {
  return isObject(value) && value['resultType'] === 'input_required'
}
