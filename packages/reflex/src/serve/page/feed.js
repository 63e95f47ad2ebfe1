import { eventsOf } from './event-stream.js'
import { replyOf } from './api.js'
/** @import { StreamedEvent } from './event-stream.js' */
/** @import { Api } from './api.js' */
/** @import { Closed, Fault, Question } from './documents.ts' */

/**
 * The state of the connection. `refused`: the token is not valid, or does not allow to read.
 * @typedef {{ readonly is: 'connecting' | 'live' | 'offline' } | { readonly is: 'refused', readonly status: number, readonly error: Fault }} Connection
 */

/**
 * @typedef {object} FeedListener
 * @property {(questions: readonly Question[]) => void} all All questions that are open now
 * @property {(question: Question) => void} opened
 * @property {(closed: Closed) => void} closed
 * @property {(connection: Connection) => void} connection
 */

/** The server sends a comment every 15 seconds: after three times that the connection is dead. */
const SILENCE_MS = 45_000
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 15_000
const GONE = 410

/** Follows the inbox, and connects again after every interruption. */
export class Feed {
  #api
  #listener
  #stop = new AbortController()
  /** @type {string | undefined} */
  #lastId
  /**
   * The questions of a stream that begins; undefined once they are complete.
   * @type {Question[] | undefined}
   */
  #open
  #delay = FIRST_DELAY_MS
  /** @type {() => void} */
  #wake = () => undefined

  /**
   * @param {Api} api
   * @param {FeedListener} listener
   */
  constructor(api, listener) {
    this.#api = api
    this.#listener = listener
    void this.#run()
  }

  stop() {
    this.#stop.abort()
    this.#wake()
  }

  /** Connects now instead of after the delay. */
  retry() {
    this.#delay = FIRST_DELAY_MS
    this.#wake()
  }

  async #run() {
    const { signal } = this.#stop
    while (!signal.aborted) {
      this.#listener.connection({ is: 'connecting' })
      const refused = await this.#connect().catch(() => undefined)
      if (signal.aborted) return
      if (refused !== undefined) return this.#listener.connection(refused)
      this.#listener.connection({ is: 'offline' })
      await this.#pause()
    }
  }

  /**
   * Reads the stream to its end. Returns the state if the server refuses it, which a new try does not change.
   * @returns {Promise<Connection | undefined>}
   */
  async #connect() {
    const silence = new AbortController()
    const signal = AbortSignal.any([this.#stop.signal, silence.signal])
    let timer = setTimeout(() => silence.abort(), SILENCE_MS)
    try {
      const response = await this.#api.stream('/v1/questions/events', { lastId: this.#lastId, signal })
      if (response.status === GONE && this.#lastId !== undefined) return this.#startOver()
      if (!response.ok || response.body === null) return await refusalOf(response)
      this.#open = this.#lastId === undefined ? [] : undefined
      this.#delay = FIRST_DELAY_MS
      this.#listener.connection({ is: 'live' })
      for await (const event of eventsOf(response.body)) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
        this.#take(event)
        if (event.id !== undefined) this.#lastId = event.id
      }
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  /** The store cannot continue from the last event, so the next stream begins with all questions. */
  #startOver() {
    this.#lastId = undefined
    this.#delay = 0
    return undefined
  }

  /**
   * Takes an event. The questions before `inbox` are those that are open at the connection.
   * @param {StreamedEvent} event
   */
  #take({ event, data }) {
    if (data === '') return
    /** @type {unknown} */
    const document = JSON.parse(data)
    if (event === 'inbox') {
      this.#listener.all(this.#open ?? [])
      this.#open = undefined
    } else if (event === 'question') {
      const question = /** @type {Question} */ (document)
      if (this.#open === undefined) this.#listener.opened(question)
      else this.#open.push(question)
    } else if (event === 'answered') this.#listener.closed(/** @type {Closed} */ (document))
  }

  /** Waits before the next try, longer each time. */
  async #pause() {
    const delay = this.#delay
    this.#delay = Math.min(LONGEST_DELAY_MS, Math.max(FIRST_DELAY_MS, delay * 2))
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve } = Promise.withResolvers()
    const timer = setTimeout(resolve, delay)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Connection | undefined>}
 */
async function refusalOf(response) {
  const { status, body } = await replyOf(response)
  const error = /** @type {Fault} */ (/** @type {unknown} */ (body['error']))
  return status === 401 || status === 403 ? { is: 'refused', status, error } : undefined
}
