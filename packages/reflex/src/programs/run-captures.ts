import type { Change, Fault, Host, Json, JsonObject, Port } from '../kernel/index.ts'
import type { NamedProgram } from './property-tests.ts'

/** The strict replay of a capture. */
export interface CaptureReplay {
  /** The differences, or the reasons why nothing was evaluated; none for a replay that equals its capture. */
  readonly findings: readonly Fault[]
  /** The events that were replayed. */
  readonly events: number
  /** The external effects that were derived again and compared. A replay sends none. */
  readonly verified: number
}

/** A capture as the run that it was. */
export interface CapturedRun {
  /** The arguments of the run. */
  readonly input: JsonObject
  /** Makes the ports that give the run what the captured run was given. They send nothing. `cancel`: cancels the run. */
  ports(world: { readonly host: Host; cancel(): void }): Readonly<Record<string, Port>>
  /** Returns the fault of a capture whose run gives `text` as its own capture, and not the same one; undefined if it is the same. */
  check(text: string): Fault | undefined
}

/** The run of a capture, unless the capture is damaged or does not belong to the program. */
export interface RestoredCapture {
  readonly run?: CapturedRun
  /** The reasons why there is none, as a replay reports them. */
  readonly findings: readonly Fault[]
}

/** A part of what an event leads to that two versions of a program do not share. */
export interface EventDifference {
  readonly event: string
  /** The number of the event in its file, from 1. */
  readonly line: number
  /** An output, a write, an effect, `refused` or `failure`. */
  readonly name: string
  readonly one?: Json
  readonly other?: Json
}

/** Runs of a kind as files of a format of their own, which can be replayed without the journal. Pure. */
export interface RunCaptures<Def = unknown> {
  /** The name of the format, for `export --format`. No other kind has it. */
  readonly format: string
  /** The name of a file of a run, without the name of the run. */
  readonly ending: string
  /** True for a text of the format, by its beginning. */
  owns(text: string): boolean
  /** Yields the text of the capture of a run, from its records in order; nothing for a run that has nothing to capture. */
  write(def: Def, changes: AsyncIterable<Change>): AsyncIterable<string>
  /**
   * Yields the differences of two versions of a program over the same events, in the order of the events, each within the limits that a run of
   * it would have. Performs nothing.
   */
  compare(one: NamedProgram<Def>, other: NamedProgram<Def>, events: Iterable<Json>): Iterable<EventDifference>
  /** Replays a capture strictly with a program. `all`: reports every difference, and not only the first. */
  replay(def: Def, text: string, options: { readonly file?: string | undefined; readonly all?: boolean | undefined }): CaptureReplay
  /** Returns the run of a capture that replays strictly with a program. Performs nothing. */
  restore(def: Def, text: string, options: { readonly file?: string | undefined }): RestoredCapture
}
