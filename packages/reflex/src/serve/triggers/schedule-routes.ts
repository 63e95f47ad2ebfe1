import { z } from 'zod'
import { plainJson } from '../../protocol/plain.ts'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import { text, v } from '../../protocol/shapes.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'
import { NAME, SCHEDULE } from './config.ts'
import { scheduleDocument } from './schedules.ts'

const PATH = z.strictObject({ schedule: z.string().min(1).max(64) })
/** Schedules: list, add, remove, pause. */
export const scheduleRoutes: readonly ServeRoute[] = [
  route({
    name: 'schedules.list',
    method: 'GET',
    url: '/v1/schedules',
    does: 'Lists the schedules with their next times and the last one.',
    scope: 'read',
    answers: { 200: SHARED_DOCUMENTS.schedules },
    handle: async (_, { triggers }) => ({
      json: plainJson({ v: 1, schedules: (await triggers.schedules.list()).map(scheduleDocument) }),
    }),
  }),
  route({
    name: 'schedules.add',
    method: 'POST',
    url: '/v1/schedules',
    does: 'Adds a schedule to the store: a program is started at each time of a calendar, whichever server is there.',
    scope: 'admin',
    body: SCHEDULE.extend({ name: NAME }),
    answers: { 201: SHARED_DOCUMENTS.schedule },
    async handle({ body: { name, ...schedule } }, { reflex, triggers }) {
      await reflex.library.named(schedule.program, reflex.workdir)
      await triggers.schedules.add(name, schedule)
      return { status: 201, json: plainJson({ v: 1, schedule: scheduleDocument(await triggers.schedules.view(name)) }) }
    },
  }),
  route({
    name: 'schedules.pause',
    method: 'POST',
    url: '/v1/schedules/{schedule}/pause',
    does: 'Pauses a schedule, or lets it continue.',
    scope: 'admin',
    path: PATH,
    body: z.strictObject({ paused: z.boolean().default(true) }),
    answers: { 200: z.object({ v, name: text, paused: z.boolean() }) },
    async handle({ path, body: { paused } }, { triggers }) {
      await triggers.schedules.pause(path.schedule, paused)
      return { json: plainJson({ v: 1, name: path.schedule, paused }) }
    },
  }),
  route({
    name: 'schedules.remove',
    method: 'DELETE',
    url: '/v1/schedules/{schedule}',
    does: 'Removes a schedule. Runs that it started continue.',
    scope: 'admin',
    path: PATH,
    answers: { 200: z.object({ v, removed: text }) },
    async handle({ path }, { triggers }) {
      await triggers.schedules.remove(path.schedule)
      return { json: plainJson({ v: 1, removed: path.schedule }) }
    },
  }),
]
