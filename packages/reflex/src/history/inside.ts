import { type Change, framePath, keptRecords, type Program, readPart, type Ref, type RunRow, type State } from '../kernel/index.ts'
import type { InsideView, PartCause, PartPicture, UnknownName } from '../programs/inside-view.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'
import { didYouMean, suggest } from '../text/index.ts'
import type { Cause } from './causes.ts'
import { historyFaults } from './faults.ts'
import type { TraceWorld } from './trace-of.ts'
import { changesOfPart } from './trace.ts'

/** A part of a record: by its name, such as `E554`, or by its number in a record. `node`: a node in it; absent: the whole part. */
export interface PartQuestion {
  readonly place: string | { readonly record: number; readonly part: number }
  readonly node?: string | undefined
}

/** A part that was found. */
interface Found {
  readonly cause: Cause
  /** The values of the board that it read, by key: each was written by another record. */
  readonly writers: ReadonlyMap<string, number>
  readonly frame: Ref
}

/** True if a kind of the programs of a run names parts like this. */
export function isPartName(definitions: ViewedPrograms, { pins }: Pick<State, 'pins'>, text: string): boolean {
  return pins.some((_, pin) => definitions.view(definitions.program(pin).kind).inside?.isName(text) === true)
}

/**
 * Explains what happened inside one record: repeats it and follows the values back to the input of the record and to the board before it;
 * each value of the board states the part that wrote it. Performs nothing. Throws `R2065` for a part or a node that does not exist.
 */
export async function causeInside(world: TraceWorld, { id: run }: RunRow, until: number, { place, node }: PartQuestion): Promise<Cause> {
  return withWriters(world, run, await new InsideSearch<Found>(world, run, until, explained).at(place, node))
}

/** A part of a record with its picture, and the program that it is a part of. */
export interface PicturedPart {
  readonly picture: PartPicture
  readonly program: Program
  readonly record: number
  readonly part: number
}

/** Returns the picture of a part of a record. Performs nothing. Throws `R2065` for a part that does not exist. */
export function pictureInside(
  world: TraceWorld,
  { id: run }: Pick<RunRow, 'id'>,
  until: number,
  place: PartQuestion['place'],
): Promise<PicturedPart> {
  const search = new InsideSearch<PicturedPart>(world, run, until, ({ change, inside, definitions, part }) => {
    const picture = inside.picture(change, part)
    return 'unknown' in picture ? picture : { picture, program: definitions.program(change.frame.pin), record: change.n, part }
  })
  return search.at(place, undefined)
}

/** A part of a record while the record is repeated. */
interface Located {
  readonly change: Change
  readonly inside: InsideView
  readonly definitions: ViewedPrograms
  readonly part: number
}

/** Finds a part of a record, and looks at it while the record is repeated. */
class InsideSearch<Result extends object> {
  readonly #world: TraceWorld
  readonly #run: string
  readonly #until: number
  readonly #look: (located: Located, node: string | undefined) => Result | UnknownName
  /** The name of the last part that was seen. */
  #last: string | undefined
  #noun: string | undefined

  constructor(world: TraceWorld, run: string, until: number, look: (located: Located, node: string | undefined) => Result | UnknownName) {
    this.#world = world
    this.#run = run
    this.#until = until
    this.#look = look
  }

  at(place: PartQuestion['place'], node: string | undefined): Promise<Result> {
    return typeof place === 'string' ? this.#named(place, node) : this.#numbered(place.record, place.part, node)
  }

  /** Finds a part by its name, in the last segments first: a part that was put off is explained where it ran. */
  async #named(name: string, node: string | undefined): Promise<Result> {
    const { first } = await keptRecords(this.#world.store, this.#run)
    const segments = (await this.#world.store.segments(this.#run)).map((segment) => segment.first)
    const starts = segments.filter((start) => start >= first && start <= this.#until)
    const bounds = starts.length === 0 ? [first] : starts
    for (const [index, from] of bounds.toReversed().entries()) {
      const next = bounds[bounds.length - index]
      const found = await this.#lastIn(name, node, from, next === undefined ? this.#until : next - 1)
      if (found !== undefined) return found
    }
    if (this.#noun === undefined) throw this.#missing(`the records of ${this.#run} have no parts with names`)
    throw this.#missing(`${this.#run} has no ${this.#noun} ${name}${this.#last === undefined ? '' : `; the last one is ${this.#last}`}`)
  }

  async #lastIn(name: string, node: string | undefined, from: number, until: number): Promise<Result | undefined> {
    let found: Result | undefined
    for await (const [change, inside, definitions] of changesInside(this.#world, this.#run, from, until)) {
      const part = inside.isName(name) ? inside.find(change, name) : undefined
      this.#noun = inside.noun
      this.#last = inside.last(change.frame) ?? this.#last
      if (part !== undefined) found = this.#seen({ change, inside, definitions, part }, node)
    }
    return found
  }

  async #numbered(record: number, part: number, node: string | undefined): Promise<Result> {
    for await (const [change, inside, definitions] of changesInside(this.#world, this.#run, record, record))
      return this.#seen({ change, inside, definitions, part }, node)
    throw this.#missing(`record ${record} of ${this.#run} has no parts`)
  }

  #seen(located: Located, node: string | undefined): Result {
    const { change, inside, definitions } = located
    const seen = this.#look(located, node)
    if (isUnknown(seen)) throw this.#unknown(change, seen, inside, node, framePath(change.frame, definitions))
    return seen
  }

  #unknown({ n }: Change, { unknown, known }: UnknownName, { noun }: InsideView, node: string | undefined, path: string): Error {
    if (node === undefined || unknown !== node) {
      const has = known.length === 0 ? `no ${noun}s` : `${known.length} ${noun}${known.length === 1 ? '' : 's'}, and no part ${unknown}`
      return this.#missing(
        `record ${n} of ${this.#run} has ${has}`,
        `find the ${noun} in a trace of ${this.#run}, which prints the record of each`,
      )
    }
    const hint = didYouMean(suggest(unknown, known))
    return this.#missing(`${path === '' ? this.#run : path} has no node ${JSON.stringify(unknown)}${hint === undefined ? '' : `; ${hint}`}`)
  }

  #missing(message: string, fix?: string): Error {
    return historyFaults.make('R2065', message, { run: this.#run, ...(fix === undefined ? {} : { fix }) })
  }
}

function isUnknown(seen: object): seen is UnknownName {
  return 'unknown' in seen
}

/** Yields the changes of a range of records whose kind shows what is inside them. */
async function* changesInside(
  world: TraceWorld,
  run: string,
  from: number,
  until: number,
): AsyncGenerator<readonly [Change, InsideView, ViewedPrograms]> {
  const part = await readPart(world.store, run, from, until)
  for await (const [change, definitions] of changesOfPart(part, (state) => world.programsOf(state))) {
    const { inside } = definitions.view(definitions.program(change.frame.pin).kind)
    if (change.n >= from && inside !== undefined) yield [change, inside, definitions]
  }
}

function explained({ change, inside, part }: Located, node: string | undefined): Found | UnknownName {
  const found = inside.explain(change, part, node)
  if ('unknown' in found) return found
  const writers = new Map<string, number>()
  for (const key of keysOf(found)) {
    const { scope } = change.frame
    const place = scope.find(key, change.n - 1)
    if (place >= 0) writers.set(key, scope.entryAt(place).record)
  }
  return { cause: causeOf(found, change.n, part, writers), writers, frame: change.frame.id }
}

/** Adds the part that wrote each value of the board. Reads only the records that wrote them. */
async function withWriters(world: TraceWorld, run: string, { cause, writers, frame }: Found): Promise<Cause> {
  const names = new Map<string, string>()
  const kept = await keptRecords(world.store, run)
  for (const [key, record] of writers) {
    if (record < kept.first) continue
    for await (const [change, inside] of changesInside(world, run, record, record)) {
      const writer = change.frame.id === frame ? inside.writer(change, key) : undefined
      if (writer !== undefined) names.set(key, `written in ${writer}`)
      else names.set(key, change.before === undefined ? 'given at the start' : `written @${record}`)
    }
  }
  return named(cause, names)
}

/** A cause of a part whose value is on the board carries its key until its writer is known. */
type OpenCause = Cause & { readonly key?: string }

function causeOf({ key, from, ...cause }: PartCause, n: number, part: number, writers: ReadonlyMap<string, number>): OpenCause {
  const record = key === undefined ? undefined : writers.get(key)
  const open = key === undefined ? {} : { key }
  return {
    ...cause,
    record: record ?? n,
    ...(record === undefined ? { part } : {}),
    ...open,
    from: from.map((inner) => causeOf(inner, n, part, writers)),
  }
}

function named({ key, ...cause }: OpenCause, names: ReadonlyMap<string, string>): Cause {
  const writer = key === undefined ? undefined : names.get(key)
  return {
    ...cause,
    ...(writer === undefined ? {} : { text: [cause.text, writer].filter((text) => text !== undefined && text !== '').join(', ') }),
    from: cause.from.map((inner) => named(inner, names)),
  }
}

function keysOf({ key, from }: PartCause): string[] {
  return [...(key === undefined ? [] : [key]), ...from.flatMap(keysOf)]
}
