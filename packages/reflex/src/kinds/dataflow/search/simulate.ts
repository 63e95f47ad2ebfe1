import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { HostFile } from '../adapter/host-file.ts'
import type { Effect } from '../model/effect.ts'
import type { HostedEvent } from '../model/event.ts'
import { nodeName } from '../model/graph.ts'
import { untagged } from '../model/value.ts'
import { readArgs, writeArgs } from '../run/args.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { type GraphPosition, START } from '../run/position.ts'
import { Session, type SessionFacts } from '../run/session.ts'
import { simulatedHost } from '../run/simulated-host.ts'
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
  /** One for each pass, and one for an event that was refused; none for an event that was deferred. */
  readonly situations: readonly Situation[]
  /** The triggers that emitted, and those that did not, by name. */
  readonly gates: readonly (readonly [name: string, emitted: boolean])[]
}

export const BEGINNING: Moment = { board: new Map(), position: START, last: [] }

/** Evaluates the events of a graph without a run: every intent is taken to be sent. */
export class Simulation {
  readonly #facts: SessionFacts

  /** `host`: the limits of its supervisor hold. */
  constructor(def: CompiledGraph, host?: HostFile) {
    this.#facts = { def, args: readArgs(writeArgs({ host: simulatedHost(def.graph, host) })), traced: true }
  }

  /** Returns what follows one event: the deferred items that are due before it, and its own pass unless it is deferred. */
  take({ board, position, last }: Moment, event: HostedEvent): Moved {
    const session = new Session(this.#facts, board, position)
    const next = new Map(board)
    const situations: Situation[] = []
    const gates: (readonly [name: string, emitted: boolean])[] = []
    let earlier = last
    let memory = memoryOf(board)
    for (let taken = session.take([{ id: event.event_id, body: event as unknown as Json }], 0); ; taken = session.take([], 0)) {
      for (const [key, value] of taken.writes) {
        if (value === undefined) next.delete(key)
        else next.set(key, value)
      }
      // A refused event is a situation, too; a deferred one has its pass later.
      const reports = taken.passes.filter(({ decision }) => decision.decision === 'Invoke' && decision.termination !== 'Aborted')
      for (const report of taken.refusals.length > 0 ? [...reports, undefined] : reports) {
        memory = { ...memory, ...writesOf(report) }
        const now = this.#now(report, event, memory)
        situations.push({ ...now, first: earlier.length === 0, last: earlier })
        earlier = [now as Json, ...earlier].slice(0, MOST_LAST)
        gates.push(...this.#gates(report))
      }
      session.move({ pending: [] })
      if (session.position.held.length === 0) break
    }
    return { after: { board: next, position: session.position, last: earlier }, situations, gates }
  }

  /** Returns what conditions read of a pass. Without one, of an event that was refused. */
  #now(report: PassReport | undefined, event: HostedEvent, memory: JsonObject): Omit<Situation, 'first' | 'last'> {
    return {
      event: eventValue(report?.event ?? event),
      context: report?.context ?? {},
      outputs: report?.outputs ?? {},
      effects: (report?.effects ?? []).flatMap(effectValues),
      fired: this.#fired(report),
      failed: report?.failure !== undefined,
      refused: report === undefined,
      memory,
    }
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

/** Returns the keys that a pass writes. */
function writesOf(report: PassReport | undefined): JsonObject {
  const writes = report?.effects.flatMap((effect) => effect.writes) ?? []
  return Object.fromEntries(writes.map(({ key, value }) => [key, untagged(value) as Json]))
}

/** Returns the context of a board: without the keys of the supervisor. */
export function memoryOf(board: ReadonlyMap<string, Json>): JsonObject {
  return Object.fromEntries([...board].filter(([key]) => !key.startsWith('~')))
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
