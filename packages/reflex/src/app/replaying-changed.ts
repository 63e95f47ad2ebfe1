import { faults } from '../runs/faults.ts'
import type { Program, Programs } from '../kernel/index.ts'
import type { Library } from '../programs/library.ts'

/**
 * The current programs of files. In a replay they replace the programs of the same `kind:id` that a run has pinned. The
 * programs that they call are found in their folder, as in a run.
 */
export class ChangedPrograms {
  readonly #programs: Programs
  readonly #library: Library
  /** The named files by the names of their programs. */
  readonly #named = new Map<string, string>()

  constructor(programs: Programs, library: Library) {
    this.#programs = programs.copyKinds()
    this.#library = library.withPrograms(this.#programs)
  }

  /** Adds a file and returns the name of its program. Throws the faults of loading, and `R5044` for a name that is taken. */
  async add(path: string, kind?: string): Promise<string> {
    const { program, file } = await this.#library.load(path, kind)
    const before = this.#named.get(program.name)
    if (before !== undefined && before !== file)
      throw faults.make('R5044', `${file} holds ${program.name}, and so does ${before}`, { file })
    this.#named.set(program.name, file)
    return program.name
  }

  find(name: string): Program | undefined {
    return this.#programs.find(name)
  }

  /** Returns the file of a program. */
  fileOf({ hash }: Program): string | undefined {
    return this.#library.fileOf(hash)
  }
}
