import type { Reflex } from '../app/reflex.ts'
import { controlRoutes } from '../learn/control/routes.ts'
import { changesOfPart } from '../history/trace.ts'
import { isFault, keptRecords, readPart, readRecords } from '../kernel/index.ts'
import type { KindHead } from '../programs/kind-module.ts'
import type { RouteWorld } from '../programs/route.ts'
import { serveFaults } from '../protocol/faults.ts'
import { readAddress } from '../runs/address.ts'
import { findRecord } from '../runs/find-run.ts'
import { Feeds } from './feed.ts'
import type { TokenHolder } from './principals.ts'
import { fit } from './request.ts'
import { actingRoutes } from './routes/acting.ts'
import { chatRoutes } from './routes/chat.ts'
import { eventRoutes } from './routes/events.ts'
import { graphRoutes } from './routes/graphs.ts'
import { lookingRoutes } from './routes/looking.ts'
import { pageRoutes } from './routes/page.ts'
import { programRoutes } from './routes/programs.ts'
import { serviceRoutes } from './routes/service.ts'
import { hookRoutes } from './triggers/hook-routes.ts'
import { ServeMetrics } from './metrics.ts'
import { NO_TRIGGERS } from './triggers/config.ts'
import { Triggers } from './triggers/triggers.ts'
import { scheduleRoutes } from './triggers/schedule-routes.ts'
import type { AnyRoute, ServeWorld } from './world.ts'

/** The routes of Reflex itself. */
// A path with a word comes before one with a parameter: /v1/runs/events before /v1/runs/{run}.
const OWN: readonly AnyRoute[] = [
  ...eventRoutes,
  ...chatRoutes,
  ...programRoutes,
  ...lookingRoutes,
  ...actingRoutes,
  ...graphRoutes,
  ...pageRoutes,
  ...hookRoutes,
  ...scheduleRoutes,
  ...controlRoutes,
  ...serviceRoutes,
]

/** Returns the routes of a server: its own, and those of kinds. */
export async function routesWith(kinds: readonly Pick<KindHead, 'routes'>[]): Promise<readonly AnyRoute[]> {
  const ofKinds = await Promise.all(kinds.map(async ({ routes }) => (routes === undefined ? [] : routes())))
  return [...OWN, ...ofKinds.flat()]
}

/** Puts together what the routes of a server use, with the routes of all kinds. */
export async function makeWorld(
  reflex: Reflex,
  holders: readonly TokenHolder[],
  {
    version,
    work: works = true,
    metrics = new ServeMetrics(),
    triggers = new Triggers(reflex, NO_TRIGGERS, { metrics }),
    isStopping = () => false,
  }: Pick<ServeWorld, 'version'> &
    Partial<Pick<ServeWorld, 'triggers' | 'metrics' | 'isStopping'>> & { readonly work?: boolean | undefined },
): Promise<ServeWorld> {
  const routes = await routesWith(reflex.kinds.modules)
  const feeds = new Feeds(reflex)
  const world: ServeWorld = {
    ...runsOf(reflex, feeds),
    reflex,
    feeds,
    routes,
    version,
    works,
    metrics,
    triggers,
    isStopping,
    // Several tokens may have one name, so the name does not tell whose trust a request has.
    holder: (principal) => holders.find((holder) => holder === principal) ?? { ...principal, digest: new Uint8Array() },
    async call(name, { path = {}, query = {}, body }, request) {
      const route = routes.find((one) => one.name === name)
      if (route === undefined) throw serveFaults.make('R6007', `there is no route ${name}`)
      const made = {
        ...request,
        path: route.path === undefined ? {} : fit(route.path, path, 'path'),
        query: route.query === undefined ? {} : fit(route.query, query, 'query'),
        body: route.body === undefined ? undefined : fit(route.body, body, 'body'),
      }
      return route.handle(made, world)
    },
  }
  return world
}

/** Returns the access to runs that the routes of kinds have. */
function runsOf(reflex: Reflex, feeds: Feeds): Omit<RouteWorld, 'call'> {
  const { store, runtime, host } = reflex
  return {
    host,
    programs: runtime.programs,
    follow: (run, after, signal) => feeds.follow(run, after, signal),
    records: (run, from, until) => readRecords(store, run, from, until),
    async peek(address) {
      const { ref, at } = readAddress(address)
      const { id } = await findRecord(store, ref, at)
      const peek = await runtime.peek(id, at)
      return { ...peek, definitions: reflex.programsOf(peek.state) }
    },
    async command(run, command) {
      if (!reflex.mayOpen(run)) return false
      try {
        const handle = await reflex.resume(run)
        await handle.run.command(handle.run.state.root.id, command)
        feeds.wake(handle.id)
        return true
      } catch (thrown) {
        if (isFault(thrown) && thrown.code === 'R5001') return false
        throw thrown
      }
    },
    async *changes(run) {
      const part = await readPart(store, run, (await keptRecords(store, run)).first)
      for await (const [change] of changesOfPart(part, (state) => reflex.programsOf(state))) yield change
    },
  }
}
