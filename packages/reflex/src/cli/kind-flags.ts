import { Option } from 'commander'
import { KINDS } from '../app/kinds.ts'
import type { AnyKindModule } from '../programs/kind-module.ts'
import type { Companion } from '../programs/language.ts'
import type { OptionCommand, RunOption, RunOptionTable } from '../programs/run-options.ts'

/** The run options of the built-in kinds, by kind. No kind is loaded for them. */
export const RUN_FLAGS: Readonly<Record<string, RunOptionTable>> = Object.fromEntries(
  (KINDS as readonly AnyKindModule[]).flatMap(({ name, runOptions }) => (runOptions === undefined ? [] : [[name, runOptions]])),
)

/** The flags of runs that only programs of one kind know. */
export const KIND_FLAGS: readonly Option[] = Object.values(RUN_FLAGS).flatMap((table) =>
  Object.values(table).map(({ flag, type, does }) => new Option(`${flag}${placeholder(type)}`, does)),
)

/** Returns the flags of kinds that another command than `run` has, too. */
export function flagsOf(command: OptionCommand): Option[] {
  return Object.values(RUN_FLAGS).flatMap((table) =>
    Object.values(table).flatMap(({ flag, type, does, alsoOf = [] }) =>
      alsoOf.includes(command) ? [new Option(`${flag}${placeholder(type)}`, does)] : [],
    ),
  )
}

/** The files beside programs that `validate` writes, of all kinds. */
export const COMPANIONS: readonly Companion[] = (KINDS as readonly AnyKindModule[]).flatMap(({ companions = [] }) => companions)

/** The flags of `validate` that only some kinds know. */
export const COMPANION_FLAGS: readonly Option[] = COMPANIONS.map(({ flag, does }) => new Option(`${flag} [file]`, does))

function placeholder(type: RunOption['type']): string {
  if (typeof type !== 'string') return ' <how>'
  return { flag: '', off: '', count: ' <count>', text: ' <text>', file: ' <file>', folder: ' <dir>' }[type]
}
