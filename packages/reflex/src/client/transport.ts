import { errorOf, foreign, ReflexError, unreachable } from './error.ts'
import { newKey, wait } from './host.ts'

/** The options of a client. */
export interface ClientOptions {
  /** The address of the server, such as `http://127.0.0.1:4173`. */
  readonly url: string
  /** The token, which is sent in the header `Authorization`. */
  readonly token: string
  /** Another implementation of `fetch`. */
  readonly fetch?: typeof fetch
  /** The most repetitions of a request that can be repeated safely. Default: 3. */
  readonly retries?: number
}

/** The options of one request. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /**
   * The key under which a start is made once, however often it is sent; the same key with another body is refused with `R6009`.
   * Default for starts: a new key, so that a lost answer can be asked for again.
   */
  readonly idempotencyKey?: string
}

/** A request of a route. */
export interface RouteCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: readonly string[]
  readonly query?: object
  readonly body?: unknown
  /** The type of a body that is not JSON. */
  readonly type?: string
  /** True: the route performs a request with the same idempotency key once. */
  readonly keyed?: true
}

/** Milliseconds before the first repetition; each further one waits twice as long. */
const FIRST_DELAY = 250
/** The longest time in milliseconds that the client waits because the server asks for it. */
const LONGEST_DELAY = 60_000
/** The statuses of answers after which a request can be repeated. */
const TRANSIENT: readonly number[] = [429, 502, 503, 504]

/** Sends requests: with the token, with keys, and again if that is safe. */
export class Transport {
  readonly #url: string
  readonly #token: string
  readonly #fetch: typeof fetch
  readonly #retries: number

  constructor({ url, token, fetch: own, retries = 3 }: ClientOptions) {
    this.#url = withoutSlashes(url)
    this.#token = token
    // A browser refuses its fetch as the method of another object.
    this.#fetch = own ?? ((...request) => fetch(...request))
    this.#retries = retries
  }

  /** Returns the answer of a route: JSON as a value, other types as text. Throws `ReflexError`. */
  async send<Answer>(call: RouteCall, options: CallOptions = {}): Promise<Answer> {
    const key = options.idempotencyKey ?? (call.keyed === true ? newKey() : undefined)
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    const isSafe = call.method === 'GET' || call.keyed === true
    for (let tries = 0; ; tries++) {
      try {
        return await read<Answer>(await this.fetch(call, headers, options.signal))
      } catch (thrown) {
        if (!isSafe || tries >= this.#retries || options.signal?.aborted === true || !isTransient(thrown)) throw thrown
        await wait(delayOf(thrown, tries), options.signal)
      }
    }
  }

  /** Sends a request once. Returns an answer of a status below 300. Throws `ReflexError`. */
  async fetch(call: RouteCall, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
    const { method, path, query = {}, body, type = 'application/json' } = call
    const url = `${this.#url}/${path.map(encodeURIComponent).join('/')}${queryText(query)}`
    let response: Response
    try {
      response = await this.#fetch(url, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' && type !== 'application/json' ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown
      throw unreachable(url, thrown)
    }
    if (!response.ok) throw await errorOf(response)
    return response
  }
}

async function read<Answer>(response: Response): Promise<Answer> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  try {
    return (type === 'application/json' ? await response.json() : await response.text()) as Answer
  } catch (thrown) {
    throw thrown instanceof SyntaxError ? foreign(response, thrown) : unreachable(response.url, thrown)
  }
}

function queryText(query: object): string {
  const words = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
  return words.length === 0 ? '' : `?${new URLSearchParams(words).toString()}`
}

/** True for a failure that passes by itself. */
export function isTransient(thrown: unknown): boolean {
  return thrown instanceof ReflexError && (thrown.code === 'R6070' || TRANSIENT.includes(thrown.status))
}

/** Returns the milliseconds before the next try: those that the server asks for, else twice as many each time. */
export function delayOf(thrown: unknown, tries: number): number {
  const data = thrown instanceof ReflexError ? thrown.fault.data : undefined
  const seconds = typeof data === 'object' && data !== null && 'retryAfter' in data ? Number(data.retryAfter) : Number.NaN
  return Math.min(LONGEST_DELAY, Number.isFinite(seconds) ? seconds * 1000 : FIRST_DELAY * 2 ** tries)
}

/** Returns an address without slashes at its end. */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}
