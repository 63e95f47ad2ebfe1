import { keptRecords, readPart, type RunRow, type Change, type Json } from '../kernel/index.ts'
import type { TraceWorld } from '../history/trace-of.ts'
import { changesOfPart } from '../history/trace.ts'
import type { Kinds } from '../programs/kinds.ts'
import type { NamedProgram } from '../programs/property-tests.ts'
import type { CaptureReplay, EventDifference, RunCaptures } from '../programs/run-captures.ts'
import { faults } from '../runs/faults.ts'

/** The parts of a `Reflex` that captures need. */
export interface CaptureWorld extends TraceWorld {
  readonly kinds: Kinds
}

/** A program with which a capture is replayed. */
export interface CapturedProgram {
  readonly kind: string
  readonly def: unknown
}

/**
 * Yields the text of the capture of a run in the format of its kind. Changes nothing. Throws `R2031` for a kind without captures, for another
 * format and for a run that has nothing to capture, `R5054` for a run whose first records are only in an archive, and `R5003`.
 */
export async function* captureOf(world: CaptureWorld, { id, last, program }: RunRow, format?: string): AsyncGenerator<string> {
  const captures = capturesOf(world.kinds, program[1], format)
  const { def } = await rootProgram(world, id)
  let isEmpty = true
  for await (const text of captures.write(def, changesOf(world, id, last))) {
    isEmpty = false
    yield text
  }
  if (isEmpty) throw faults.make('R2031', `${id} has nothing to capture: no event was taken`, { run: id })
}

/** Returns the program of a run, as the run pinned it. */
export async function rootProgram(world: CaptureWorld, id: string): Promise<CapturedProgram> {
  const { state } = await world.runtime.peek(id)
  const { kind, def } = world.programsOf(state).program(state.root.pin)
  return { kind, def }
}

/** Replays the text of a capture strictly with a program. Evaluates nothing unless the capture is that of the program and undamaged. */
export function replayCaptured(
  kinds: Kinds,
  { kind, def }: CapturedProgram,
  text: string,
  options: { readonly file?: string | undefined; readonly all?: boolean | undefined },
): CaptureReplay {
  return capturesOf(kinds, kind).replay(def, text, options)
}

/** Returns the files of the captures of a kind. Throws `R2031` for a kind that has none, or none of this format. */
export function capturesOf(kinds: Kinds, kind: string, format?: string): RunCaptures {
  const captures = kinds.captures(kind)
  if (captures === undefined)
    throw faults.make('R2031', `runs of the kind ${kind} have no captures`, { fix: 'export the run as an archive' })
  if (format !== undefined && captures.format !== format)
    throw faults.make('R2031', `runs of the kind ${kind} have no format ${format}`, { fix: `write --format ${captures.format}` })
  return captures
}

async function* changesOf(world: CaptureWorld, id: string, last: number): AsyncGenerator<Change> {
  const { first } = await keptRecords(world.store, id)
  if (first > 1) await world.store.read(id, 1)
  for await (const [change] of changesOfPart(await readPart(world.store, id, 1, last), (state) => world.programsOf(state))) yield change
}

/** A version of a program that is compared. */
export interface ComparedProgram extends NamedProgram {
  readonly kind: string
}

/** Compares two versions of a program over lines of events. A line that is not JSON is an event that both refuse. */
export function compareOver(
  kinds: Kinds,
  one: ComparedProgram,
  other: ComparedProgram,
  text: string,
): { readonly events: number; readonly differences: readonly EventDifference[] } {
  if (one.kind !== other.kind)
    throw faults.make('R2031', `a ${one.kind} and a ${other.kind} cannot be compared`, { fix: 'name two versions of one program' })
  const events = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [eventOf(line)]))
  return { events: events.length, differences: [...capturesOf(kinds, one.kind).compare(one, other, events)] }
}

function eventOf(line: string): Json {
  try {
    return JSON.parse(line) as Json
  } catch {
    return line
  }
}
