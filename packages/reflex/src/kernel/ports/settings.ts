import { copyJson, isObject, type Json } from '../journal/json.ts'
import type { Start } from '../journal/record.ts'

/** The settings of a run that the kernel itself reads. */
export interface RunFacts {
  /** The user or the process that started the run. */
  readonly actor: string
  /** True if nothing of the run leaves this machine: the kernel asks its ports to simulate. */
  readonly simulated: boolean
}

/** The run that settings are written for, and the hash of its root program. */
export interface SettingsOwner {
  readonly run: string
  readonly trace: string
  readonly program: string
}

/**
 * Writes the settings of a run, which its operator chose, into its first record, and reads them there. A journal may come from
 * somebody else: `read` believes a claim that gives rights only with a proof.
 */
export interface SettingsCodec<S extends RunFacts = RunFacts> {
  write(settings: S, of: SettingsOwner): Json
  /** Called once when a run is opened, and when a stored run is only asked about. */
  read(start: Start): S
  /** Returns the settings of a fork: those of its source, and what the operator says for the fork. */
  forFork(source: S, said: Partial<S>): S
}

const NO_SETTINGS: RunFacts = { actor: '', simulated: false }

/** Settings as they stand in the record, unverified: those of a runtime that is given no codec. */
export function plainSettings<S extends RunFacts>(): SettingsCodec<S> {
  return {
    write: (settings) => copyJson(settings, 'settings'),
    read: ({ by }) => (isObject(by) ? by : NO_SETTINGS) as S,
    forFork: (source, said) => ({ ...source, ...said }),
  }
}

/** Settings that the host of a runtime gives to each of its runs, whatever the records say. */
export function fixedSettings<S extends RunFacts>(of: (run: string) => S): SettingsCodec<S> {
  return { ...plainSettings<S>(), read: ({ run }) => of(run) }
}
