import { Agent, type ClientRequest, request } from 'node:http'
import { sharedNow } from './orders.ts'
import type { ServerProcess } from './server-process.ts'

/** The connections that make requests at once. */
const CONNECTIONS = 16

interface LoadRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes requests over sixteen connections. Throws if one is refused. */
export async function load(server: ServerProcess, count: number, make: (i: number) => LoadRequest): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) await send(server, agent, make(next++))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  agent.destroy()
}

/** Makes one request, and returns the body of its answer. Throws if it is refused. */
export function send({ url, token }: ServerProcess, agent: Agent | undefined, wanted: LoadRequest): Promise<string> {
  const { method, path, body } = wanted
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...wanted.headers,
    }
    const sent = request(`${url}${path}`, { method, headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => void (text += part))
      response.on('end', () => {
        if ((response.statusCode ?? 0) < 300) resolve(text)
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Open event streams of one server, and the events that they have received. */
export class Streams {
  readonly #server: ServerProcess
  readonly #nameOf: (block: string) => string | undefined
  readonly #open: ClientRequest[] = []
  /** The name of each received event, and the time. */
  readonly received: (readonly [name: string, at: number])[] = []

  constructor(server: ServerProcess, nameOf: (block: string) => string | undefined) {
    this.#server = server
    this.#nameOf = nameOf
  }

  /** Opens streams, a hundred at once. */
  async open(paths: readonly string[]): Promise<void> {
    for (let i = 0; i < paths.length; i += 100) await Promise.all(paths.slice(i, i + 100).map((path) => this.#openOne(path)))
  }

  close(): void {
    for (const stream of this.#open) stream.destroy()
  }

  #openOne(path: string): Promise<void> {
    const { url, token } = this.#server
    return new Promise((resolve, reject) => {
      const stream = request(`${url}${path}`, { agent: false, headers: { authorization: `Bearer ${token}` } }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`${path}: ${response.statusCode}`))
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (part: string) => {
          resolve()
          const at = sharedNow()
          const blocks = (text + part).split('\n\n')
          text = blocks.pop() ?? ''
          for (const block of blocks) {
            const name = this.#nameOf(block)
            if (name !== undefined) this.received.push([name, at])
          }
        })
        response.on('error', () => undefined)
      })
      stream.on('error', reject)
      stream.end()
      this.#open.push(stream)
    })
  }
}
