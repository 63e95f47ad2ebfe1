import type { Readable, Writable } from 'node:stream'
import { serveFaults } from '../../protocol/faults.ts'
import type { TokenHolder } from '../principals.ts'

/** The part of the optional package `@modelcontextprotocol/server` that the server uses. */
export interface McpLibrary {
  readonly Server: new (info: { readonly name: string; readonly version: string }, options: object) => McpServer
  readonly StdioServerTransport: new (input: Readable, output: Writable) => McpTransport
  readonly WebStandardStreamableHTTPServerTransport: new (options: {
    readonly sessionIdGenerator: () => string
    readonly onsessioninitialized: (id: string) => void
    readonly onsessionclosed: (id: string) => void
    readonly maxRequestBodySize: number
  }) => McpHttpTransport
  readonly createMcpHandler: (factory: (facts: McpRequestFacts) => McpServer, options: object) => McpModernHandler
  readonly isLegacyRequest: (request: Request, body: unknown) => Promise<boolean>
  readonly serveStdio: (
    factory: () => McpServer,
    options: { readonly transport: McpTransport; readonly onerror?: (error: Error) => void },
  ) => { close(): Promise<void> }
}

/** A channel to one client over HTTP. */
export interface McpHttpTransport extends McpTransport {
  handleRequest(request: Request, options: object): Promise<Response>
}

/** Answers requests that stand alone. */
export interface McpModernHandler {
  fetch(request: Request, options: object): Promise<Response>
  close(): Promise<void>
}

/** The request for which a server is made. */
export interface McpRequestFacts {
  readonly authInfo?: { readonly extra?: { readonly holder?: TokenHolder } }
}

/** A channel to one client. */
export interface McpTransport {
  start(): Promise<void>
  close(): Promise<void>
}

/** A connection's server. */
export interface McpServer {
  setRequestHandler(method: string, handler: (request: McpRequest, context: McpContext) => object | Promise<object>): void
  connect(transport: McpTransport): Promise<void>
  getClientVersion(): McpClientInfo | undefined
  getClientCapabilities(): McpCapabilities | undefined
}

export interface McpClientInfo {
  readonly name: string
}

export interface McpCapabilities {
  readonly elicitation?: Readonly<Record<string, unknown>>
}

export interface McpRequest {
  readonly params?: Readonly<Record<string, unknown>>
}

/** The context of a request. */
export interface McpContext {
  readonly mcpReq: {
    readonly _meta?: { readonly progressToken?: string | number }
    /** The facts about its client that each request of the newer protocol states. */
    readonly envelope?: Readonly<Record<string, unknown>>
    /** Answers of the client to elicitations. */
    readonly inputResponses?: Readonly<Record<string, unknown>>
    requestState(): unknown
    readonly signal: AbortSignal
    notify(notification: { readonly method: string; readonly params: object }): Promise<void>
  }
}

const PACKAGE: string = '@modelcontextprotocol/server'

/** Loads the package. Throws `R6020` if it is missing. */
export async function loadMcp(): Promise<McpLibrary> {
  try {
    const parts = [import(/* @vite-ignore */ PACKAGE), import(/* @vite-ignore */ `${PACKAGE}/stdio`)] as readonly Promise<McpLibrary>[]
    const [main, stdio] = await Promise.all(parts)
    return { ...main, ...stdio } as McpLibrary
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    throw serveFaults.make('R6020', isMissing ? `MCP needs the package ${PACKAGE}` : `the package ${PACKAGE} cannot be loaded`, {
      fix: `npm install ${PACKAGE}`,
      ...(isMissing ? {} : { cause: thrown }),
    })
  }
}
