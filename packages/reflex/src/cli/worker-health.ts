import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Reflex } from '../app/reflex.ts'
import { causeOf, faultData, isFault } from '../kernel/index.ts'
import { errorDocument } from '../protocol/documents.ts'
import { serveFaults } from '../protocol/faults.ts'
import { faults } from '../runs/faults.ts'
import { requireStore } from '../serve/ready.ts'
import type { Console } from './console.ts'
import { plainLine } from './progress.ts'

/** The most connections at once, and the milliseconds that a client has for its request. A probe needs little of both. */
const LIMITS = { connections: 50, requestMs: 5000 }

/** The server of a worker that answers probes. */
export interface WorkerProbes {
  readonly port: number
  /** Stops answering. */
  close(): Promise<void>
}

/** Answers probes as `answerProbes` does if a port is named, and prints the port. */
export async function openProbes(
  console: Console,
  reflex: Reflex,
  word: string | undefined,
  stopping: AbortSignal,
): Promise<WorkerProbes | undefined> {
  if (word === undefined) return undefined
  const probes = await answerProbes(reflex, portOf(word), stopping)
  if (!console.quiet && console.shape === 'text') plainLine(console, console.now, 'answers', `probes on port ${probes.port}`)
  return probes
}

/**
 * Answers the probes of a supervisor: `/healthz` while the process works, `/readyz` while its store answers and it is not stopping. It
 * listens on every address of the machine, since a supervisor asks from outside; the answers contain nothing about runs. A store that is
 * away makes the worker unready, not unhealthy: a restart would not bring it back. Throws `R6012` if it cannot listen.
 */
export async function answerProbes(reflex: Reflex, port: number, stopping: AbortSignal): Promise<WorkerProbes> {
  const server = createServer({ requestTimeout: LIMITS.requestMs, headersTimeout: LIMITS.requestMs }, (request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    void probe(reflex, path, stopping).then(
      () => send(response, 200, { v: 1, status: 'ok' }),
      (thrown: unknown) => send(response, isFault(thrown) && thrown.code === 'R6007' ? 404 : 503, documentOf(thrown)),
    )
  })
  server.maxConnections = LIMITS.connections
  return {
    port: await listen(server, port),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function probe(reflex: Reflex, path: string, stopping: AbortSignal): Promise<void> {
  if (path === '/healthz') return
  if (path !== '/readyz') throw serveFaults.make('R6007', `there is no route ${path}`, { fix: 'ask for /healthz or /readyz' })
  if (stopping.aborted) throw serveFaults.make('R6061', 'the worker is stopping')
  await requireStore(reflex)
}

function documentOf(thrown: unknown): object {
  if (isFault(thrown)) return errorDocument(faultData(thrown))
  const cause = causeOf(thrown)
  return errorDocument({ code: 'R9002', verdict: 'bug', message: typeof cause === 'string' ? cause : cause.message })
}

function send(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' }
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`)
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        serveFaults.make('R6012', `the worker cannot listen on port ${port}: ${cause.message}`, {
          cause,
          fix: 'choose another port for --health',
        }),
      ),
    )
    server.listen(port, resolve)
  })
  return (server.address() as AddressInfo).port
}

/** Reads a port. Throws `R2031`. */
function portOf(word: string): number {
  const port = Number(word)
  if (/^\d+$/.test(word) && port <= 65_535) return port
  throw faults.make('R2031', `--health ${JSON.stringify(word)} is not a port`, { fix: 'write a number from 0 to 65535' })
}
