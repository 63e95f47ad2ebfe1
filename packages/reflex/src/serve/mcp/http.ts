import type { Reflex } from '../../app/reflex.ts'
import { serveFaults } from '../../protocol/faults.ts'
import type { TokenHolder } from '../principals.ts'
import { parseBody, readBody } from '../request.ts'
import { loadMcp, type McpHttpTransport, type McpLibrary, type McpModernHandler } from './library.ts'
import { mcpServer } from './server.ts'

/** The limits of MCP over HTTP. */
export interface McpHttpOptions {
  readonly version: string
  /** The most bytes of a body. */
  readonly maxBody: number
  /** The most sessions of the protocols before 2026-07-28. Default: 1000. */
  readonly maxSessions?: number
}

/** A connection of an older client, which keeps one between its requests. */
interface Session {
  readonly transport: McpHttpTransport
  /** The token that opened it. No other one may use it, also none of the same name: its scopes may differ. */
  readonly holder: TokenHolder
  seen: number
}

const MOST_SESSIONS = 1000
/** Milliseconds without a request after which a session may be closed for another one. */
const IDLE_MS = 300_000

/**
 * Serves the programs of a `Reflex` as tools over streamable HTTP, in the protocol of 2026-07-28, where each request stands alone, and in
 * those before it, with sessions. The token of a request says who asks: its name is the actor, its scopes are those of the tools.
 */
export class McpHttp {
  readonly #reflex: Reflex
  readonly #options: McpHttpOptions
  readonly #sessions = new Map<string, Session>()
  #loaded: Promise<{ readonly library: McpLibrary; readonly modern: McpModernHandler }> | undefined

  constructor(reflex: Reflex, options: McpHttpOptions) {
    this.#reflex = reflex
    this.#options = options
  }

  /** Answers a request. Throws `R6004`, `R6005`, `R6020` if the package is missing, and `R6072` if there are too many sessions. */
  async answer(request: Request, holder: TokenHolder): Promise<Response> {
    const { maxBody } = this.#options
    const body =
      request.method === 'POST' ? parseBody(await readBody(request, maxBody), request.headers.get('content-type') ?? undefined) : undefined
    const { library, modern } = await (this.#loaded ??= this.#load())
    const given = { authInfo: authOf(holder), ...(body === undefined ? {} : { parsedBody: body }) }
    if (!(await library.isLegacyRequest(request, body))) return modern.fetch(request, given)
    const id = request.headers.get('mcp-session-id')
    const transport = id === null ? await this.#open(library, holder) : this.#transportOf(id, holder)
    return transport.handleRequest(request, given)
  }

  /** Closes all sessions. Their runs continue. */
  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    await Promise.all(sessions.map(({ transport }) => transport.close()))
    if (this.#loaded !== undefined) await this.#loaded.then(({ modern }) => modern.close()).catch(() => undefined)
  }

  async #load(): Promise<{ readonly library: McpLibrary; readonly modern: McpModernHandler }> {
    try {
      const library = await loadMcp()
      const modern = library.createMcpHandler(
        ({ authInfo }) => mcpServer(library, this.#reflex, this.#options.version, authInfo?.extra?.holder),
        { legacy: 'reject', maxRequestBodySize: this.#options.maxBody },
      )
      return { library, modern }
    } catch (thrown) {
      // The package may be installed while the server works.
      this.#loaded = undefined
      throw thrown
    }
  }

  #transportOf(id: string, holder: TokenHolder): McpHttpTransport {
    const session = this.#sessions.get(id)
    // An unknown session, and one of another token, are the same to the client: it opens a new one.
    if (session === undefined || session.holder !== holder)
      throw serveFaults.make('R6073', 'there is no such session of this token', { fix: 'connect again' })
    session.seen = this.#reflex.host.now()
    return session.transport
  }

  async #open(library: McpLibrary, holder: TokenHolder): Promise<McpHttpTransport> {
    this.#makeRoom()
    const { host } = this.#reflex
    const transport = new library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => host.entropy(),
      onsessioninitialized: (id) => void this.#sessions.set(id, { transport, holder, seen: host.now() }),
      onsessionclosed: (id) => void this.#sessions.delete(id),
      maxRequestBodySize: this.#options.maxBody,
    })
    await mcpServer(library, this.#reflex, this.#options.version, holder).connect(transport)
    return transport
  }

  /** Closes the session that was used last the longest ago, if all are taken and it is idle. */
  #makeRoom(): void {
    const { maxSessions = MOST_SESSIONS } = this.#options
    if (this.#sessions.size < maxSessions) return
    const [oldest] = [...this.#sessions].toSorted(([, a], [, b]) => a.seen - b.seen)
    if (oldest === undefined || oldest[1].seen + IDLE_MS > this.#reflex.host.now())
      throw serveFaults.make('R6072', `${this.#sessions.size} sessions are open`)
    this.#sessions.delete(oldest[0])
    void oldest[1].transport.close()
  }
}

/** Returns what the library passes on of the token of a request. The token itself stays here. */
function authOf(holder: TokenHolder): object {
  return { token: '', clientId: holder.name, scopes: [...holder.scopes], extra: { holder } }
}
