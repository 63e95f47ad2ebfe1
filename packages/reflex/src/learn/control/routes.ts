import { z } from 'zod'
import type { Reflex } from '../../app/reflex.ts'
import { digest, type JsonObject } from '../../kernel/index.ts'
import { faults } from '../../kinds/skill/control/faults.ts'
import {
  policyCheck,
  policyVerdict,
  promotion,
  promotionQueued,
  promotionState,
  syncAnswer,
  syncQuery,
  telemetry,
  usageRow,
} from '../../kinds/skill/control/messages.ts'
import type { Route } from '../../programs/route.ts'
import { OwnPlane } from './own-plane.ts'

/** What these routes use of a server. */
export interface ControlWorld {
  readonly reflex: Reflex
  readonly version: string
}

const v = z.literal(1)
const PROJECT = syncQuery.pick({ project: true, env: true })

/** The control plane of a small team: skills of the store of this server, for agents elsewhere. */
export const controlRoutes: readonly Route<ControlWorld>[] = [
  route({
    name: 'policy.check',
    method: 'POST',
    url: '/v1/policy/check',
    does: 'Says if a version of a skill may run in an environment. The request has no values of arguments.',
    scope: 'read',
    body: policyCheck,
    answers: { 200: policyVerdict },
    handle: async ({ body }, world) => ({ json: jsonOf(await planeOf(world).check(body)) }),
  }),
  route({
    name: 'skills.sync',
    method: 'GET',
    url: '/v1/skills/sync',
    does: 'Returns the skills of a project that have changed after a cursor. 304: none, as If-None-Match says.',
    scope: 'read',
    query: syncQuery,
    answers: { 200: syncAnswer, 304: 'Nothing has changed' },
    async handle({ query: { project, env, since }, header }, world) {
      const answer = await planeOf(world).sync(project, env, since)
      const etag = `"${answer.cursor}"`
      if (header('if-none-match') === etag) return { status: 304, text: '', type: 'text/plain', headers: { etag } }
      return { json: jsonOf(answer), headers: { etag } }
    },
  }),
  route({
    name: 'promotions.ask',
    method: 'POST',
    url: '/v1/promotions',
    does: 'Uses a tested version of a skill in another environment. The holder of the token approves it.',
    scope: 'admin',
    body: promotion,
    keyed: true,
    answers: { 202: promotionQueued },
    async handle({ body, header, principal }, world) {
      const key = header('idempotency-key') ?? digest(JSON.stringify(body))
      const id = await planeOf(world).promote(body, { key, by: principal.name })
      return { status: 202, json: { promotion_id: id, status: 'queued' } }
    },
  }),
  route({
    name: 'promotions.get',
    method: 'GET',
    url: '/v1/promotions/{promotion}',
    does: 'Returns what became of a promotion.',
    scope: 'read',
    path: z.strictObject({ promotion: z.string().min(1).max(100) }),
    answers: { 200: promotionState },
    async handle({ path }, world) {
      const state = await planeOf(world).promotion(path.promotion)
      if (state === undefined) throw faults.make('R2176', `there is no promotion ${path.promotion}`)
      return { json: jsonOf(state) }
    },
  }),
  route({
    name: 'telemetry.report',
    method: 'POST',
    url: '/v1/telemetry',
    does: 'Takes counts of what skills did in a window of time.',
    scope: 'answer',
    body: telemetry,
    keyed: true,
    answers: { 202: z.object({ v, accepted: z.int() }) },
    async handle({ body, header, principal }, world) {
      const key = header('idempotency-key') ?? digest(JSON.stringify(body))
      await planeOf(world).report(body, `${encodeURIComponent(principal.name)}/${key}`)
      return { status: 202, json: { v: 1, accepted: body.skills.length } }
    },
  }),
  route({
    name: 'telemetry.list',
    method: 'GET',
    url: '/v1/telemetry',
    does: 'Returns the sums of what was reported of a project, by version.',
    scope: 'read',
    query: PROJECT,
    answers: { 200: z.object({ v, skills: z.array(usageRow) }) },
    async handle({ query: { project, env } }, world) {
      return { json: jsonOf({ v: 1, skills: await planeOf(world).usage(project, env) }) }
    },
  }),
]

/** A route whose handler sees the types of its schemas. */
function route<
  Path extends z.ZodType<object> = z.ZodType<object>,
  Query extends z.ZodType<object> = z.ZodType<object>,
  Body extends z.ZodType = z.ZodType,
>(definition: Route<ControlWorld, Path, Query, Body>): Route<ControlWorld> {
  return definition
}

function planeOf({ reflex, version }: ControlWorld): OwnPlane {
  const { store, host } = reflex
  return new OwnPlane({
    store,
    sdk: version.split('.')[0] ?? version,
    now: () => host.now(),
    unique: () => host.entropy(),
  })
}

/** The messages have no undefined members: they fit their schemas. */
function jsonOf(message: object): JsonObject {
  return message as JsonObject
}
