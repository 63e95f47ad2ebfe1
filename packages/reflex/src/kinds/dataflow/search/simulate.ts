import type { Json, JsonObject } from '../../../kernel/index.ts'
import { DEFAULT_HOST, type HostFile } from '../adapter/host-file.ts'
import { graphNeeds } from '../adapter/graph-needs.ts'
import type { Effect } from '../model/effect.ts'
import type { HostedEvent } from '../model/event.ts'
import { nodeName } from '../model/graph.ts'
import { untagged } from '../model/value.ts'
import { readArgs, writeArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { type GraphPosition, START } from '../run/position.ts'
import { Session, type SessionFacts } from '../run/session.ts'
import type { PassReport } from '../run/taken.ts'
import type { Situation } from './conditions.ts'

/** The most situations before the current one that a condition can read. */
const MOST_LAST = 16

/** A run of a graph between two events. It never changes. */
export interface Moment {
  readonly board: ReadonlyMap<string, Json>
  readonly position: GraphPosition
  /** The situations before, the newest first. */
  readonly last: readonly Json[]
}

/** One event of a run that is not a run: nothing is recorded or sent. */
export interface Moved {
  readonly after: Moment
  readonly situation: Situation
  /** The triggers that emitted, and those that did not, by name. */
  readonly gates: readonly (readonly [name: string, emitted: boolean])[]
}

export const BEGINNING: Moment = { board: new Map(), position: START, last: [] }

/** Evaluates the events of a graph without a run: every intent is taken to be sent. */
export class Simulation {
  readonly #facts: SessionFacts

  constructor(def: CompiledGraph) {
    const route = { channel: 'test', ack_timeout: 1, keyed: true, on_failure: 'fail' } as const
    const kinds = graphNeeds(def.graph).intents.map(({ intent }) => [intent.name, route] as const)
    const host: HostFile = { ...DEFAULT_HOST, routes: Object.fromEntries(kinds) }
    this.#facts = { def, args: readArgs(writeArgs({ host })), traced: true }
  }

  /** Returns what follows one event. */
  take({ board, position, last }: Moment, event: HostedEvent): Moved {
    const session = new Session(this.#facts, board, position)
    const { passes, refusals, writes, position: moved } = session.take([{ id: event.event_id, body: event as unknown as Json }], 0)
    const next = new Map(board)
    for (const [key, value] of writes) {
      if (value === undefined) next.delete(key)
      else next.set(key, value)
    }
    const report = passes.at(-1)
    const now = {
      event: eventValue(event),
      context: (report?.context ?? {}) as JsonObject,
      outputs: (report?.outputs ?? {}) as JsonObject,
      effects: (report?.effects ?? []).flatMap(effectValues),
      fired: this.#fired(report),
      failed: report?.failure !== undefined,
      refused: refusals.length > 0,
      memory: Object.fromEntries([...next].filter(([key]) => !key.startsWith('~'))),
    }
    const situation = { ...now, first: last.length === 0, last: last as Json }
    const after = { board: next, position: { ...moved, pending: [] }, last: [now as Json, ...last].slice(0, MOST_LAST) }
    return { after, situation, gates: this.#gates(report) }
  }

  #fired(report: PassReport | undefined): string[] {
    if (report?.failure !== undefined) return []
    return this.#of(report, 'action').flatMap(({ name, isHeld }) => (isHeld ? [] : [name]))
  }

  #gates(report: PassReport | undefined): (readonly [name: string, emitted: boolean])[] {
    return this.#of(report, 'trigger').map(({ name, outputs }) => [name, Object.values(outputs).includes('Emitted')] as const)
  }

  #of(report: PassReport | undefined, kind: string) {
    return (report?.trace ?? []).flatMap(({ node, held, outputs }) => {
      const of = this.#facts.def.graph.nodes[node]
      return of?.primitive.kind === kind ? [{ name: nodeName(of), isHeld: held.length > 0, outputs }] : []
    })
  }
}

function eventValue({ event_id, kind, at, semantic_kind, payload }: HostedEvent): JsonObject {
  return { ...payload, event_id, kind, at: at.secs, ...(semantic_kind === undefined ? {} : { semantic_kind }) }
}

/** Returns an effect as conditions read it: one for each intent, and one for the writes. */
function effectValues({ kind, writes, intents }: Effect): Json[] {
  const written = Object.fromEntries(writes.map(({ key, value }) => [key, untagged(value) as Json]))
  if (intents.length === 0) return [{ kind, writes: written, fields: {} }]
  return intents.map((intent) => ({
    kind: intent.kind,
    writes: written,
    fields: Object.fromEntries(intent.fields.map(({ name, value }) => [name, untagged(value) as Json])),
  }))
}
