import { z } from 'zod'
import { plainJson, utc } from '../../protocol/plain.ts'
import { list, text, v } from '../../protocol/shapes.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'
import { NAME, SCHEDULE } from './config.ts'
import type { ScheduleView } from './schedules.ts'

const PATH = z.strictObject({ schedule: z.string().min(1).max(64) })
const shape = z.object({
  name: text,
  cron: text,
  zone: text,
  program: text,
  missed: text,
  overlap: text,
  paused: z.boolean(),
  declared: z.enum(['file', 'store']),
  next: list(text),
  last: z.object({ time: text, did: text.optional(), run: text.optional() }).optional(),
})

/** Schedules: list, add, remove, pause. */
export const scheduleRoutes: readonly ServeRoute[] = [
  route({
    name: 'schedules.list',
    method: 'GET',
    url: '/v1/schedules',
    does: 'Lists the schedules with their next times and the last one.',
    scope: 'read',
    answers: { 200: z.object({ v, schedules: list(shape) }) },
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
    answers: { 201: z.object({ v, schedule: shape }) },
    async handle({ body: { name, ...schedule } }, { reflex, triggers }) {
      await reflex.library.named(schedule.program, reflex.workdir)
      await triggers.schedules.add(name, schedule)
      const added = (await triggers.schedules.list()).find((one) => one.name === name)
      return { status: 201, json: plainJson({ v: 1, ...(added === undefined ? {} : { schedule: scheduleDocument(added) }) }) }
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

/** Returns a schedule as JSON shows it. */
export function scheduleDocument({ name, schedule, isFile, next, last }: ScheduleView): object {
  const { input, ...rest } = schedule
  return {
    name,
    ...rest,
    ...(Object.keys(input).length === 0 ? {} : { input }),
    declared: isFile ? 'file' : 'store',
    next: next.map((time) => utc(time)),
    ...(last?.did === undefined
      ? {}
      : {
          last: {
            time: utc(last.at),
            did: last.did,
            ...(last.run === undefined ? {} : { run: last.run }),
            ...(last.error === undefined ? {} : { error: last.error }),
          },
        }),
  }
}
