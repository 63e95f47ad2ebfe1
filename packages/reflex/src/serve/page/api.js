/** @import { Json, JsonObject, Reply } from './documents.ts' */

/** Requests to the server that sent this page, with the token of this tab. */
export class Api {
  #headers

  /** @param {string} token */
  constructor(token) {
    this.#headers = { authorization: `Bearer ${token}` }
  }

  /**
   * Rejects if the server cannot be reached.
   * @param {string} path
   * @returns {Promise<Reply>}
   */
  async get(path) {
    return replyOf(await fetch(path, { headers: this.#headers }))
  }

  /**
   * Rejects if the server cannot be reached.
   * @param {string} path
   * @param {JsonObject} body
   * @returns {Promise<Reply>}
   */
  async post(path, body) {
    const headers = { ...this.#headers, 'content-type': 'application/json' }
    return replyOf(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }))
  }

  /**
   * Opens a stream of events, after the last one that has arrived. A bearer token is a header, so this is `fetch`: an EventSource could
   * only send it in the address.
   * @param {string} path
   * @param {{ readonly lastId: string | undefined, readonly signal: AbortSignal }} options
   * @returns {Promise<Response>}
   */
  stream(path, { lastId, signal }) {
    const headers = { ...this.#headers, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
    return fetch(path, { headers, signal, cache: 'no-store' })
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Reply>}
 */
export async function replyOf(response) {
  const text = await response.text()
  try {
    return { status: response.status, body: /** @type {JsonObject} */ (JSON.parse(text)) }
  } catch {
    // A proxy between this page and the server answers with a page of its own.
    return {
      status: response.status,
      body: { error: { code: String(response.status), message: `the server answered ${response.status}` } },
    }
  }
}

/**
 * Returns the path of a question of a run: `/v1/runs/otter-2m9q/questions/q1`.
 * @param {string} id
 */
export function questionPath(id) {
  const slash = id.lastIndexOf('/')
  return `/v1/runs/${encodeURIComponent(id.slice(0, slash))}/questions/${encodeURIComponent(id.slice(slash + 1))}`
}
