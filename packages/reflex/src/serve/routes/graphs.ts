import { z } from 'zod'
import { dotOf } from '../../pictures/dot.ts'
import { type Drawing, drawingOfProgram, drawingOfRun, graphDocument, svgOf } from '../../pictures/drawing.ts'
import type { RouteAnswer } from '../../programs/route.ts'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import { programName } from '../../protocol/plain.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'
import { addressOf, AT, PROGRAM, RUN } from './parts.ts'

const FORMAT = z.enum(['json', 'svg', 'dot']).default('json').describe('svg and dot are texts')

/** The types of drawings that are texts. */
const TEXTS = ['image/svg+xml', 'text/vnd.graphviz']

/** Requests for drawings. */
export const graphRoutes: readonly ServeRoute[] = [
  route({
    name: 'runs.graph',
    method: 'GET',
    url: '/v1/runs/{run}/graph',
    does: 'Returns the programs on the stack of a run as graphs, with the states of their nodes.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({ at: AT, format: FORMAT }),
    gives: TEXTS,
    answers: { 200: SHARED_DOCUMENTS.graph },
    handle: async ({ path, query: { at, format } }, { reflex }) => drawn(await drawingOfRun(reflex, addressOf(path, at)), format),
  }),
  route({
    name: 'programs.graph',
    method: 'GET',
    url: '/v1/programs/{program}/graph',
    does: 'Returns a program as a graph.',
    scope: 'read',
    path: PROGRAM,
    query: z.strictObject({ format: FORMAT }),
    gives: TEXTS,
    answers: { 200: SHARED_DOCUMENTS.graph },
    async handle({ path, query: { format } }, { reflex }) {
      const { kind, name, def } = await reflex.library.named(path.program, reflex.workdir)
      return drawn(drawingOfProgram(path.program, { kind, id: programName(name), def }, reflex.kinds.view(kind)), format)
    },
  }),
]

async function drawn(drawing: Drawing, format: z.output<typeof FORMAT>): Promise<RouteAnswer> {
  if (format === 'svg') return { text: await svgOf(drawing), type: 'image/svg+xml' }
  if (format === 'dot') return { text: dotOf(drawing.pictures), type: 'text/vnd.graphviz' }
  return { json: graphDocument(drawing) }
}
