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

/** Forwards data in its order, each piece after a delay. */
class Delayed {
  readonly #to: Socket
  readonly #delay: () => number
  readonly #pieces: { readonly data: Buffer; readonly at: number }[] = []

  constructor(to: Socket, delay: () => number) {
    this.#to = to
    this.#delay = delay
  }

  write(data: Buffer): void {
    const ms = this.#delay()
    if (ms === 0 && this.#pieces.length === 0) return void this.#to.write(data)
    this.#pieces.push({ data, at: performance.now() + ms })
    if (this.#pieces.length === 1) setTimeout(() => this.#next(), ms)
  }

  #next(): void {
    const piece = this.#pieces.shift()
    if (piece !== undefined && !this.#to.destroyed) this.#to.write(piece.data)
    const [following] = this.#pieces
    if (following !== undefined) setTimeout(() => this.#next(), Math.max(0, following.at - performance.now()))
  }
}

/** A connection to a server that can be cut at a named statement, delayed, silenced, and closed. */
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
  #delayMs = 0
  #isSilent = false
  /** Silences each open connection. */
  readonly #mutes = new Set<() => void>()

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

  /** Breaks the connections that are open now. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Forwards everything so many milliseconds later from now on. */
  delayBy(ms: number): void {
    this.#delayMs = ms
  }

  /** Silences the connections that are open now for ever, and new ones until `hear`. All of them stay open. */
  silenceAll(): void {
    this.#isSilent = true
    for (const mute of this.#mutes) mute()
  }

  /** Lets connections that open from now on work again. */
  hear(): void {
    this.#isSilent = false
  }

  #join(client: Socket): void {
    if (this.#closed) return void client.destroy()
    const server = connect(this.#to, '127.0.0.1')
    const [toServer, toClient] = [new Delayed(server, () => this.#delayMs), new Delayed(client, () => this.#delayMs)]
    let cut: Cut | undefined = this.#isSilent ? { when: 'before', silent: true } : undefined
    const mute = () => {
      cut = { when: 'before', silent: true }
    }
    this.#mutes.add(mute)
    const part = () => {
      this.#mutes.delete(mute)
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
      if (held === undefined || !data.includes(held.at)) return toServer.write(data)
      this.#held = undefined
      held.reached(() => toServer.write(data))
    })
    server.on('data', (data) => {
      if (cut === undefined) toClient.write(data)
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
