import { type Frame, type Json, RunPrograms, type Programs, type Rec, State, type Change } from '../../../kernel/index.ts'
import { Artifacts } from './artifacts.ts'
import { checkpointText } from './checkpoint-text.ts'
import { pairs, Progress } from './progress.ts'
import type { Secret } from './signature.ts'
import { StoredArtifacts } from '../engine/artifacts.ts'
import type { TypedGraph } from '../model/typed.ts'
import { remarksOf } from '../engine/story.ts'
import { type PipelineEvent, PipelineEvents } from './events.ts'
import { type PlacedChange, RunFolder } from './folder.ts'

/** The options of a chronicle. */
export interface ChronicleOptions {
  readonly run: string
  readonly programs: Programs
  /** The run's folder, an absolute path; without it no files are written. */
  readonly logsRoot?: string | undefined
  readonly secret?: Secret | undefined
  /** True if small artifacts of nodes are files of the folder too, as large ones are. */
  readonly persistArtifacts?: boolean | undefined
}

/**
 * The observable history of a pipeline run, derived from its records alone: events, progress, and the files of its
 * folder. It folds the records itself, from the first one, so that reading a journal again gives the same result.
 */
export class Chronicle {
  readonly progress = new Progress()
  readonly state = new State()
  /** The artifacts that the run stored beside its context. */
  readonly stored = new StoredArtifacts()
  readonly #artifacts = new Artifacts()
  readonly #programs: RunPrograms
  readonly #events: PipelineEvents
  readonly #folder: RunFolder | undefined

  constructor({ run, programs, logsRoot, secret, persistArtifacts }: ChronicleOptions) {
    this.#programs = new RunPrograms(programs, this.state)
    this.#events = new PipelineEvents({ run, logsRoot, artifacts: () => this.#artifacts.count })
    const definition = (frame: Frame): unknown => this.#programs.program(frame.pin).def
    this.#folder =
      logsRoot === undefined
        ? undefined
        : new RunFolder({ run, root: logsRoot, secret, persistArtifacts }, this.progress, this.#artifacts, definition)
  }

  /** Applies the next record of the run. Returns its events. */
  take(record: Rec): readonly PipelineEvent[] {
    const { state } = this
    const frame = state.frames.get(record.frame)
    const before: Json | undefined = frame?.position
    state.apply(record)
    if (frame === undefined) return []
    const { kind, def } = this.#programs.program(frame.pin)
    if (kind !== 'pipeline') return []
    return this.#publish({ n: state.n, at: state.time, record, state, frame, def: def as TypedGraph, before })
  }

  #publish(change: Change<TypedGraph>): readonly PipelineEvent[] {
    const { progress } = this
    const isRoot = change.frame.link === undefined
    progress.take(change)
    this.stored.take(change.record)
    const files = isRoot ? this.#largeValues(change) : []
    const events = this.#events.take(change)
    this.#folder?.take(change, events, files)
    const restart = isRoot ? remarksOf(change.record.more?.note).find(([type]) => type === 'loop_restart') : undefined
    if (restart !== undefined) {
      this.#folder?.endRound(change)
      progress.restart(Number(restart[1]['round']))
      this.#folder?.beginRound(change)
    }
    return events
  }

  #largeValues({ record }: Change): { readonly path: string; readonly text: string }[] {
    return [...pairs(record.writes ?? [])].flatMap(([key, value]) => {
      if (key.startsWith('#')) return []
      return this.#artifacts.take(this.progress.lineage.get(key)?.node_id ?? '', key, value) ?? []
    })
  }

  /** Returns the checkpoint of the run as its folder would have it, without a signature. */
  checkpoint(typed: TypedGraph, run: string, logsRoot: string): string {
    return checkpointText(this.progress, { run, typed, logsRoot, artifacts: this.#artifacts })
  }

  /** Returns the changes of the folder since the last call; with `whole`, also a postponed checkpoint. */
  changes(whole: boolean): readonly PlacedChange[] {
    return this.#folder?.changes(whole) ?? []
  }

  /** True if the checkpoint in the folder is not the latest one. */
  get isPostponed(): boolean {
    return this.#folder?.isPostponed === true
  }
}
