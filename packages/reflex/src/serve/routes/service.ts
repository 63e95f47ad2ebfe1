import { z } from 'zod'
import { plainJson } from '../../protocol/plain.ts'
import { text, v } from '../../protocol/shapes.ts'
import { route } from '../define-route.ts'
import { openApi } from '../openapi.ts'
import type { ServeRoute } from '../world.ts'

/** What the server says about itself. */
export const serviceRoutes: readonly ServeRoute[] = [
  route({
    name: 'health',
    method: 'GET',
    url: '/healthz',
    does: 'Answers while the process works.',
    answers: { 200: z.object({ v, status: z.literal('ok') }) },
    handle: () => ({ json: { v: 1, status: 'ok' } }),
  }),
  route({
    name: 'ready',
    method: 'GET',
    url: '/readyz',
    does: 'Answers while the store can be read.',
    answers: { 200: z.object({ v, status: z.literal('ok'), version: text }) },
    async handle(_, { reflex, version }) {
      await reflex.runs({ limit: 1 })
      return { json: plainJson({ v: 1, status: 'ok', version }) }
    },
  }),
  route({
    name: 'openapi',
    method: 'GET',
    url: '/v1/openapi.json',
    does: 'Describes every route.',
    scope: 'read',
    answers: { 200: 'application/json' },
    handle: (_, { routes, version }) => ({ json: plainJson(openApi(routes, version)) }),
  }),
]
