import { faultJson, type Frame, type Fault, isObject, type JsonObject, type Change } from '../../../kernel/index.ts'
import type { Artifacts } from './artifacts.ts'
import { iso, type Progress } from './progress.ts'
import type { Secret } from './signature.ts'
import { checkpointText } from './checkpoint-text.ts'
import type { TypedGraph } from '../model/typed.ts'
import { textOf } from '../dot/graph.ts'
import { remarksOf } from '../engine/story.ts'
import type { PipelineEvent } from './events.ts'
import { type FolderChange, FolderImage } from './image.ts'
import { folderOfRound } from '../contract/paths.ts'
import { StageFiles } from './stages.ts'
import { validate } from '../check/validate.ts'

/** The characters of checkpoint that each record allows to write. */
const PAID_BY_RECORD = 8192

/** The facts of a run that its folder depends on. */
export interface RunFolderOptions {
  readonly run: string
  /** The folder of the first round: an absolute path. */
  readonly root: string
  /** The secret that signs checkpoints. */
  readonly secret?: Secret | undefined
  /** True if small artifacts are files as well. */
  readonly persistArtifacts?: boolean | undefined
}

/** A change of one of a run's folders. */
export interface PlacedChange extends FolderChange {
  readonly folder: string
}

/**
 * The folders of a run, derived from its records (seed pipeline 7.6, reference pipeline 6.3): manifest, findings,
 * events, the files of stages, large values, the latest checkpoint. A pure projection: the same journal gives the same
 * files, so that files lost in a crash are made again from the journal.
 */
export class RunFolder {
  readonly #of: RunFolderOptions
  readonly #progress: Progress
  readonly #artifacts: Artifacts
  readonly #stages: StageFiles
  readonly #rounds = new Map<number, FolderImage>()
  #typed: TypedGraph | undefined
  #round = 0
  #stale = false
  /** The characters that the records since the last checkpoint allow, and the size of that checkpoint. */
  #budget = 0
  #size = 0

  constructor(of: RunFolderOptions, progress: Progress, artifacts: Artifacts, definition: (frame: Frame) => unknown) {
    this.#of = of
    this.#progress = progress
    this.#artifacts = artifacts
    this.#stages = new StageFiles(definition, of.persistArtifacts === true)
  }

  /** Applies a change that `progress` has already applied, with its events and its large values. */
  take(
    change: Change<TypedGraph>,
    events: readonly PipelineEvent[],
    files: Iterable<{ readonly path: string; readonly text: string }>,
  ): void {
    const isRoot = change.frame.link === undefined
    if (isRoot) this.#typed = change.def
    const remarks = remarksOf(change.record.more?.note)
    if (isRoot && remarks.some(([type]) => type === 'pipeline_started')) this.#begin(change)
    const image = this.#image
    this.#stages.take(change, image)
    for (const { path, text } of files) image.put(path, text)
    for (const event of events) image.line(`${JSON.stringify(event)}\n`)
    this.#stale = true
    this.#budget += PAID_BY_RECORD
  }

  /** Ends the round: its folder does not change any more. */
  endRound({ def }: Change<TypedGraph>): void {
    this.#putCheckpoint(def)
  }

  /** Begins the next round. It has its own folder, with the values that are too large for its checkpoint. */
  beginRound(change: Change<TypedGraph>): void {
    this.#round = this.#progress.round.number
    this.#stages.restart()
    this.#manifest(change)
    for (const { path, text } of this.#artifacts.files()) this.#image.put(path, text)
  }

  /**
   * Returns the changes since the last call. A checkpoint grows with its run, so it is written once the records since
   * the last one allow its size, or with `whole`. The total cost of all checkpoints of a run is therefore linear in its
   * records.
   */
  changes(whole: boolean): PlacedChange[] {
    const isBegun = this.#progress.round.completed.length > 0 || this.#progress.inFlight !== undefined
    if (!isBegun) this.#stale = false
    if (this.#stale && this.#typed !== undefined && (whole || this.#budget >= this.#size)) this.#putCheckpoint(this.#typed)
    const changes = [...this.#rounds].flatMap(([round, image]) =>
      image.changes('events.jsonl').map((change) => ({ ...change, folder: folderOfRound(this.#of.root, round) })),
    )
    // The folder of an earlier round never changes again.
    for (const round of this.#rounds.keys()) if (round !== this.#round) this.#rounds.delete(round)
    return changes
  }

  /** True if the latest checkpoint is not written yet. */
  get isPostponed(): boolean {
    return this.#stale
  }

  #putCheckpoint(typed: TypedGraph): void {
    const text = this.#checkpoint(typed)
    this.#image.put('checkpoint.json', text)
    this.#stale = false
    this.#budget = 0
    this.#size = text.length
  }

  get #image(): FolderImage {
    const image = this.#rounds.get(this.#round) ?? new FolderImage()
    this.#rounds.set(this.#round, image)
    return image
  }

  #begin(change: Change<TypedGraph>): void {
    this.#round = this.#progress.round.number
    this.#manifest(change)
    this.#image.put('diagnostics.json', json(validate(change.def).map(diagnostic)))
  }

  #manifest({ def: { graph, nodes }, at, state, frame }: Change<TypedGraph>): void {
    const round = this.#round
    const again: JsonObject = round === 0 ? {} : { restart_of: folderOfRound(this.#of.root, round - 1), iteration: round + 1 }
    const manifest = {
      graph_id: graph.id,
      run_id: this.#of.run,
      name: textOf(graph.attributes, 'label') ?? graph.id,
      goal: textOf(graph.attributes, 'goal') ?? '',
      started_at: iso(at),
      node_count: nodes.size,
      engine_version: `reflex pipeline ${state.pins[frame.pin]?.[2] ?? 0}`,
      ...again,
    }
    this.#image.put('manifest.json', json(manifest))
    // A stage that commits the whole work folder must not commit the files of the run.
    this.#image.put('.gitignore', '*\n')
  }

  #checkpoint(typed: TypedGraph): string {
    const { run, root, secret } = this.#of
    const logsRoot = folderOfRound(root, this.#round)
    return checkpointText(this.#progress, { run, typed, logsRoot, artifacts: this.#artifacts, secret })
  }
}

/** Returns a finding as data, with its severity. */
export function diagnostic(finding: Fault): JsonObject {
  const data = faultJson(finding)
  return { severity: finding.severity, ...(isObject(data) ? data : {}) }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
