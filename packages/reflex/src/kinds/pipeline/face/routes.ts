import { z } from 'zod'
import type { JsonObject } from '../../../kernel/index.ts'
import {
  defineRoute,
  type RequestOrigin,
  type Route,
  type RouteAnswer,
  type RouteRequest,
  type RouteWorld,
} from '../../../programs/route.ts'
import { chronicleOf, eventsOf, progressOf, readable, statusOf } from './served-run.ts'

const ID = z.strictObject({ id: z.string().min(1).max(200) })
const ANY = z.looseObject({})
const START = z.union([
  z.string().min(1),
  z.strictObject({
    dot: z.string().min(1),
    goal: z.string().exactOptional(),
    inputs: z.record(z.string(), z.json()).exactOptional(),
    options: z.looseObject({}).exactOptional().describe('Other fields of a start: id, limits, simulate, wait'),
  }),
])
const ANSWER = z.union([z.strictObject({ value: z.json() }), z.strictObject({ selected: z.json() }), z.strictObject({ text: z.string() })])

/** The routes of pipelines (reference pipeline 10.1). Each passes its request on to a route of every kind. */
export const pipelineRoutes: readonly Route[] = [
  ...['/pipelines', '/run'].map((url) =>
    defineRoute({
      name: url === '/run' ? 'pipelines.run' : 'pipelines.start',
      method: 'POST',
      url,
      does: 'Starts a pipeline.',
      scope: 'start',
      body: START,
      takes: ['text/vnd.graphviz'],
      keyed: true,
      answers: { 202: z.object({ id: z.string(), status: z.string(), diagnostics: z.array(ANY) }), 422: ANY },
      handle: start,
    }),
  ),
  defineRoute({
    name: 'pipelines.list',
    method: 'GET',
    url: '/pipelines',
    does: 'Lists the runs of pipelines.',
    scope: 'read',
    answers: { 200: z.object({ pipelines: z.array(ANY) }) },
    async handle(request, world) {
      const { runs } = jsonOf(await world.call('runs.list', { query: { kind: 'pipeline', limit: 1000 } }, request))
      const pipelines = (runs as JsonObject[]).map(({ id = '', status, started }) => ({
        id,
        status: statusOf(status),
        started_at: started ?? null,
      }))
      return { json: { pipelines } }
    },
  }),
  defineRoute({
    name: 'pipelines.get',
    method: 'GET',
    url: '/pipelines/{id}',
    does: 'Returns the progress of a pipeline.',
    scope: 'read',
    path: ID,
    answers: { 200: ANY },
    handle: async ({ path }, world) => ({ json: await progressOf(path.id, world) }),
  }),
  defineRoute({
    name: 'pipelines.status',
    method: 'GET',
    url: '/status',
    does: 'Returns the progress of a pipeline.',
    scope: 'read',
    query: ID,
    answers: { 200: ANY },
    handle: async ({ query }, world) => ({ json: await progressOf(query.id, world) }),
  }),
  defineRoute({
    name: 'pipelines.events',
    method: 'GET',
    url: '/pipelines/{id}/events',
    does: 'Streams the events of a pipeline, those of the past first, and ends with the run.',
    scope: 'read',
    path: ID,
    answers: { 200: 'text/event-stream' },
    async handle({ path, header, signal }, world) {
      const { row } = await world.peek(path.id)
      return { events: eventsOf(row.id, header('last-event-id'), world, signal) }
    },
  }),
  defineRoute({
    name: 'pipelines.cancel',
    method: 'POST',
    url: '/pipelines/{id}/cancel',
    does: 'Cancels a pipeline.',
    scope: 'start',
    path: ID,
    answers: { 202: ANY },
    handle: (request, world) => world.call('runs.cancel', { path: { run: request.path.id }, body: {} }, request),
  }),
  defineRoute({
    name: 'pipelines.graph',
    method: 'GET',
    url: '/pipelines/{id}/graph',
    does: 'Returns the graph of a pipeline with the states of its nodes.',
    scope: 'read',
    path: ID,
    query: z.strictObject({ format: z.enum(['svg', 'dot', 'json']).default('svg') }),
    gives: ['text/vnd.graphviz', 'application/json'],
    answers: { 200: 'image/svg+xml' },
    handle: (request, world) => world.call('runs.graph', { path: { run: request.path.id }, query: request.query }, request),
  }),
  defineRoute({
    name: 'pipelines.questions',
    method: 'GET',
    url: '/pipelines/{id}/questions',
    does: 'Lists the open questions of a pipeline.',
    scope: 'read',
    path: ID,
    answers: { 200: ANY },
    handle: (request, world) => world.call('runs.questions', { path: { run: request.path.id } }, request),
  }),
  defineRoute({
    name: 'pipelines.answer',
    method: 'POST',
    url: '/pipelines/{id}/questions/{question}/answer',
    does: 'Answers a question of a pipeline.',
    scope: 'answer',
    path: ID.extend({ question: z.string().min(1).max(500) }),
    body: ANSWER,
    answers: { 200: ANY },
    handle: (request, world) => answer({ ...request.path, body: request.body }, world, request),
  }),
  defineRoute({
    name: 'pipelines.answerAlias',
    method: 'POST',
    url: '/answer',
    does: 'Answers a question of a pipeline.',
    scope: 'answer',
    body: z.intersection(z.looseObject({ id: z.string(), question: z.string() }), z.looseObject({ value: z.json() })),
    answers: { 200: ANY },
    handle: (request, world) => {
      const { id, question, value } = request.body
      return answer({ id, question, body: { value } }, world, request)
    },
  }),
  defineRoute({
    name: 'pipelines.signal',
    method: 'POST',
    url: '/pipelines/{id}/signals/{topic}',
    does: 'Sends a message to a pipeline.',
    scope: 'answer',
    path: ID.extend({ topic: z.string().min(1).max(500) }),
    body: z.json(),
    answers: { 202: ANY },
    handle: (request, world) => {
      const { id, topic } = request.path
      return world.call('runs.signal', { path: { run: id, topic }, body: { value: request.body } }, request)
    },
  }),
  defineRoute({
    name: 'pipelines.context',
    method: 'GET',
    url: '/pipelines/{id}/context',
    does: 'Returns the context of a pipeline.',
    scope: 'read',
    path: ID,
    answers: { 200: ANY },
    async handle({ path, principal }, world) {
      const { chronicle, typed } = await chronicleOf(path.id, world)
      return { json: { context: readable(Object.fromEntries(chronicle.progress.context), chronicle, typed, principal) } }
    },
  }),
  defineRoute({
    name: 'pipelines.checkpoint',
    method: 'GET',
    url: '/pipelines/{id}/checkpoint',
    does: 'Returns the checkpoint of a pipeline, without a signature.',
    scope: 'read',
    path: ID,
    answers: { 200: ANY },
    async handle({ path, principal }, world) {
      const { chronicle, typed, row, logsRoot } = await chronicleOf(path.id, world)
      const { context_values, ...rest } = JSON.parse(chronicle.checkpoint(typed, row.id, logsRoot)) as JsonObject
      return { json: { ...rest, context_values: readable(context_values as JsonObject, chronicle, typed, principal) } }
    },
  }),
]

async function start(request: RouteRequest<object, object, z.output<typeof START>>, world: RouteWorld): Promise<RouteAnswer> {
  const { body } = request
  const { dot, goal, inputs = {}, options = {} } = typeof body === 'string' ? { dot: body } : body
  const program = { text: dot, name: 'pipeline.dot', kind: 'pipeline' }
  const { findings } = jsonOf(await world.call('programs.check', { body: program }, request))
  const diagnostics = findings as JsonObject[]
  if (diagnostics.some(({ severity }) => severity === 'error')) return { status: 422, json: { diagnostics } }
  const input = { ...inputs, ...(goal === undefined ? {} : { goal }) }
  const { run, status } = jsonOf(await world.call('runs.start', { body: { ...options, program, input } }, request))
  return { status: 202, json: { id: run ?? '', status: statusOf(status), diagnostics } }
}

function answer(
  { id, question, body }: { readonly id: string; readonly question: string; readonly body: z.output<typeof ANSWER> },
  world: RouteWorld,
  request: RequestOrigin,
): Promise<RouteAnswer> {
  const value = 'value' in body ? body.value : 'selected' in body ? body.selected : body.text
  return world.call('questions.answer', { path: { run: id, question }, body: { value } }, request)
}

function jsonOf(answer: RouteAnswer): JsonObject {
  return 'json' in answer ? answer.json : {}
}
