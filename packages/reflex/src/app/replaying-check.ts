import { resolve } from 'node:path'
import { programFaults } from '../programs/faults.ts'
import { isModule } from '../programs/kinds.ts'
import { type Fault, isFault, type Peek, type RunRow, toFault } from '../kernel/index.ts'
import { fileOfRun, type Replayed, replayRun, type ReplayWorld, toolsOfRun } from './replaying.ts'
import { ChangedPrograms } from './replaying-changed.ts'

/**
 * The result of a check of an unfinished run against current programs. `equal`: it would continue as recorded. `noted`: so too,
 * but some records would have other notes. `breaks`: a record would differ. `unchanged`: its programs have not changed.
 * `apart`: it uses none of the programs. `unknown`: the check is impossible; `fault` has the reason.
 */
export type CheckOutcome = 'equal' | 'noted' | 'breaks' | 'unchanged' | 'apart' | 'unknown'

/** The check of one unfinished run. */
export interface CheckedRun {
  readonly row: RunRow
  readonly outcome: CheckOutcome
  /** The programs that would change, as `kind:id`. */
  readonly programs: readonly string[]
  /** The file of the changed program: the run's own, otherwise one that it calls. */
  readonly file?: string
  readonly replayed?: Replayed
  readonly fault?: Fault
  /** For `unknown`: the tool modules that the journal names. They are not imported. */
  readonly tools?: readonly string[]
}

/** A file that cannot be used for a check. */
export interface RefusedFile {
  readonly file: string
  readonly fault: Fault
}

export interface CheckWorld extends ReplayWorld {
  readonly runtime: ReplayWorld['runtime'] & { peek(id: string): Promise<Peek> }
}

/**
 * Checks whether the unfinished runs of a store would continue as recorded with the current programs in files. Performs
 * nothing, changes nothing, and imports no module that `files` does not name.
 */
export class ProgramCheck {
  readonly #world: CheckWorld
  /** Absent: each run is checked against the file that it was started with. */
  readonly #namedPrograms: ChangedPrograms | undefined
  readonly #programsByFile = new Map<string, ChangedPrograms | Fault>()
  readonly #used = new Set<string>()
  readonly #names = new Map<string, string>()
  /** Named files that cannot be read as programs. */
  readonly refused: RefusedFile[] = []

  private constructor(world: CheckWorld, namedPrograms: ChangedPrograms | undefined) {
    this.#world = world
    this.#namedPrograms = namedPrograms
  }

  /** Starts a check. `files`: absolute paths; empty: the runs' own files. */
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

  /** The named files that no unfinished run uses. Complete after all checks. */
  get unused(): readonly string[] {
    return [...this.#names].filter(([name]) => !this.#used.has(name)).map(([, file]) => file)
  }

  /** Checks the runs in order, the newest first. */
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
    const replayed = await replayRun(this.#world, peek.row, changed, await this.#segmentOf(row.id))
    const file = found.find(({ same }) => !same)?.file
    const outcome = replayed.result === 'differs' ? 'breaks' : replayed.result
    return { row, outcome, programs, replayed, ...(file === undefined ? {} : { file }) }
  }

  /** Of a run whose first records are only in an archive, the last segment is checked. Undefined: all of it. */
  async #segmentOf(run: string): Promise<number | undefined> {
    const segments = await this.#world.store.segments(run)
    return segments.some(({ place }) => place === 'gone') ? segments.at(-1)?.number : undefined
  }

  /** Returns the current programs of the file that a run was started with. */
  async #programsOfFile({ state }: Peek): Promise<ChangedPrograms | Fault> {
    const file = fileOfRun(state)
    if (file === undefined) return programFaults.make('R1021', 'it was started without a file', { fix: 'name the file to check it on' })
    // The journal may be from somebody else: files that it names are read, but modules are never run.
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
