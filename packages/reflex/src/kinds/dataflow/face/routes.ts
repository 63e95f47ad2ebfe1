import { z } from 'zod'
import { type Fault, isFault, type Json, type JsonObject, topOf } from '../../../kernel/index.ts'
import { defineRoute, type Route, type RouteAnswer, type RouteWorld } from '../../../programs/route.ts'
import { bindEvent, bindFixture } from '../adapter/bind-event.ts'
import type { HostedEvent } from '../model/event.ts'
import type { Scalar } from '../model/value.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { faults } from '../run/faults.ts'
import { isOwnId, ownIdTaken } from '../run/own-ids.ts'
import { frameArgs } from '../run/args.ts'
import { readEvent } from '../run/read-event.ts'
import { duplicate } from '../run/duplicate.ts'
import { SeenIds } from '../run/seen-ids.ts'
import { EVENT_TOPIC, MOST_EVENTS } from '../run/topics.ts'

const EVENT = z.looseObject({})
const TAKEN = z.object({
  v: z.literal(1),
  run: z.string(),
  accepted: z.number().int(),
  refused: z.array(z.object({ index: z.number().int(), event_id: z.string(), code: z.string(), message: z.string() })),
})

/** The routes of graphs: events come in. */
export const dataflowRoutes: readonly Route[] = [
  defineRoute({
    name: 'dataflows.events',
    method: 'POST',
    url: '/v1/dataflows/{run}/events',
    does: 'Sends one event to a run of a graph, or a list of them. One event that is refused is 422, one whose id was taken 409; of a list, those that fit are taken.',
    scope: 'answer',
    path: z.strictObject({ run: z.string().min(1).max(200).describe('A run of a graph that stays for events') }),
    body: z.union([EVENT, z.array(EVENT).min(1).max(MOST_EVENTS)]),
    answers: { 202: TAKEN },
    async handle({ path, body, ...request }, world) {
      const graph = await graphOf(path.run, world)
      const events = (Array.isArray(body) ? body : [body]) as readonly JsonObject[]
      const refused: JsonObject[] = []
      for (const [index, event] of events.entries()) {
        const fault = graph.refusal(event)
        if (fault !== undefined && !Array.isArray(body)) return refusal(fault)
        if (fault === undefined)
          await world.call('runs.signal', { path: { run: graph.run, topic: EVENT_TOPIC }, body: { value: event } }, request)
        else
          refused.push({
            index,
            event_id: typeof event.event_id === 'string' ? event.event_id : '',
            code: fault.code,
            message: fault.message,
          })
      }
      return { status: 202, json: { v: 1, run: graph.run, accepted: events.length - refused.length, refused } }
    },
  }),
]

function refusal(fault: Fault): RouteAnswer {
  return { status: fault.code === 'R1334' ? 409 : 422, json: { v: 1, error: fault.toJSON() as unknown as JsonObject } }
}

interface AdmittingGraph {
  readonly run: string
  /** Returns the reason why an event would be refused now; undefined if it would run. */
  refusal(event: JsonObject): Fault | undefined
}

/** Returns the graph of a run as events meet it. */
async function graphOf(name: string, { peek, host }: RouteWorld): Promise<AdmittingGraph> {
  const { row, state, definitions } = await peek(name)
  const frame = topOf(state.root)
  const { kind, def } = definitions.program(frame.pin)
  if (kind !== 'dataflow') throw faults.make('R1388', `${row.id} is a ${kind} and takes no events of a graph`, { run: row.id })
  const { adapter } = def as CompiledGraph
  const { sources } = frameArgs(frame, state)
  const reader = frame.reader()
  const entries = [...frame.scope.liveEntries()].flatMap(([key, { value }]): [string, Json][] =>
    value === undefined ? [] : [[key, value]],
  )
  const seen = new SeenIds(entries, Number.POSITIVE_INFINITY)
  const bind = (event: HostedEvent): ReturnType<typeof bindEvent> =>
    adapter === undefined ? bindFixture(event) : bindEvent(adapter, (key) => reader.get(key) as Scalar | undefined, event)
  return {
    run: row.id,
    refusal(body) {
      const event = readEvent(body, { id: '', at: host.now() })
      if (event === undefined || isFault(event)) return event
      if (isOwnId(event.event_id, sources)) return ownIdTaken(event.event_id)
      const earlier = seen.placeOf(event.event_id)
      if (earlier !== undefined) return duplicate(event.event_id, earlier, sources)
      const bound = bind(event)
      if ('refused' in bound) return bound.refused
      if (event.event_id !== '') seen.add(event.event_id)
      return undefined
    },
  }
}
