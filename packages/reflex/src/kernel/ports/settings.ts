import { copyJson, isObject, type Json } from '../journal/json.ts'
import type { Start } from '../journal/record.ts'

/** The settings of a run that the kernel reads. */
export interface RunFacts {
  /** The user or the process that started the run. */
  readonly actor: string
  /** True if the run is simulated: the kernel asks its ports to simulate, and nothing leaves this machine. */
  readonly simulated: boolean
  /**
   * The number of a record. Permissions that people gave up to this record do not count: they were given elsewhere, or the records claim it.
   * Absent if all count.
   */
  readonly decidedAfter?: number
  /**
   * The last record of each import of the run. Limits that were raised up to it count only where they are not above those of the start:
   * the operator here has not raised them. Absent if all count.
   */
  readonly raisedElsewhere?: readonly number[]
}

/** The run that settings are written for, and the hash of its root program. */
export interface SettingsOwner {
  readonly run: string
  readonly trace: string
  readonly program: string
}

/**
 * Writes the settings of a run, as its operator chose them, to its first record, and reads them from there. A journal may come
 * from somebody else: `read` accepts a claim that gives permissions only with a proof.
 */
export interface SettingsCodec<S extends RunFacts = RunFacts> {
  write(settings: S, of: SettingsOwner): Json
  /** Called once when a run is opened, and when a stored run is only shown. */
  read(start: Start): S
  /** Returns the settings of a fork: those of its source with the overrides of the operator. */
  forFork(source: S, said: Partial<S>): S
}

/** The settings of a run that was started without any. */
export const NO_SETTINGS = { actor: '', simulated: false } as const satisfies RunFacts

/** Returns the codec of a runtime without another one: settings as stored, without verification. */
export function plainSettings<S extends RunFacts>(): SettingsCodec<S> {
  return {
    write: (settings) => copyJson(settings, 'settings'),
    read: ({ by }) => (isObject(by) ? by : NO_SETTINGS) as S,
    forFork: (source, said) => ({ ...source, ...said }),
  }
}

/** Returns a codec for settings that the host of a runtime gives to each of its runs, regardless of the records. */
export function fixedSettings<S extends RunFacts>(of: (run: string) => S): SettingsCodec<S> {
  return { ...plainSettings<S>(), read: ({ run }) => of(run) }
}
