import { z } from 'zod'
import { faultData, type Program } from '../../kernel/index.ts'
import { plainJson, programName } from '../../protocol/plain.ts'
import { resultDocument } from '../../protocol/documents.ts'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import { anyJson, finding, list, text, v } from '../../protocol/shapes.ts'
import { storedResultDocument } from '../../protocol/view-document.ts'
import { route } from '../define-route.ts'
import { sentBy } from '../principals.ts'
import { startOnce } from '../starts.ts'
import { PLACE } from '../triggers/config.ts'
import type { ServeRoute, ServeWorld } from '../world.ts'
import { JSON_VALUE, PROGRAM } from './parts.ts'

const TEXT_PROGRAM = z.strictObject({
  text: z.string().describe('The text of a program file'),
  name: z.string().max(200).optional().describe('The name of the file, which shows its kind'),
  kind: z.string().max(50).optional(),
})
const LIMITS = z.strictObject({
  steps: z.number().int().positive().exactOptional(),
  time: z.number().positive().exactOptional().describe('Milliseconds'),
  tokens: z.number().int().positive().exactOptional(),
  cost: z.number().positive().exactOptional().describe('US dollars'),
})
const START = z.strictObject({
  program: z.union([z.string().min(1).max(500), TEXT_PROGRAM]).describe('kind:name of a program that the server has, or a text'),
  input: z.record(z.string(), JSON_VALUE).exactOptional(),
  id: z.string().max(200).exactOptional(),
  limits: LIMITS.exactOptional(),
  simulate: z.boolean().exactOptional(),
  ...PLACE,
  wait: z.boolean().default(false).describe('True: answers when the run rests, not at once'),
})

/** Programs, and the runs that they start. */
export const programRoutes: readonly ServeRoute[] = [
  route({
    name: 'programs.list',
    method: 'GET',
    url: '/v1/programs',
    does: 'Lists the programs of the folders that the server was started for.',
    scope: 'read',
    answers: { 200: z.object({ v, programs: list(z.object({ kind: text, name: text, about: text.optional() })) }) },
    async handle(_, { reflex }) {
      const programs = await reflex.library.all(reflex.workdir)
      return { json: plainJson({ v: 1, programs: programs.map(({ kind, id }) => ({ kind, name: id })) }) }
    },
  }),
  route({
    name: 'programs.check',
    method: 'POST',
    url: '/v1/programs/check',
    does: 'Returns the findings about the text of a program. Nothing is stored.',
    scope: 'read',
    body: TEXT_PROGRAM,
    answers: { 200: z.object({ v, findings: list(finding) }) },
    async handle({ body }, { reflex }) {
      const { findings } = await reflex.library.texts.check(body.text, body)
      return { json: plainJson({ v: 1, findings: findings.map((found) => ({ severity: 'error', ...faultData(found) })) }) }
    },
  }),
  route({
    name: 'programs.get',
    method: 'GET',
    url: '/v1/programs/{program}',
    does: 'Returns the source of a program, by `kind:name`.',
    scope: 'read',
    path: PROGRAM,
    answers: { 200: z.object({ v, kind: text, name: text, hash: text, source: anyJson }) },
    async handle({ path }, { reflex }) {
      const { kind, name, hash, source } = await namedProgram(reflex, path.program)
      return { json: plainJson({ v: 1, kind, name: programName(name), hash, source }) }
    },
  }),
  route({
    name: 'runs.start',
    method: 'POST',
    url: '/v1/runs',
    does: 'Starts a run. With the header Idempotency-Key, a repeated request returns the run that the first one started.',
    scope: 'start',
    body: START,
    keyed: true,
    answers: { 201: SHARED_DOCUMENTS.result, 200: SHARED_DOCUMENTS.result },
    async handle({ body, principal, header }, world) {
      const { reflex, feeds } = world
      const { wait, program: wanted, ...options } = body
      const key = header('idempotency-key')
      const holder = world.holder(principal)
      const started = await startOnce(reflex, { key, principal: principal.name, body, id: body.id }, async (id) => {
        const isText = typeof wanted !== 'string'
        const program = isText ? await reflex.library.texts.accept(wanted.text, wanted) : await namedProgram(reflex, wanted)
        const handle = await reflex.start(program, {
          ...options,
          ...(id === undefined ? {} : { id }),
          ...(isText ? { trust: holder.trust ?? 'untrusted' } : {}),
          ...sentBy(holder),
        })
        feeds.wake(handle.id)
        world.metrics.starts.add(1, { by: 'request' })
        if (wait) await handle.idle()
        return handle
      })
      if ('handle' in started) return { status: 201, json: resultDocument(started.handle, false) }
      return { json: storedResultDocument(await reflex.show(started.run)) }
    },
  }),
]

async function namedProgram(reflex: ServeWorld['reflex'], name: string): Promise<Program> {
  return reflex.library.named(name, reflex.workdir)
}
