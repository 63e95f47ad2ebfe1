import type { JsonObject } from '../../../kernel/index.ts'
import type { Artifacts } from './artifacts.ts'
import { graphHash } from './graph-hash.ts'
import { iso, type Progress } from './progress.ts'
import { type Secret, signatureOf } from './signature.ts'
import { type Checkpoint, isStripped, type Lineage } from './checkpoint.ts'
import type { TypedGraph } from '../model/typed.ts'
import { serializeGraph } from '../dot/serialize.ts'
import type { Outcome } from '../contract/outcome.ts'

/** The facts of a checkpoint besides the progress of the run. */
export interface CheckpointPlace {
  readonly run: string
  readonly typed: TypedGraph
  readonly logsRoot: string
  readonly artifacts: Artifacts
  readonly secret?: Secret | undefined
}

/** Returns the text of a run's checkpoint file, signed if there is a secret. */
export function checkpointText(progress: Progress, place: CheckpointPlace): string {
  const checkpoint = checkpointOf(progress, place) as unknown as JsonObject
  const { secret } = place
  const all = secret === undefined ? checkpoint : { ...checkpoint, __hmac: signatureOf(checkpoint, secret) }
  return `${JSON.stringify(all, null, 1)}\n`
}

function checkpointOf(progress: Progress, { run, typed, logsRoot, artifacts }: CheckpointPlace): Checkpoint {
  const { round, lineage } = progress
  const own = progress.engineValues(typed, run)
  const began = iso(progress.began)
  const engineLineage = Object.keys(own).map((key): [string, Lineage] => [
    key,
    key.startsWith('graph.')
      ? { node_id: '__init__', timestamp: began, operation: 'init' }
      : { node_id: '__engine__', timestamp: iso(progress.time), operation: 'engine' },
  ])
  return {
    timestamp: iso(progress.time),
    run_id: run,
    graph_id: typed.graph.id,
    graph_hash: progress.graphHash,
    ...(graphHash(typed.graph) === progress.graphHash ? {} : { graph_dot: serializeGraph(typed.graph, { stripInternal: false }) }),
    current_node: progress.current,
    completed_nodes: round.completed,
    node_retries: Object.fromEntries(round.retries),
    context_values: { ...own, ...artifacts.shown(Object.fromEntries(progress.context), (key) => lineage.get(key)?.node_id ?? '') },
    logs: round.logs,
    node_outcomes: Object.fromEntries([...round.outcomes].map(([id, outcome]) => [id, shownOutcome(id, outcome, artifacts)])),
    context_lineage: Object.fromEntries([...engineLineage, ...lineage].filter(([key]) => !isStripped(key))),
    content_hashes: Object.fromEntries(round.hashes),
    context_taint: Object.fromEntries(progress.taint),
    pending: progress.pending,
    gates_recheck: [...round.recheck],
    gates_in_branches: Object.fromEntries(round.gates),
    jumps: Object.fromEntries(progress.jumps),
    visits: Object.fromEntries(round.visits),
    logs_root: logsRoot,
    pipeline_started_at: began,
    in_flight: progress.inFlight ?? null,
    budget: { ...progress.spent },
    iteration: round.number,
    goal_gate_returns: progress.returns,
    repeated_failure: progress.repeated ?? null,
    repeated_restart: progress.restarts ?? null,
  }
}

function shownOutcome(id: string, outcome: Outcome, artifacts: Artifacts): Outcome {
  const { context_updates } = outcome
  return context_updates === undefined ? outcome : { ...outcome, context_updates: artifacts.shown(context_updates, () => id) }
}
