/** The type of a run option: a flag, a flag that is switched off, a number of things, a path, or one of several words. */
export type RunOptionType = 'flag' | 'off' | 'count' | 'file' | 'folder' | readonly [string, string, ...string[]]

/** An option of the runs of a kind: of `run`, and of the command. */
export interface RunOption {
  /** As the command has it: `--dead-end`. */
  readonly flag: `--${string}`
  readonly type: RunOptionType
  /** The text of the help. */
  readonly does: string
  /** Only a run whose own program is of this kind knows it; else also one that calls such a program. */
  readonly root?: true
  /** Says why another program ignores it: the end of `R2031`. `kind`: that of the program. */
  readonly ignored: (kind: string) => string
  /** Another option without which it has no effect, and why. */
  readonly with?: readonly [option: string, why: string]
  /**
   * A file that says what has happened: a run must not have written it, unless the option of this name is given, which proves
   * that it was written by the runtime.
   */
  readonly provedBy?: string
  /** The place in the settings of a run where it is kept for a resume: `routing.deadEnd`. Absent: it counts at the start alone. */
  readonly keep?: string
}

/** The options of the runs of a kind by name. */
export type RunOptionTable = Readonly<Record<string, RunOption>>

/** The table of a kind whose runs have no options of their own. */
export type NoRunOptions = Readonly<Record<string, never>>

type ValueOf<Type> = Type extends 'flag'
  ? boolean
  : Type extends 'off'
    ? boolean
    : Type extends 'count'
      ? number
      : Type extends readonly (infer Word)[]
        ? Word
        : string

/** The values of run options, as `run` takes them. */
export type RunOptionValues<Table extends RunOptionTable> = { readonly [Name in keyof Table]?: ValueOf<Table[Name]['type']> }
