import type { Readable, Writable } from 'node:stream'
import type { Reflex } from '../../app/reflex.ts'
import { loadMcp } from './library.ts'
import { mcpServer } from './server.ts'

/** The two ends of a connection. */
export interface StdioOptions {
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  /** Called with what the connection cannot read. */
  readonly onTrouble?: (error: Error) => void
}

/** A server for one client. */
export interface StdioConnection {
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Serves the programs of a `Reflex` to the client at the other end of two streams. Throws `R6020` if the package is missing. */
export async function serveMcpStdio(reflex: Reflex, { version, input, output, onTrouble }: StdioOptions): Promise<StdioConnection> {
  const library = await loadMcp()
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
    for (const event of ['close', 'error']) output.once(event, () => resolve())
  })
  const transport = new library.StdioServerTransport(input, output)
  const served = library.serveStdio(() => mcpServer(library, reflex, version), {
    transport,
    ...(onTrouble === undefined ? {} : { onerror: onTrouble }),
  })
  return { ended, close: () => served.close() }
}
