import { isModule } from '../programs/kinds.ts'
import type { RunHandle } from '../runs/handle.ts'
import { type FaultData, programHash } from '../kernel/index.ts'
import { readText } from '../programs/read-text.ts'
import { fileOfRun } from '../app/replaying.ts'

/** Fixes for the person who starts a run, by patterns in the reason of a failure. */
const REMEDIES: readonly (readonly [reason: RegExp, fix: (named: string) => string])[] = [
  [
    /(arbor:\/\/(?:(?!arbor:)\S)+) is not granted \(this run/,
    (need) => `grant ${need} with --policy FILE, in a new run or in a fork from before the failure`,
  ],
  [
    /no model is configured|the model (?:(?! model ).)+ cannot be found/,
    () => 'name a model with --model PROVIDER:NAME, or try the run without one: --simulate',
  ],
]

/** Returns the failure of a run, and adds its place and a fix if it has none. */
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
 * Returns the failure of a run with the place of its node in the file, if the file still contains the program that ran.
 * A failure that already has a place, or whose place cannot be found, is unchanged: an error here must not hide the
 * failure.
 */
function withPlace({ run: { state }, definitions }: RunHandle, failure: FaultData): FaultData {
  const file = fileOfRun(state)
  if (failure.path === undefined || failure.file !== undefined || file === undefined || isModule(file)) return failure
  const { hash, kind } = definitions.program(state.root.pin)
  try {
    const { kinds } = definitions
    const language = kinds.language(kind)
    const text = readText(file)
    const read = kinds.reader(kind)?.read(text, file, { depth: 'errors', lint: false })
    const program = read instanceof Promise ? undefined : read?.program
    if (language?.locate === undefined || program === undefined || programHash(kind, program.source) !== hash) return failure
    const { path, cause: _, ...place } = language.locate(text, file, { node: failure.path })
    return path === failure.path && place.line !== undefined ? { ...failure, ...place } : failure
  } catch {
    return failure
  }
}
