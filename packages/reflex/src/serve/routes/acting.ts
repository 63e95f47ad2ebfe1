import { z } from 'zod'
import { questionDocument, resultDocument } from '../../protocol/documents.ts'
import { plainJson } from '../../protocol/plain.ts'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import { answered, fault, list, question, v } from '../../protocol/shapes.ts'
import { forkDocument, importDocument, storedResultDocument } from '../../protocol/view-document.ts'
import { cancelMatching, MOST_CANCELLED } from '../../runs/cancel-matching.ts'
import { TRUST_LEVELS } from '../../policy/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { checkTopic } from '../check-topic.ts'
import { route } from '../define-route.ts'
import { decidedAnswer } from '../answer-decision.ts'
import { mayUse, sentBy } from '../principals.ts'
import type { ServeRoute } from '../world.ts'
import { addressOf, AT, JSON_VALUE, RUN } from './parts.ts'

const INSTANT = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

/** Requests that answer, send, cancel and fork. */
export const actingRoutes: readonly ServeRoute[] = [
  route({
    name: 'questions.list',
    method: 'GET',
    url: '/v1/questions',
    does: 'Lists the open questions of all runs, the oldest first.',
    scope: 'read',
    answers: { 200: SHARED_DOCUMENTS.inbox },
    handle: async (_, { reflex }) => ({ json: plainJson({ v: 1, questions: (await reflex.inbox()).map(questionDocument) }) }),
  }),
  route({
    name: 'runs.questions',
    method: 'GET',
    url: '/v1/runs/{run}/questions',
    does: 'Lists the open questions of a run.',
    scope: 'read',
    path: RUN,
    answers: { 200: z.object({ v, questions: list(question) }) },
    async handle({ path }, { reflex }) {
      const { questions } = await reflex.show(path.run)
      return { json: plainJson({ v: 1, questions: questions.map(questionDocument) }) }
    },
  }),
  route({
    name: 'questions.answer',
    method: 'POST',
    url: '/v1/runs/{run}/questions/{question}/answer',
    does: 'Answers an open question. 200: the answer is durable and counts; 202: it is durable, and the process that holds the run has not decided on it in ten seconds. The run continues by itself.',
    scope: 'answer',
    path: RUN.extend({ question: z.string().min(1).max(500) }),
    body: z.strictObject({ value: JSON_VALUE, reason: z.string().max(10_000).exactOptional() }),
    answers: { 200: z.object({ v, answered, record: z.number() }), 202: z.object({ v, answered }) },
    async handle({ path, body, principal }, { reflex, feeds, holder }) {
      const { value, ...why } = body
      const given = await reflex.answer(`${path.run}/${path.question}`, value, { ...sentBy(holder(principal)), ...why })
      const { question: open } = given
      const record = given.record ?? (await decidedAnswer(reflex, open, { value, by: principal.name }))
      feeds.wake(open.run)
      return {
        status: record === undefined ? 202 : 200,
        json: plainJson({ v: 1, answered: { question: open.id, value, by: principal.name, ...why }, record }),
      }
    },
  }),
  route({
    name: 'runs.signal',
    method: 'POST',
    url: '/v1/runs/{run}/signals/{topic}',
    does: 'Sends a message to a run, which waits for it now or later.',
    scope: 'answer',
    path: RUN.extend({ topic: z.string().min(1).max(500) }),
    body: z.strictObject({ value: JSON_VALUE.default(null) }),
    answers: { 202: SHARED_DOCUMENTS.signalled },
    async handle({ path, body, principal }, { reflex, feeds, holder }) {
      await checkTopic(reflex, path.run, path.topic, principal)
      const { run, topic } = await reflex.signal(path.run, path.topic, body.value, sentBy(holder(principal)))
      feeds.wake(run)
      return { status: 202, json: plainJson({ v: 1, run, signal: { topic, value: body.value, by: principal.name }, inbox: true }) }
    },
  }),
  route({
    name: 'runs.cancel',
    method: 'POST',
    url: '/v1/runs/{run}/cancel',
    does: 'Cancels a run: here, or by asking the process that holds it.',
    scope: 'start',
    path: RUN,
    body: z.strictObject({ reason: z.string().max(10_000).optional() }),
    answers: { 202: SHARED_DOCUMENTS.cancelled },
    async handle({ path, body: { reason }, principal }, { reflex, feeds }) {
      const by = principal.name
      const { run, did, status, record, effects } = await reflex.cancel(path.run, {
        by,
        wait: 0,
        ...(reason === undefined ? {} : { reason }),
      })
      feeds.wake(run)
      const json = plainJson({ v: 1, run, did, status, cancelled: { by, reason, record }, inbox: did === 'requested', effects })
      return { status: did === 'late' ? 409 : 202, json }
    },
  }),
  route({
    name: 'runs.fork',
    method: 'POST',
    url: '/v1/runs/{run}/fork',
    does: 'Makes a run that shares the history up to a record. It performs nothing until it is resumed. Other values, another decision and another trust need the scope admin.',
    scope: 'start',
    path: RUN,
    body: z.strictObject({
      at: AT,
      id: z.string().exactOptional(),
      set: z.record(z.string(), JSON_VALUE).exactOptional(),
      decide: z.string().exactOptional(),
      trust: z.enum(TRUST_LEVELS).exactOptional(),
      simulate: z.boolean().exactOptional(),
    }),
    answers: { 201: SHARED_DOCUMENTS.fork },
    async handle({ path, body: { at, ...wanted }, principal }, { reflex }) {
      const changed = (['set', 'decide', 'trust'] as const).find((name) => wanted[name] !== undefined)
      if (changed !== undefined && !mayUse(principal, 'admin'))
        throw serveFaults.make('R6002', `the token ${principal.name} may not change a fork: ${changed} needs the scope admin`)
      return { status: 201, json: forkDocument(await reflex.fork(addressOf(path, at), wanted)) }
    },
  }),
  route({
    name: 'runs.resume',
    method: 'POST',
    url: '/v1/runs/{run}/resume',
    does: 'Continues a run that stopped or was suspended, such as a fork.',
    scope: 'start',
    path: RUN,
    body: z.strictObject({}),
    answers: { 202: SHARED_DOCUMENTS.result },
    async handle({ path }, { reflex, feeds }) {
      const { id } = await reflex.find(path.run)
      if (!reflex.mayOpen(id) && (await (await reflex.cluster()).resume(id)))
        return { status: 202, json: storedResultDocument(await reflex.show(id)) }
      const handle = await reflex.resume(id)
      feeds.wake(handle.id)
      return { status: 202, json: resultDocument(handle, false) }
    },
  }),
  route({
    name: 'runs.cancelAll',
    method: 'POST',
    url: '/v1/runs/cancel',
    does: 'Cancels the unfinished runs that match a filter, newest first. `next` continues after the last of them.',
    scope: 'admin',
    body: z.strictObject({
      filter: z
        .strictObject({
          kind: z.string().max(50).exactOptional(),
          program: z.string().max(500).exactOptional().describe('kind:name'),
          status: z.enum(['running', 'suspended']).exactOptional(),
          prefix: z.string().min(1).max(200).exactOptional().describe('The beginning of their ids'),
          since: INSTANT.exactOptional().describe('Only runs that changed since then'),
          until: INSTANT.exactOptional().describe('Only runs that have not changed since then'),
        })
        .refine((filter) => Object.keys(filter).length > 0, 'a filter names at least one property of the runs'),
      reason: z.string().max(10_000).exactOptional(),
      dry: z.boolean().default(false).describe('True: only lists the runs'),
      limit: z.number().int().min(1).max(MOST_CANCELLED).exactOptional(),
      after: z.string().max(200).exactOptional().describe('next of the answer before'),
    }),
    answers: {
      202: z.object({
        v,
        cancelled: list(z.string()),
        failed: list(z.object({ run: z.string(), error: fault })),
        next: z.string().optional(),
      }),
    },
    async handle({ body: { filter, reason, dry, ...page }, principal }, { reflex, feeds }) {
      const options = { by: principal.name, dry, ...(reason === undefined ? {} : { reason }) }
      const result = await cancelMatching(reflex, { ...filter, ...page }, options)
      if (!dry) for (const run of result.cancelled) feeds.wake(run)
      return { status: 202, json: plainJson({ v: 1, dry, ...result }) }
    },
  }),
  route({
    name: 'archives.import',
    method: 'POST',
    url: '/v1/archives',
    does: 'Stores the run of an archive. It performs nothing until it is resumed, answered or due.',
    scope: 'admin',
    query: z.strictObject({ id: z.string().max(200).exactOptional() }),
    body: z.string().min(1),
    takes: ['application/jsonl'],
    answers: { 201: SHARED_DOCUMENTS.imported },
    async handle({ body, query }, { reflex }) {
      return { status: 201, json: importDocument(await reflex.import(body.trimEnd().split('\n'), query)) }
    },
  }),
]
