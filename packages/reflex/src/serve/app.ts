import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { errorDocument } from '../protocol/documents.ts'
import { serveFaults } from '../protocol/faults.ts'
import type { Principal, RouteAnswer, RouteRequest } from '../programs/route.ts'
import { suggest } from '../text/index.ts'
import { checkOrigin } from './guard.ts'
import { mayUse, type Principals, type TokenHolder } from './principals.ts'
import type { RateLimit } from './rate.ts'
import { fit, parseBody, readBody } from './request.ts'
import { failureOf } from './status.ts'
import { eventStream, lineStream } from './stream.ts'
import type { AnyRoute, ServeWorld } from './world.ts'

/** The limits and rules of a server. */
export interface AppOptions {
  readonly principals: Principals
  /** The names of this server besides those of the loopback address, in lower case. */
  readonly names: readonly string[]
  /** The most bytes of a body. */
  readonly maxBody: number
  /** The most event streams at once. */
  readonly maxStreams: number
  readonly rate: RateLimit
  /** Answers a request over MCP. */
  readonly mcp: (request: Request, holder: TokenHolder) => Promise<Response>
}

const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // The last two: a browser refuses to read any text as HTML or as a script.
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
}

/** The parts of a request that come from the server of Node. */
interface ServerEnv {
  readonly Bindings: HttpBindings
}

const NOBODY: Principal = { name: 'nobody', scopes: new Set() }

/** Returns the application: every request is checked against its route before the route sees it. */
export function appOf(world: ServeWorld, options: AppOptions): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  let streams = 0
  const answer = async (c: Context<ServerEnv>, route: AnyRoute): Promise<Response> => {
    const principal = authorized(c, route, options)
    const request = await requestOf(c, route, principal, options)
    const made = await route.handle(request, world)
    if (!('events' in made)) return responseOf(made)
    const headers = { ...HEADERS, ...made.headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
    // Nobody reads the body of HEAD, so nobody would end its stream.
    if (c.req.raw.method === 'HEAD') return new Response(null, { headers })
    if (streams >= options.maxStreams) throw serveFaults.make('R6011', `${streams} event streams are open`)
    world.metrics.streams.set(++streams)
    const body = eventStream(made.events, world.reflex.host, {
      onEnd: () => world.metrics.streams.set(--streams),
      cut: () => c.env.outgoing.destroy(),
    })
    return new Response(body, { headers })
  }
  const measured = async (c: Context<ServerEnv>, route: AnyRoute): Promise<Response> => {
    const { metrics, reflex } = world
    const begun = reflex.host.monotonic()
    const response = await answer(c, route).catch((thrown: unknown) => failed(thrown))
    metrics.requests.add(1, { route: route.name, status: response.status })
    metrics.durations.record((reflex.host.monotonic() - begun) / 1000, { route: route.name })
    return response
  }
  app.use(async (c, next) => {
    checkOrigin(c.req.raw.headers, options.names)
    await next()
  })
  for (const route of world.routes) app.on(route.method, honoPath(route.url), (c) => measured(c, route))
  app.on(['GET', 'POST', 'DELETE'], '/mcp', async (c) => {
    const answered = await options.mcp(c.req.raw, holderOf(c, options))
    const headers = new Headers(answered.headers)
    for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value)
    return new Response(answered.body, { status: answered.status, headers })
  })
  app.notFound((c) => {
    const { method, path } = c.req
    const known = world.routes.filter(({ url }) => isPathOf(url, path)).map((route) => route.method)
    const guess = suggest(
      path,
      world.routes.map(({ url }) => url),
    )
    const problem = known.length > 0 ? `${path} takes ${known.join(' and ')}, not ${method}` : `there is no route ${path}`
    const fault = serveFaults.make('R6007', `${problem}${known.length === 0 && guess !== undefined ? `; did you mean ${guess}?` : ''}`)
    return failed(fault, known.length > 0 ? { allow: known.join(', ') } : {}, known.length > 0 ? 405 : undefined)
  })
  app.onError((thrown) => failed(thrown))
  return app
}

/** Returns the principal of a request. Throws `R6001`, `R6002` and `R6008`. */
function authorized(c: Context, { scope, name }: AnyRoute, options: AppOptions): Principal {
  if (scope === undefined) return NOBODY
  const holder = holderOf(c, options)
  if (!mayUse(holder, scope)) throw serveFaults.make('R6002', `the token ${holder.name} may not ${scope}, which ${name} needs`)
  return holder
}

/** Returns the holder of the token of a request, and counts the request. Throws `R6001` and `R6008`. */
function holderOf(c: Context, { principals, rate }: AppOptions): TokenHolder {
  const holder = principals.find(c.req.header('authorization'))
  if (holder === undefined) throw serveFaults.make('R6001', 'the request has no valid token')
  rate.count(holder.name)
  return holder
}

async function requestOf(c: Context, route: AnyRoute, principal: Principal, { maxBody }: AppOptions): Promise<RouteRequest> {
  const { path, query, body } = route
  const found = new URL(c.req.url).searchParams
  return {
    path: path === undefined ? {} : fit(path, c.req.param(), 'path'),
    query: query === undefined ? {} : fit(query, Object.fromEntries(found), 'query'),
    body:
      body === undefined
        ? undefined
        : fit(
            body,
            parseBody(await readBody(c.req.raw, Math.min(maxBody, route.maxBody ?? maxBody)), c.req.header('content-type'), route.takes),
            'body',
          ),
    principal,
    header: (name) => c.req.header(name),
    signal: c.req.raw.signal,
  }
}

function responseOf(answer: Exclude<RouteAnswer, { readonly events: unknown }>): Response {
  if ('json' in answer) {
    const headers = { ...HEADERS, ...answer.headers, 'content-type': 'application/json' }
    return new Response(JSON.stringify(answer.json), { status: answer.status ?? 200, headers })
  }
  if ('lines' in answer) return new Response(lineStream(answer.lines), { headers: { ...HEADERS, 'content-type': answer.type } })
  const { status = 200, text, type, headers } = answer
  const isEmpty = status === 204 || status === 304
  return new Response(isEmpty ? null : text, {
    status,
    headers: { ...HEADERS, ...headers, ...(isEmpty ? {} : { 'content-type': type }) },
  })
}

/** Returns a failure as the document of its fault, with the fitting status. */
function failed(thrown: unknown, more: Readonly<Record<string, string>> = {}, as?: number): Response {
  const { status, fault } = failureOf(thrown)
  const wait = fault.data?.retryAfter
  const headers = {
    ...HEADERS,
    ...more,
    'content-type': 'application/json',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(typeof wait === 'number' ? { 'retry-after': String(wait) } : {}),
  }
  return new Response(JSON.stringify(errorDocument(fault)), { status: as ?? status, headers })
}

/** Returns `/v1/runs/:run` for `/v1/runs/{run}`. */
function honoPath(url: string): string {
  return url.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** True if a path is one of a route. */
function isPathOf(url: string, path: string): boolean {
  const [wanted, found] = [url.split('/'), path.split('/')]
  return wanted.length === found.length && wanted.every((part, i) => part === found[i] || (part.startsWith('{') && found[i] !== ''))
}
