import { onTestFinished } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { type ServeOptions, startServer } from '../../src/serve/index.ts'
import type { ReflexOptions } from '../../src/app/options.ts'
import { newFolder } from '../app/folders.ts'

/** A server of a test, and requests to it. */
export interface Served {
  readonly reflex: Reflex
  readonly url: string
  readonly token: string
  /** Makes a request with the token of the server. A body is sent as JSON. */
  readonly send: (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Reply>
  /** Stops the server before the end of the test. */
  readonly stop: () => Promise<void>
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly json: Loose
}

/** A document whose shape the test states. */
export interface Loose {
  readonly [key: string]: Loose
}

/** Starts a server on a free port, and stops it after the test. */
export async function served(options: Partial<ServeOptions> = {}, reflexOptions: ReflexOptions = {}): Promise<Served> {
  const reflex = new Reflex({ store: 'memory:', workdir: newFolder(), actor: 'ana', ...reflexOptions })
  const server = await startServer(reflex, { version: '0.0.0', port: 0, work: false, ...options })
  onTestFinished(async () => {
    await server.stop()
    await reflex.close()
  })
  const { url, token } = server
  return {
    reflex,
    url,
    token,
    stop: () => server.stop(),
    async send(method, path, body, headers = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, json: (text === '' ? {} : JSON.parse(text)) as Loose }
    },
  }
}

/** Reads the events of a stream until it ends, or until there are `most`. */
export async function eventsOf(
  { url, token }: Pick<Served, 'url' | 'token'>,
  path: string,
  { most = Number.POSITIVE_INFINITY, lastEventId }: { readonly most?: number; readonly lastEventId?: string } = {},
): Promise<{ readonly id: string; readonly event: string; readonly data: Record<string, unknown> }[]> {
  const stop = new AbortController()
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) }
  const response = await fetch(`${url}${path}`, { headers, signal: stop.signal })
  const found: { id: string; event: string; data: Record<string, unknown> }[] = []
  let text = ''
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + part).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string): string =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? ''
      if (field('data') === '') continue
      found.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Record<string, unknown> })
      if (found.length < most) continue
      stop.abort()
      return found
    }
  }
  return found
}

/** Returns a text of a document. */
export function word(found: unknown): string {
  return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
}
