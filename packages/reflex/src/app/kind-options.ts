import { resolve } from 'node:path'
import type { AnyKindModule } from '../programs/kind-module.ts'
import type { CompanionFiles } from '../programs/language.ts'
import type { RunOption } from '../programs/run-options.ts'
import { isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { realRoot } from '../tools/paths.ts'

/** A run option of one kind, with its value. */
export interface ChosenOption {
  readonly kind: string
  readonly name: string
  readonly option: RunOption
  readonly value: string | number | boolean
}

/** The options of kinds that were given to a run, without those that say what holds anyway. */
export function chosenOptions(modules: readonly AnyKindModule[], options: object): ChosenOption[] {
  return modules.flatMap(({ name: kind, runOptions = {} }) => {
    const given: unknown = Reflect.get(options, kind)
    return Object.entries(runOptions).flatMap(([name, option]): ChosenOption[] => {
      const value = isObject(given) ? given[name] : undefined
      const usual = option.type === 'flag' ? false : option.type === 'off' ? true : undefined
      const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      return isScalar && value !== usual ? [{ kind, name, option, value }] : []
    })
  })
}

/** The folders to which paths of options are relative. */
export interface OptionPlaces {
  readonly cwd: string
  readonly workdir: string
}

/** Returns the value of an option with an absolute path. */
function absolute({ option: { type }, value }: ChosenOption, { cwd, workdir }: OptionPlaces): Json {
  if (typeof value !== 'string') return value
  return type === 'folder' ? realRoot(resolve(cwd, value), workdir) : type === 'file' ? resolve(cwd, value) : value
}

/** Returns the companion files that options name, as absolute paths. */
export function companionsOf(chosen: readonly ChosenOption[], places: OptionPlaces): CompanionFiles {
  return Object.fromEntries(
    chosen.flatMap(({ option, value }) =>
      option.companion === undefined ? [] : [[option.companion, resolve(places.cwd, String(value))] as const],
    ),
  )
}

/** Returns the options of one kind by name, with absolute paths. */
export function optionsOfKind(chosen: readonly ChosenOption[], kind: string, places: OptionPlaces): JsonObject {
  return Object.fromEntries(chosen.filter((one) => one.kind === kind).map((one) => [one.name, absolute(one, places)]))
}

/** Returns the run settings from the options of kinds, each at the place that its option names. */
export function keptOptions(chosen: readonly ChosenOption[], places: OptionPlaces): JsonObject {
  const kept: Record<string, Json> = {}
  for (const one of chosen) {
    const [first = '', second] = one.option.keep?.split('.') ?? []
    if (first === '') continue
    const group = kept[first]
    kept[first] = second === undefined ? absolute(one, places) : { ...(isObject(group) ? group : {}), [second]: absolute(one, places) }
  }
  return kept
}

/** False if an option skips lint rules. */
export function isLinted(chosen: readonly ChosenOption[]): boolean {
  return !chosen.some(({ name, option }) => name === 'validate' && option.type === 'off')
}
