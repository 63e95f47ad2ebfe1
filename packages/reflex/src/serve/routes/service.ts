import { z } from 'zod'
import { plainJson } from '../../protocol/plain.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { text, v } from '../../protocol/shapes.ts'
import { route } from '../define-route.ts'
import { openApi } from '../openapi.ts'
import { measureStore } from '../measure-store.ts'
import { requireStore } from '../ready.ts'
import type { ServeRoute } from '../world.ts'

/** The routes about the server itself. */
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
    does: 'Answers while the store can be read and the server is not stopping.',
    answers: { 200: z.object({ v, status: z.literal('ok'), version: text }) },
    async handle(_, { reflex, version, isStopping }) {
      if (isStopping()) throw serveFaults.make('R6061', 'the server is stopping')
      await requireStore(reflex)
      return { json: plainJson({ v: 1, status: 'ok', version }) }
    },
  }),
  route({
    name: 'metrics',
    method: 'GET',
    url: '/metrics',
    does: 'Returns the metrics of the store and of this server, as Prometheus reads them.',
    scope: 'read',
    answers: { 200: 'text/plain' },
    async handle(_, { reflex, metrics, triggers }) {
      await measureStore(reflex, metrics)
      for (const { name, behind } of await triggers.subscriptions()) metrics.behind.set(behind, { subscription: name })
      return { text: metrics.text(), type: 'text/plain; version=0.0.4; charset=utf-8' }
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
