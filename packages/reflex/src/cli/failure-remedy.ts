import { formatOf, isModule } from '../app/formats.ts'
import type { RunHandle } from '../runs/handle.ts'
import { type FaultData, programHash } from '../kernel/index.ts'
import { readText } from '../app/library.ts'
import { fileOfRun } from '../app/replaying.ts'

/** What somebody who starts a run can do, by what the reason of a failure says. */
const REMEDIES: readonly (readonly [reason: RegExp, fix: (named: string) => string])[] = [
  [
    /(arbor:\/\/(?:(?!arbor:)\S)+) is not granted \(this run/,
    (need) => `grant ${need} with --policy FILE, in another run or in a fork of this one from before`,
  ],
  [
    /no model is configured|the model (?:(?! model ).)+ cannot be found/,
    () => 'name one: --model PROVIDER:NAME; or try it without: --simulate',
  ],
]

/** A failure of a run with its place and with what to do, where it says neither itself. */
export function withRemedy(handle: RunHandle, failure: FaultData): FaultData {
  const at = withPlace(handle, failure)
  if (at.fix !== undefined || at.code !== 'R2201') return at
  for (const [reason, fix] of REMEDIES) {
    const [found, named = ''] = reason.exec(at.message) ?? []
    if (found !== undefined) return { ...at, fix: fix(named) }
  }
  return at
}

/**
 * A failure of a run with the place of its node in the file, where the file still holds the program that ran. What has a
 * place already, or none that can be found, stays as it is: a second failure must not hide the first.
 */
function withPlace({ run: { state }, definitions }: RunHandle, failure: FaultData): FaultData {
  const file = fileOfRun(state)
  if (failure.path === undefined || failure.file !== undefined || file === undefined || isModule(file)) return failure
  const { hash, kind } = definitions.program(state.root.pin)
  try {
    const format = formatOf(file, kind)
    const text = readText(file)
    const { program } = format?.read(text, file, { guards: {}, proofs: 'errors', lint: false }) ?? {}
    if (format?.locate === undefined || program === undefined || programHash(kind, program.source) !== hash) return failure
    const { path, cause: _, ...place } = format.locate(text, file, { node: failure.path })
    return path === failure.path && place.line !== undefined ? { ...failure, ...place } : failure
  } catch {
    return failure
  }
}
