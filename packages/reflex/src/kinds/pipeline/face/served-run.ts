import { isObject, type JsonObject, type RunRow } from '../../../kernel/index.ts'
import { readSettings } from '../../../policy/index.ts'
import type { Principal, RouteWorld, StreamedEvent } from '../../../programs/route.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { nodeOf } from '../contract/position.ts'
import { Chronicle } from '../folder/chronicle.ts'
import type { TypedGraph } from '../model/typed.ts'

/** The statuses of the reference for those of runs. */
const STATUSES: Readonly<Record<string, string>> = { suspended: 'waiting' }

/** Returns the state of a run in the words of the reference. */
export async function progressOf(id: string, world: RouteWorld): Promise<JsonObject> {
  const { row, chronicle, node } = await chronicleOf(id, world)
  const { current, round, reason } = chronicle.progress
  const hasEnded = row.status !== 'running' && row.status !== 'suspended'
  return {
    id: row.id,
    status: statusOf(row.status),
    current_node: hasEnded ? current : (node ?? current),
    completed_nodes: [...round.completed],
    node_outcomes: Object.fromEntries([...round.outcomes].map(([key, { status }]) => [key, status])),
    started_at: new Date(row.started).toISOString(),
    finished_at: hasEnded ? new Date(row.updated).toISOString() : null,
    duration_ms: (hasEnded ? row.updated : world.host.now()) - row.started,
    failure_reason: reason ?? (isObject(row.value) && typeof row.value['message'] === 'string' ? row.value['message'] : null),
    questions_pending: row.waits.filter(({ type }) => type === 'answer').length,
  }
}

interface ReadRun {
  readonly row: RunRow
  readonly chronicle: Chronicle
  readonly typed: TypedGraph
  /** The node at which the run is. */
  readonly node: string | undefined
  readonly logsRoot: string
}

/** Reads a run of a pipeline from its first record. Throws `R2224` for a run of another kind. */
export async function chronicleOf(id: string, world: RouteWorld): Promise<ReadRun> {
  const { row, state, definitions } = await world.peek(id)
  const { kind, def } = definitions.program(state.root.pin)
  if (kind !== 'pipeline')
    throw pipelineFaults.make('R2224', `${row.id} is a run of a ${kind}, not of a pipeline`, { fix: `GET /v1/runs/${row.id}` })
  const chronicle = new Chronicle({ run: row.id, programs: world.programs })
  for await (const [, record] of world.records(row.id)) chronicle.take(record)
  return {
    row,
    chronicle,
    typed: def as TypedGraph,
    node: nodeOf(state.root.position),
    logsRoot: readSettings(state.start?.by)?.logs?.folder ?? '',
  }
}

/** Returns values without those of sensitive nodes, which only an admin may read (reference pipeline 5.4). */
export function readable(values: JsonObject, { progress }: Chronicle, { nodes }: TypedGraph, { scopes }: Principal): JsonObject {
  if (scopes.has('admin')) return values
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const { dataClassification } = nodes.get(progress.lineage.get(key)?.node_id ?? '') ?? {}
      return [key, dataClassification === 'sensitive' || dataClassification === 'secret' ? `[${dataClassification}]` : value]
    }),
  )
}

/** Yields the events of a run, each with its record and its place in it as id. Those up to `seen` are left out. */
export async function* eventsOf(
  run: string,
  seen: string | undefined,
  world: RouteWorld,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const [, record = '0', place = '-1'] = /@(\d+)(?:\.(\d+))?$/.exec(seen ?? '') ?? []
  const chronicle = new Chronicle({ run, programs: world.programs })
  for await (const { n, record: one } of world.follow(run, 0, signal)) {
    for (const [i, event] of chronicle.take(one).entries())
      if (n > Number(record) || (n === Number(record) && i > Number(place)))
        yield { id: `${run}@${n}.${i}`, event: event.type, data: event }
  }
}

export function statusOf(status: unknown): string {
  return typeof status === 'string' ? (STATUSES[status] ?? status) : 'pending'
}
