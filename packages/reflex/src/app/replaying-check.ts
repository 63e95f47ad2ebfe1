import { resolve } from 'node:path'
import { programFaults } from '../programs/faults.ts'
import { isModule } from '../programs/kinds.ts'
import { type Fault, isFault, type Peek, type RunRow, toFault } from '../kernel/index.ts'
import { fileOfRun, type Replayed, replayRun, type ReplayWorld, toolsOfRun } from './replaying.ts'
import { ChangedPrograms } from './replaying-changed.ts'

/**
 * What would become of an unfinished run on programs as they are now. `equal`: it goes on as recorded. `noted`: so too,
 * and some records would note something else. `breaks`: a record would differ. `unchanged`: it holds these very
 * programs. `apart`: it uses none of them. `unknown`: `fault` says why nobody can tell.
 */
export type CheckOutcome = 'equal' | 'noted' | 'breaks' | 'unchanged' | 'apart' | 'unknown'

/** One unfinished run, checked. */
export interface CheckedRun {
  readonly row: RunRow
  readonly outcome: CheckOutcome
  /** The programs that would change, as `kind:id`. */
  readonly programs: readonly string[]
  /** The file that the run was checked on: of its own program if that would change, else of one that it calls. */
  readonly file?: string
  readonly replayed?: Replayed
  readonly fault?: Fault
  /** Of an `unknown` one: modules of tools that it was started with, as its journal says. They are named, and not imported. */
  readonly tools?: readonly string[]
}

/** A file that cannot be checked against. */
export interface RefusedFile {
  readonly file: string
  readonly fault: Fault
}

export interface CheckWorld extends ReplayWorld {
  readonly runtime: ReplayWorld['runtime'] & { peek(id: string): Promise<Peek> }
}

/**
 * Whether the unfinished runs of a store would go on as recorded, were they to go on with programs as they are in files
 * now. Performs nothing, changes nothing, imports no module that `files` does not name.
 */
export class ProgramCheck {
  readonly #world: CheckWorld
  /** Absent: each run is checked on the file that it was started with. */
  readonly #namedPrograms: ChangedPrograms | undefined
  readonly #programsByFile = new Map<string, ChangedPrograms | Fault>()
  readonly #used = new Set<string>()
  readonly #names = new Map<string, string>()
  /** Files that were named and cannot be read as programs. */
  readonly refused: RefusedFile[] = []

  private constructor(world: CheckWorld, namedPrograms: ChangedPrograms | undefined) {
    this.#world = world
    this.#namedPrograms = namedPrograms
  }

  /** `files`: absolute paths; none: the runs' own. */
  static async start(world: CheckWorld, files: readonly string[], kind?: string): Promise<ProgramCheck> {
    const namedPrograms = files.length === 0 ? undefined : new ChangedPrograms(world.runtime.programs, world.library)
    const check = new ProgramCheck(world, namedPrograms)
    for (const file of files) {
      try {
        if (namedPrograms !== undefined) check.#names.set(await namedPrograms.add(file, kind), file)
      } catch (thrown) {
        check.refused.push({ file, fault: faultOf(thrown) })
      }
    }
    return check
  }

  /** The files that were named and that no unfinished run uses, once all are checked. */
  get unused(): readonly string[] {
    return [...this.#names].filter(([name]) => !this.#used.has(name)).map(([, file]) => file)
  }

  /** Checks one run after another, the newest first. */
  async *runs(): AsyncGenerator<CheckedRun> {
    for (const row of await this.#world.store.runs({ status: ['suspended', 'running'] })) {
      if (row.last === 0) continue
      try {
        yield await this.#check(row)
      } catch (thrown) {
        yield { row, outcome: 'unknown', programs: [], fault: faultOf(thrown) }
      }
    }
  }

  async #check(row: RunRow): Promise<CheckedRun> {
    const peek = await this.#world.runtime.peek(row.id)
    const changed = this.#namedPrograms ?? (await this.#programsOfFile(peek))
    if (isFault(changed)) return { row, outcome: 'unknown', programs: [], fault: changed, tools: toolsOfRun(peek.state) }
    const found = peek.state.pins.flatMap(([name, , , hash]) => {
      const program = changed.find(name)
      return program === undefined ? [] : [{ name, same: program.hash === hash, file: changed.fileOf(program) }]
    })
    for (const { name } of found) this.#used.add(name)
    const programs = [...new Set(found.filter(({ same }) => !same).map(({ name }) => name))]
    if (programs.length === 0) return { row, outcome: found.length === 0 ? 'apart' : 'unchanged', programs }
    const replayed = await replayRun(this.#world, peek.row, changed)
    const file = found.find(({ same }) => !same)?.file
    const outcome = replayed.result === 'differs' ? 'breaks' : replayed.result
    return { row, outcome, programs, replayed, ...(file === undefined ? {} : { file }) }
  }

  /** The programs of the file that a run was started with, as they are now. */
  async #programsOfFile({ state }: Peek): Promise<ChangedPrograms | Fault> {
    const file = fileOfRun(state)
    if (file === undefined) return programFaults.make('R1021', 'it was started without a file', { fix: 'name the file to check it on' })
    // A journal may have come from somebody else: what it names is read, and never run.
    if (isModule(file)) return programFaults.make('R1021', `${file} is a module`, { file, fix: 'name it, so that it may be imported' })
    let known = this.#programsByFile.get(file)
    if (known === undefined) {
      known = await this.#load(resolve(file))
      this.#programsByFile.set(file, known)
    }
    return known
  }

  async #load(file: string): Promise<ChangedPrograms | Fault> {
    const programs = new ChangedPrograms(this.#world.runtime.programs, this.#world.library)
    try {
      await programs.add(file)
      return programs
    } catch (thrown) {
      return faultOf(thrown)
    }
  }
}

function faultOf(thrown: unknown): Fault {
  return toFault(thrown, () => {
    throw thrown
  })
}
