import type { Fault, Host, Json, JsonObject, OpenRun, Program, Programs } from '../kernel/index.ts'

/** What became of a saved file. */
export type SavedFile =
  | { readonly program: Program }
  /** The file has errors: the run keeps its program. */
  | { readonly refused: readonly Fault[] }
  /** The file says the same as before. */
  | { readonly unchanged: true }

/** A key of a run that is watched, and the command that it sends. */
export interface LiveKey {
  readonly key: string
  readonly about: string
  readonly command: string
  /** What a person types after the key, if the command needs more. */
  readonly asks?: string
}

/** How runs of a kind take events, commands and other versions of their program while they work. */
export interface LiveRuns {
  /** The run options with which a run stays for events. */
  readonly options: JsonObject
  /** The run option that names a file of events which the run reads itself, and continues after a crash. Absent: its starter sends them. */
  readonly reads?: string
  /** The topics of events, of the message that ends a run, and of commands that debug it. */
  readonly topics: { readonly event: string; readonly close: string; readonly debug?: string }
  /** The most events that wait for a run. A further one is refused with `R2130`, so that its sender knows. */
  readonly mostEvents: number
  readonly keys: readonly LiveKey[]
  /** Returns the command of a key; undefined if it does nothing now. */
  command(key: LiveKey, text: string, run: Pick<OpenRun, 'state'>): Json | undefined
  /** Returns what the run does now, in one line. */
  about(run: Pick<OpenRun, 'state'>): string
  /** Calls back with each saved program below a folder, once it has not changed for a while, until the returned function is called. */
  watch(folder: string, host: Pick<Host, 'now' | 'at'>, onSaved: (file: string) => void): () => void
  /** Returns a function that gives a run its saved program. `read` reads and registers the program again. */
  reloads(run: OpenRun, programs: Programs, read: () => Promise<Program | readonly Fault[]>): (file: string) => Promise<SavedFile>
}
