import { faults } from '../runs/faults.ts'
import type { Program, Programs } from '../kernel/index.ts'
import type { Library } from '../programs/library.ts'

/**
 * Programs of files as they are now, set beside those that runs hold: they take the places of the programs of the same
 * `kind:id` in a replay, and nowhere else. What they call is found beside them, as when they are run.
 */
export class ChangedPrograms {
  readonly #programs: Programs
  readonly #library: Library
  /** The files that were named, by the programs that they hold. */
  readonly #named = new Map<string, string>()

  constructor(programs: Programs, library: Library) {
    this.#programs = programs.copyKinds()
    this.#library = library.withPrograms(this.#programs)
  }

  /** Adds a file, and gives the name of its program. Throws what loading throws, and `R5044` for a name that is taken. */
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

  /** The file that a program stands in. */
  fileOf({ hash }: Program): string | undefined {
    return this.#library.fileOf(hash)
  }
}
