import { mcpFaults } from './faults.ts'

/** A message of the protocol. */
export interface McpMessage {
  readonly [key: string]: unknown
}

/** The channel to a server, as the package takes it. */
export interface McpTransport {
  start(): Promise<void>
  send(message: McpMessage): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: McpMessage) => void) | undefined
}

/** Progress that a server reports. */
export interface McpProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** The options of one request. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal
  readonly timeout?: number
  readonly onprogress?: (progress: McpProgress) => void
  readonly allowInputRequired?: boolean
  readonly cacheMode?: 'refresh'
}

/** The client of the package, as far as it is used here. */
export interface McpClient {
  connect(transport: McpTransport, options?: McpRequestOptions): Promise<void>
  close(): Promise<void>
  listTools(params: undefined, options: McpRequestOptions): Promise<{ readonly tools: readonly unknown[] }>
  callTool(params: McpMessage, options: McpRequestOptions & { readonly toolDefinition: object }): Promise<McpMessage>
  setRequestHandler(method: string, handler: (request: McpMessage) => object | Promise<object>): void
  setNotificationHandler(method: string, handler: () => void): void
  getServerVersion(): { readonly name: string; readonly version: string } | undefined
  getNegotiatedProtocolVersion(): string | undefined
  getProtocolEra(): string | undefined
  listen?(filter: object): Promise<unknown>
}

/** The part of the optional package `@modelcontextprotocol/client` that is used. */
export interface McpLibrary {
  readonly Client: new (info: { readonly name: string; readonly version: string }, options: object) => McpClient
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => McpTransport
}

const PACKAGE: string = '@modelcontextprotocol/client'

/** Loads the package when a server is first needed. Throws `R4501` if it is missing. */
export async function loadClient(): Promise<McpLibrary> {
  try {
    return (await import(/* @vite-ignore */ PACKAGE)) as McpLibrary
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    throw mcpFaults.make('R4501', isMissing ? `MCP servers need the package ${PACKAGE}` : `the package ${PACKAGE} cannot be loaded`, {
      fix: `npm install ${PACKAGE}`,
      ...(isMissing ? {} : { cause: thrown }),
    })
  }
}
