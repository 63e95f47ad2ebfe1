import { causeOf, type Fault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { FunctionPin, Pin } from '../journal/record.ts'
import type { Program } from './program.ts'

/** True if two lists name the same functions in the same versions. A digest that only one side states is not compared. */
export function equalFunctions(one: readonly FunctionPin[] = [], other: readonly FunctionPin[] = []): boolean {
  return one.length === other.length && one.every((pinned) => other.some((found) => isSame(pinned, found)))
}

function isSame([name, version, digest]: FunctionPin, [otherName, otherVersion, otherDigest]: FunctionPin): boolean {
  return name === otherName && version === otherVersion && (digest === otherDigest || digest === undefined || otherDigest === undefined)
}

/** True if a pin names a program with its functions. A pin of an older journal does not state the functions. */
export function isPinOf([, , , hash, functions]: Pin, program: Pick<Program, 'hash' | 'functions'>): boolean {
  return hash === program.hash && (functions === undefined || equalFunctions(functions, program.functions))
}

/** The key of a program with its functions: versions of a function make programs of one source differ. */
export function functionKey(hash: string, functions: readonly FunctionPin[]): string {
  return `${hash} ${JSON.stringify(functions)}`
}

interface Mismatch {
  readonly run?: string | undefined
  /** The functions that the program calls here, if it compiles. */
  readonly found?: readonly FunctionPin[]
  readonly cause?: unknown
}

/** Makes `R5014`: this process does not have the functions that a run has pinned. */
export function functionsFault([name, , , hash, pinned = []]: Pin, { run, found, cause }: Mismatch): Fault {
  const differing = pinned.flatMap((one) => difference(one, found))
  const added = (found ?? [])
    .filter(([other]) => !pinned.some(([one]) => one === other))
    .map(([other, version]) => `without ${other} ${version}`)
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`
  const text = `${name}@${hash.slice(0, 6)} was pinned with ${[...differing, ...added].join(', ')}${why}`
  return faults.make('R5014', text, {
    run,
    path: name,
    fix: `register ${pinned.map(([one, version]) => `${one} ${version}`).join(', ')}, then try again`,
    data: { pinned: pinned.map(asJson), ...(found === undefined ? {} : { found: found.map(asJson) }) },
    ...(cause === undefined ? {} : { cause }),
  })
}

function difference(one: FunctionPin, found: readonly FunctionPin[] | undefined): string[] {
  const [name, version] = one
  const here = found?.filter(([other]) => other === name) ?? []
  if (here.some((other) => isSame(one, other))) return []
  const [other] = here
  if (found === undefined) return [`${name} ${version}`]
  if (other === undefined) return [`${name} ${version} (not registered here)`]
  return [`${name} ${version} (here: ${other[1] === version ? 'another text' : other[1]})`]
}

function asJson(one: FunctionPin): string[] {
  return one.filter((part) => part !== undefined)
}

function messageOf(thrown: unknown): string {
  const cause = causeOf(thrown)
  return typeof cause === 'string' ? cause : cause.message
}
