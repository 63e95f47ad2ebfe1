import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Reflex } from '../app/reflex.ts'
import { joinCluster } from '../app/cluster/work.ts'
import type { WorkerEvent } from '../app/options.ts'
import { work } from '../app/worker.ts'
import { serveFaults } from '../protocol/faults.ts'
import { appOf } from './app.ts'
import { countEffects } from './count-effects.ts'
import type { Fault } from '../kernel/index.ts'
import { leaveAll } from './leave-all.ts'
import { makeWorld } from './make-world.ts'
import { McpHttp } from './mcp/http.ts'
import { ServeMetrics } from './metrics.ts'
import { newToken, Principals, type TokenHolder } from './principals.ts'
import { RateLimit } from './rate.ts'
import { NO_TRIGGERS, type TriggerConfig } from './triggers/config.ts'
import { Triggers } from './triggers/triggers.ts'

/** The options of a server. Each has a default. */
export interface ServeOptions {
  /** The version of Reflex, as the server reports it. */
  readonly version: string
  /** Default: the loopback address 127.0.0.1. */
  readonly bind?: string
  /** Default: 4173. 0: any free port. */
  readonly port?: number
  /** Names under which the server may be called, besides `localhost`. */
  readonly names?: readonly string[]
  /** The tokens that it accepts besides the one that it makes. */
  readonly tokens?: readonly TokenHolder[]
  /** False: it makes no token of its own. Default: true. */
  readonly ownToken?: boolean
  /** False: runs that are due are left to workers. */
  readonly work?: boolean
  /** Milliseconds that effects have to end when the server stops. Default: 5000. */
  readonly grace?: number
  /** The most bytes of a body. Default: 10,000,000. */
  readonly maxBody?: number
  /** The most requests of a token in a minute. Default: 6000. */
  readonly rate?: number
  /** The most event streams at once. Default: 10,000. */
  readonly maxStreams?: number
  /** Milliseconds that a client has to send the headers of a request. Default: 10,000. */
  readonly headersTimeout?: number
  /** Milliseconds that a client has to send a whole request. Default: 60,000. */
  readonly requestTimeout?: number
  readonly onWork?: (event: WorkerEvent) => void
  /** The webhooks and schedules that start runs, and the webhooks that runs send. */
  readonly triggers?: TriggerConfig
  /** Receives faults of triggers that nobody waits for. */
  readonly onTrouble?: (fault: Fault) => void
}

/** A server that listens. */
export interface RunningServer {
  /** `http://127.0.0.1:4173` */
  readonly url: string
  /** The token that it has made, with all scopes. It is valid until the server stops. Empty if it has made none. */
  readonly token: string
  /** Stops in order: takes no new requests, ends streams, releases its runs. Resolves when it has stopped. */
  stop(): Promise<void>
}

const DEFAULTS = {
  bind: '127.0.0.1',
  port: 4173,
  grace: 5000,
  maxBody: 10_000_000,
  rate: 6000,
  maxStreams: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
}
/** The most connections, the most bytes of headers, and the most milliseconds between two searches for slow requests. */
const LIMITS = { connections: 20_000, headerBytes: 16_384, checkMs: 1000 }

/** Starts a server over a `Reflex`, which the caller closes after it. Throws `R6012` if it cannot listen. */
export async function startServer(reflex: Reflex, options: ServeOptions): Promise<RunningServer> {
  const { bind, port, grace, maxBody, rate, maxStreams, headersTimeout, requestTimeout } = { ...DEFAULTS, ...options }
  const { token, holder } = newToken(reflex.actor, reflex.host.entropy())
  const hasOwn = options.ownToken !== false
  const holders = [...(hasOwn ? [holder] : []), ...(options.tokens ?? [])]
  const metrics = new ServeMetrics()
  countEffects(reflex, metrics)
  const triggers = new Triggers(reflex, options.triggers ?? NO_TRIGGERS, { metrics, onTrouble: options.onTrouble })
  const stopWork = new AbortController()
  const { version, work: works } = options
  const world = await makeWorld(reflex, holders, { version, work: works, triggers, metrics, isStopping: () => stopWork.signal.aborted })
  const names = [...(options.names ?? []), ...(bind === '0.0.0.0' || bind === '::' ? [] : [isIPv6(bind) ? `[${bind}]` : bind])].map(
    (name) => name.toLowerCase(),
  )
  const mcp = new McpHttp(reflex, { version: options.version, maxBody })
  const app = appOf(world, {
    mcp: (request, from) => mcp.answer(request, from),
    principals: new Principals(holders),
    names,
    maxBody,
    maxStreams,
    rate: new RateLimit(rate, () => reflex.host.now()),
  })
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headerBytes,
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval: Math.min(LIMITS.checkMs, headersTimeout, requestTimeout),
    },
    (request, response) => void getRequestListener(app.fetch, { overrideGlobalObjects: false })(request, response),
  )
  server.maxConnections = LIMITS.connections
  const url = await listen(server, bind, port)
  triggers.start(world.feeds.pages)
  const working = options.work === false ? undefined : await beginWork(reflex, { signal: stopWork.signal, grace, onWork: options.onWork })
  return {
    url,
    token: hasOwn ? token : '',
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      stopWork.abort()
      await mcp.close()
      await triggers.stop()
      // Requests have started runs that no worker holds.
      await Promise.all([working?.ended, leaveAll(reflex, grace)])
      server.closeAllConnections()
      await closed
    },
  }
}

/** Begins to continue runs that are due, alone or as a worker of the cluster. Resolves with the promise that the work has ended. */
async function beginWork(
  reflex: Reflex,
  { signal, grace, onWork }: { readonly signal: AbortSignal; readonly grace: number; readonly onWork: ServeOptions['onWork'] },
): Promise<{ readonly ended: Promise<void> }> {
  const events = onWork === undefined ? {} : { onEvent: onWork }
  if (reflex.clusterSettings === undefined) return { ended: work(reflex, { signal, grace, ...events }) }
  const member = await joinCluster(reflex, { grace, ...events })
  return { ended: new Promise((resolve, reject) => signal.addEventListener('abort', () => void member.leave().then(resolve, reject))) }
}

/** Listens, and returns the address. */
async function listen(server: Server, bind: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(serveFaults.make('R6012', `the server cannot listen on ${bind}:${port}: ${cause.message}`, { cause })),
    )
    server.listen(port, bind, resolve)
  })
  const { address, port: actual, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}
