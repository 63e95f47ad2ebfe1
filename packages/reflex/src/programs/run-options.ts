/** The type of a run option: a flag, a flag that disables something, a count, a text, a path, or one of several words. */
export type RunOptionType = 'flag' | 'off' | 'count' | 'text' | 'file' | 'folder' | readonly [string, string, ...string[]]

/** The commands besides `run` and its kin that can have a run option. */
export type OptionCommand = 'validate' | 'test' | 'diff' | 'replay' | 'import'

/** A run option of a kind, in `run` and in the command. */
export interface RunOption {
  /** The flag of the command: `--dead-end`. */
  readonly flag: `--${string}`
  readonly type: RunOptionType
  /** The text of the help. */
  readonly does: string
  /** True: only a run whose own program is of this kind has the option. Otherwise also a run that calls such a program. */
  readonly root?: true
  /** Returns the reason why another program ignores it, for the end of `R2031`. `kind`: the kind of that program. */
  readonly ignored: (kind: string) => string
  /** Another option that it requires, and the reason. */
  readonly with?: readonly [option: string, why: string]
  /**
   * The option names a file that states what has happened, so a run must not have written it. The option of this name proves
   * that the runtime wrote it.
   */
  readonly provedBy?: string
  /** The place in the run settings where it is stored for a resume: `routing.deadEnd`. Absent: it applies only at the start. */
  readonly keep?: string
  /** The option names a companion of the program: this file is read with it, in place of the one beside it. */
  readonly companion?: string
  /** Further commands that have the option: those that read a program as a run would. */
  readonly alsoOf?: readonly OptionCommand[]
}

/** The options of the runs of a kind by name. */
export type RunOptionTable = Readonly<Record<string, RunOption>>

/** The table of a kind without run options. */
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

/** The values of run options for `run`. */
export type RunOptionValues<Table extends RunOptionTable> = { readonly [Name in keyof Table]?: ValueOf<Table[Name]['type']> }
