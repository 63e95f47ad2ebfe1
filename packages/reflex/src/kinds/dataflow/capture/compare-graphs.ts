import { equalJson, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { EventDifference } from '../../../programs/run-captures.ts'
import type { HostFile } from '../adapter/host-file.ts'
import { readArgs, writeArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { START } from '../run/position.ts'
import { Session } from '../run/session.ts'
import type { Arrived, PassReport } from '../run/taken.ts'
import { simulatedHost } from '../run/simulated-host.ts'

/** A version of a graph with the host whose limits hold for it. */
export interface LimitedGraph {
  readonly def: CompiledGraph
  readonly host?: HostFile | undefined
}

/**
 * Yields the events at which two versions of a graph give other outputs or effects, or one of them refuses or fails. Each version has its own
 * context, so a difference may be a consequence of an earlier one, and keeps the limits of its host. Intents count as acknowledged, and nothing is
 * sent.
 */
export function* compareGraphs(one: LimitedGraph, other: LimitedGraph, events: Iterable<Json>): Generator<EventDifference> {
  const sessions = [one, other].map(
    ({ def, host }) => new Session({ def, args: readArgs(writeArgs({ host: simulatedHost(def.graph, host) })) }, [], START),
  )
  let line = 0
  for (const body of events) {
    line++
    const [a, b] = sessions.map((session) => outcome(session, { id: `line ${line}`, body }))
    if (a === undefined || b === undefined) continue
    for (const name of new Set([...Object.keys(a.parts), ...Object.keys(b.parts)])) {
      const [before, after] = [a.parts[name], b.parts[name]]
      if (before !== undefined && after !== undefined && equalJson(before, after)) continue
      if (before === undefined && after === undefined) continue
      yield {
        event: a.event,
        line,
        name,
        ...(before === undefined ? {} : { one: before }),
        ...(after === undefined ? {} : { other: after }),
      }
    }
  }
}

interface Outcome {
  readonly event: string
  readonly parts: JsonObject
}

/** Takes one event, with the deferred items that are due before it. */
function outcome(session: Session, arrived: Arrived): Outcome {
  const reports: PassReport[] = []
  let { passes, refusals } = session.take([arrived], 0)
  reports.push(...passes)
  session.move({ pending: [] })
  while (session.position.held.length > 0) {
    const more = session.take([], 0)
    passes = more.passes
    refusals = [...refusals, ...more.refusals]
    reports.push(...passes)
    session.move({ pending: [] })
  }
  const [refused] = refusals
  const event = reports.find((report) => report.event.kind !== 'Pump')?.event.event_id ?? refused?.id ?? arrived.id
  const parts = reports.map((report) => partsOf(report))
  return {
    event,
    parts: { ...(refused === undefined ? {} : { refused: refused.fault.code }), ...Object.assign({}, ...parts) } as JsonObject,
  }
}

function partsOf({ outputs = {}, effects, failure, event }: PassReport): JsonObject {
  const prefix = event.kind === 'Pump' ? 'deferred ' : ''
  const writes = effects.flatMap((effect) =>
    effect.writes.map(({ key, value }) => [`${prefix}writes ${key}`, Object.values(value)[0] as Json]),
  )
  const intents = effects.flatMap((effect) =>
    effect.intents.map(({ kind, fields }) => [
      `${prefix}asks for ${kind}`,
      Object.fromEntries(fields.map(({ name, value }) => [name, Object.values(value)[0] as Json])),
    ]),
  )
  const results = Object.entries(outputs).map(([name, value]) => [`${prefix}${name}`, value as Json])
  return Object.fromEntries([
    ...results,
    ...writes,
    ...intents,
    ...(failure === undefined ? [] : [[`${prefix}failure`, failure.message]]),
  ]) as JsonObject
}
