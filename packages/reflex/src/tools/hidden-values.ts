import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { secretCapability } from './capability.ts'
import { faults } from './faults.ts'

/** The values that calls of tools refer to and that no record has. */
export interface HiddenValues {
  /** Returns the value of a secret by its name, such as `vault://ci/token`. Rejects with `R4146`. */
  secretOf(name: string): Promise<string>
  /** Returns the value of a sealed text. Throws `R4146` if this user has not sealed it. */
  open(sealed: string): Json
  /** Returns the sealed text of a value. */
  seal(value: Json): string
}

type Path = readonly (string | number)[]

/** The parts of a call that are hidden, as JSON paths into its arguments and its result. */
export interface HiddenParts {
  /** Arguments that are names of secrets. */
  readonly secrets: readonly Path[]
  /** Arguments that have sealed values, whole or inside a text. */
  readonly sealed: readonly Path[]
  /** Parts of the result that are sealed before it is recorded. */
  readonly seals: readonly Path[]
}

/** Reads which parts of a call are hidden; undefined for a call without any, as most are. */
export function hiddenParts(args: Json | undefined): HiddenParts | undefined {
  const { secrets, sealed, seals } = isObject(args) ? args : {}
  if (secrets === undefined && sealed === undefined && seals === undefined) return undefined
  return { secrets: pathsIn(secrets), sealed: pathsIn(sealed), seals: pathsIn(seals) }
}

function pathsIn(value: Json | undefined): readonly Path[] {
  return isList(value)
    ? value.filter(isList).map((path) => path.filter((step) => typeof step === 'string' || typeof step === 'number'))
    : []
}

/** Returns the capabilities of the secrets that a call names. */
export function secretNeeds(given: Json, { secrets }: HiddenParts): readonly string[] {
  return secrets.flatMap((path) => {
    const name = at(given, path)
    return typeof name === 'string' ? [secretCapability(name)] : []
  })
}

/** Returns the arguments of a call with the values of its secrets and its sealed parts. Rejects with `R4101` and `R4146`. */
export async function revealed(given: Json, { secrets, sealed }: HiddenParts, values: HiddenValues): Promise<Json> {
  let args = given
  for (const path of sealed) args = changed(args, path, (value) => opened(value, values, path))
  for (const path of secrets) {
    const name = at(given, path)
    if (typeof name !== 'string') continue
    const value = await values.secretOf(name)
    args = changed(args, path, () => checkedWord(value, path))
  }
  return args
}

/** Returns a result with its hidden parts sealed. A part that is not there stays so. */
export function sealedResult(result: Json, { seals }: HiddenParts, values: HiddenValues): Json {
  return seals.reduce<Json>((all, path) => changed(all, path, (value) => values.seal(value)), result)
}

const SEALED = /‹sealed [A-Za-z0-9_-]+›/g
/** The same inside a URL. */
const ENCODED = /%E2%80%B9sealed%20([A-Za-z0-9_-]+)%E2%80%BA/g

function opened(value: Json, values: HiddenValues, path: Path): Json {
  if (typeof value !== 'string') return value
  if (value.startsWith('‹sealed ') && value.indexOf('›') === value.length - 1) return checkedWord(values.open(value), path)
  const texts = value.replace(SEALED, (sealed) => textOf(values.open(sealed)))
  const all = texts.replace(ENCODED, (_, cipher: string) => encodeURIComponent(textOf(values.open(`‹sealed ${cipher}›`))))
  return value.startsWith('‹sealed ') ? checkedWord(all, path) : all
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Refuses a hidden value that would be an option of a command: nobody could have seen that in the arguments. */
function checkedWord(value: Json, path: Path): Json {
  if (typeof path.at(-1) === 'number' && typeof value === 'string' && value.startsWith('-'))
    throw faults.make('R4101', `the hidden value at ${path.join('.')} begins with "-" and could be read as an option`, {
      fix: 'pass it behind the name of its option: --name={{value}}',
    })
  return value
}

function at(value: Json | undefined, [step, ...rest]: Path): Json | undefined {
  if (step === undefined) return value
  if (isList(value)) return typeof step === 'number' ? at(value[step], rest) : undefined
  return isObject(value) && Object.hasOwn(value, step) ? at(value[step], rest) : undefined
}

function changed(value: Json, path: Path, change: (value: Json) => Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  const inner = at(value, [step])
  if (inner === undefined) return value
  const after = changed(inner, rest, change)
  if (isList(value)) return value.map((one, index) => (index === step ? after : one))
  return { ...(value as JsonObject), [step]: after }
}
