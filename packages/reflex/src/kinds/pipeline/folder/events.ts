import { isObject, type Json, type JsonObject, type Frame, type Ref, makeRef, type Change } from '../../../kernel/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import { textOf } from '../dot/graph.ts'
import { branchOf } from '../contract/branch.ts'
import { remarksOf } from '../engine/story.ts'
import { nodeOf } from '../contract/position.ts'
import { renderText } from '../language/render.ts'
import { folderOfRound } from '../contract/paths.ts'

/** An event of a pipeline: its type, its time, and its payload (seed pipeline 15.1; reference 10.2). */
export interface PipelineEvent extends Readonly<Record<string, Json>> {
  readonly type: string
  /** The time, ISO 8601, UTC. */
  readonly timestamp: string
  readonly run_id: string
  readonly graph_id: string
  /** The number of its record; several events of a record keep their order. */
  readonly seq: number
}

/** The names of events in the base document, for consumers that know those (reference pipeline 10.2). */
export const EVENT_ALIASES: Readonly<Record<string, string>> = {
  pipeline_started: 'PipelineStarted',
  pipeline_completed: 'PipelineCompleted',
  pipeline_failed: 'PipelineFailed',
  stage_started: 'StageStarted',
  stage_completed: 'StageCompleted',
  stage_failed: 'StageFailed',
  stage_retrying: 'StageRetrying',
  checkpoint_saved: 'CheckpointSaved',
  parallel_started: 'ParallelStarted',
  parallel_branch_started: 'ParallelBranchStarted',
  parallel_branch_completed: 'ParallelBranchCompleted',
  parallel_completed: 'ParallelCompleted',
  interview_started: 'InterviewStarted',
  interview_completed: 'InterviewCompleted',
  interview_timeout: 'InterviewTimeout',
}

/** Remarks that only the trace shows. */
const SILENT: ReadonlySet<string> = new Set(['hook'])

/** The facts of events that no record contains. */
export interface EventsOptions {
  readonly run: string
  /** The run's folder; undefined if the run has none. */
  readonly logsRoot?: string | undefined
  /** Returns the number of artifacts of the run. */
  readonly artifacts: () => number
}

type EventPart = readonly [type: string, payload: JsonObject]

interface Interview {
  readonly stage: string
  readonly question: Json
  readonly since: number
}

/**
 * Derives the events of a run, record by record from its first: a projection, so the same journal gives the same events
 * (seed pipeline 15.1, reference pipeline 10.2). All times come from the records.
 */
export class PipelineEvents {
  readonly #of: EventsOptions
  readonly #interviews = new Map<Ref, Interview>()
  /** The start of the current stage of each frame, and its index. */
  readonly #stages = new Map<Ref, { readonly since: number; readonly index: Json }>()
  readonly #began = new Map<Ref, number>()
  #round = 0

  constructor(of: EventsOptions) {
    this.#of = of
  }

  /** Returns the events of a change, in order. */
  take(change: Change<TypedGraph>): PipelineEvent[] {
    const { n, at, def, frame } = change
    const shared = { timestamp: new Date(at).toISOString(), run_id: this.#of.run, graph_id: def.graph.id, seq: n, ...placeOf(frame) }
    const told = [
      ...this.#deltas(change),
      ...this.#answered(change),
      ...this.#remarked(change),
      ...this.#asked(change),
      ...this.#ended(change),
    ]
    return told.map(([type, payload]) => ({ ...payload, type, ...shared }))
  }

  #remarked(change: Change<TypedGraph>): EventPart[] {
    return remarksOf(change.record.more?.note).flatMap(([type, payload]): EventPart[] => {
      if (SILENT.has(type)) return []
      const tell = this.#builders[type]
      return tell === undefined ? [[type, payload]] : tell.call(this, payload, change)
    })
  }

  readonly #builders: Readonly<Record<string, (payload: JsonObject, change: Change<TypedGraph>) => EventPart[]>> = {
    pipeline_started: (payload, { def: { graph }, frame, at }) => {
      this.#began.set(frame.id, at)
      const { logsRoot } = this.#of
      const root = logsRoot === undefined ? {} : { logs_root: logsRoot }
      return [['pipeline_started', { ...payload, ...root, name: textOf(graph.attributes, 'label') ?? graph.id, id: graph.id }]]
    },
    stage_started: (payload, { def, frame, at }) => {
      this.#stages.set(frame.id, { since: at, index: payload['index'] ?? 0 })
      return [['stage_started', { ...payload, name: labelOf(def, payload['node_id']) }]]
    },
    stage_completed: (payload) => [['stage_completed', payload], ...this.#saved(payload)],
    stage_skipped: (payload) => [['stage_skipped', payload], ...this.#saved(payload)],
    stage_failed: (payload, change) =>
      payload['will_retry'] === true
        ? [['stage_failed', { ...this.#stage(change), ...payload }]]
        : [['stage_failed', payload], ...this.#saved(payload)],
    stage_retrying: (payload, change) => [['stage_retrying', { ...payload, index: this.#stage(change)['index'] ?? 0 }]],
    loop_restart: (payload) => {
      this.#round = Number(payload['round'] ?? 0)
      const { logsRoot } = this.#of
      return [['loop_restart', { ...payload, ...(logsRoot === undefined ? {} : { logs_root: folderOfRound(logsRoot, this.#round) }) }]]
    },
    pipeline_completed: (payload, change) => [
      ['pipeline_completed', { ...payload, ...this.#durationOf(change), artifact_count: this.#of.artifacts() }],
    ],
    pipeline_failed: (payload, change) => [['pipeline_failed', { ...payload, ...this.#durationOf(change) }]],
  }

  #saved({ node_id }: JsonObject): EventPart[] {
    const { logsRoot } = this.#of
    if (logsRoot === undefined) return []
    return [['checkpoint_saved', { node_id: node_id ?? '', path: `${folderOfRound(logsRoot, this.#round)}/checkpoint.json` }]]
  }

  #stage({ frame, at }: Change): JsonObject {
    const { since = at, index = 0 } = this.#stages.get(frame.id) ?? {}
    return { duration_ms: at - since, index }
  }

  #durationOf({ frame, at }: Change): JsonObject {
    return { duration_ms: at - (this.#began.get(frame.id) ?? at) }
  }

  #asked({ record, n, at }: Change): EventPart[] {
    return (record.more?.wait ?? []).flatMap(([type, stage, due, about], i): EventPart[] => {
      if (type !== 'answer' || !isObject(about)) return []
      const id = makeRef(n, 'w', i)
      const question = about['text'] ?? ''
      this.#interviews.set(id, { stage, question, since: at })
      const options = about['options'] === undefined ? {} : { options: about['options'] }
      return [['interview_started', { stage, question, id, ...options, ...(due === undefined || due === null ? {} : { due }) }]]
    })
  }

  /** Returns the parts of an answer that is streamed. */
  #deltas({ record: { input }, before, def }: Change<TypedGraph>): EventPart[] {
    const node_id = nodeOf(before) ?? ''
    if (input?.[0] !== 'part' || !isObject(input[2]) || def.nodes.get(node_id)?.facts.form !== 'model') return []
    return [['llm_delta', { ...input[2], node_id }]]
  }

  #answered({ record: { input }, at }: Change): EventPart[] {
    if (input?.[0] !== 'answer' && input?.[0] !== 'timer') return []
    const interview = this.#interviews.get(input[1])
    if (interview === undefined) return []
    this.#interviews.delete(input[1])
    const { stage, question, since } = interview
    const asked = { stage, question, duration_ms: at - since }
    if (input[0] === 'timer') return [['interview_timeout', asked]]
    const why = input[4] === undefined ? {} : { reason: input[4] }
    return [['interview_completed', { ...asked, answer: input[2], selected: selectedOf(input[2]), by: input[3] ?? '', ...why }]]
  }

  /** Returns the end of a whole pipeline if no remark reports it: a failure of another kind, or a cancellation. */
  #ended(change: Change): EventPart[] {
    const { record, frame } = change
    const [how, value] = record.more?.return ?? []
    if (how === undefined || branchOf(frame) !== undefined) return []
    if (how === 'cancelled')
      return [
        ['pipeline_cancelled', this.#durationOf(change)],
        ['pipeline_failed', { reason: 'cancelled', ...this.#durationOf(change) }],
      ]
    if (how === 'done' || remarksOf(record.more?.note).some(([type]) => type === 'pipeline_failed')) return []
    return [['pipeline_failed', { reason: isObject(value) ? (value['message'] ?? '') : '', ...this.#durationOf(change) }]]
  }
}

function placeOf(frame: Frame): JsonObject {
  const branch = branchOf(frame)
  return branch === undefined ? {} : { branch: branch.spec.id, branch_index: branch.index }
}

function labelOf({ nodes }: TypedGraph, id: Json | undefined): string {
  const node = nodes.get(typeof id === 'string' ? id : '')
  return node === undefined ? renderText(id) : (textOf(node.node.attributes, 'label') ?? node.id)
}

/** Returns the option that an answer chose: the answer itself, or its `value`. */
function selectedOf(answer: Json): Json {
  return isObject(answer) ? (answer['selected_option'] ?? answer['value'] ?? null) : answer
}
