import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** The moment at which a connection breaks: before the server gets the statement, or after it has performed it. */
export type Break = 'before' | 'after'

interface Cut {
  readonly when: Break
  /** The connection stays open, and nothing is forwarded. */
  readonly silent?: boolean
  readonly broken?: () => void
}

/** A connection to a server that can be cut at a named statement, and closed. */
export class PostgresProxy {
  readonly #server: Server
  readonly #to: number
  readonly #sockets = new Set<Socket>()
  #cut: (Cut & { readonly at: string; readonly close: boolean }) | undefined
  #held: { readonly at: string; readonly reached: (goOn: () => void) => void } | undefined
  #every = 0
  #asked = 0
  #silentAt: number | undefined
  #silentWhen: Break = 'before'
  #words = 0
  #closed = false

  private constructor(server: Server, to: number) {
    this.#server = server
    this.#to = to
    server.on('connection', (client) => this.#join(client))
  }

  static async start(to: number): Promise<PostgresProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new PostgresProxy(server, to)
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /**
   * Breaks the connection of the next statement with this name, and resolves then. `close`: all later connections are
   * refused too.
   */
  cut(statement: string, when: Break, close = false): Promise<void> {
    return new Promise((broken) => {
      this.#cut = { at: `reflex_${statement}\0`, when, close, broken }
    })
  }

  /** Works like `cut`, but the connection stays open and silent: neither side hears from the other. */
  silence(statement: string, when: Break): Promise<void> {
    return new Promise((broken) => {
      this.#cut = { at: `reflex_${statement}\0`, when, close: false, silent: true, broken }
    })
  }

  /** Silences the connection that carries the `nth` message of clients from now on, before or after the server has performed it. */
  silenceAt(nth: number, when: Break): void {
    this.#words = 0
    this.#silentAt = nth
    this.#silentWhen = when
  }

  /** The number of messages that clients have sent since `silenceAt`. */
  get words(): number {
    return this.#words
  }

  /** Breaks a connection every so many statements: before the server gets one, then after it has performed one, and so on. */
  cutEvery(statements: number): void {
    this.#every = statements
  }

  /** Resolves when a statement with this name is sent; the statement waits until the returned function is called. */
  hold(statement: string): Promise<() => void> {
    return new Promise((reached) => {
      this.#held = { at: `reflex_${statement}\0`, reached }
    })
  }

  open(): void {
    this.#closed = false
  }

  #join(client: Socket): void {
    if (this.#closed) return void client.destroy()
    const server = connect(this.#to, '127.0.0.1')
    let cut: Cut | undefined
    const part = () => {
      client.destroy()
      server.destroy()
      cut?.broken?.()
    }
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', part).on('close', () => {
        this.#sockets.delete(socket)
        part()
      })
    }
    client.on('data', (data) => {
      if (cut?.silent === true) return
      cut ??= this.#cutIn(data)
      if (cut?.when === 'before') return cut.silent === true ? cut.broken?.() : part()
      const held = this.#held
      if (held === undefined || !data.includes(held.at)) return void server.write(data)
      this.#held = undefined
      held.reached(() => server.write(data))
    })
    server.on('data', (data) => {
      if (cut === undefined) client.write(data)
      else if (cut.silent === true) cut.broken?.()
      else part()
    })
  }

  #cutIn(data: Buffer): Cut | undefined {
    const cut = this.#cut
    if (cut !== undefined && data.includes(cut.at)) {
      this.#cut = undefined
      this.#closed = cut.close
      return cut
    }
    if (++this.#words === this.#silentAt) return { when: this.#silentWhen, silent: true }
    if (this.#every === 0 || !data.includes('reflex_') || ++this.#asked % this.#every !== 0) return undefined
    return { when: (this.#asked / this.#every) % 2 === 0 ? 'before' : 'after' }
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}
