import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isFault } from '../../../kernel/index.ts'
import { unreadable } from '../../../programs/unreadable.ts'
import { faults } from './faults.ts'
import type { ReadProject } from './project-yaml.ts'
import type { ProjectValues } from './skill-host.ts'

/** The name of the file of a project that has values for the blackboard of its skills. */
export const PROJECT_FILE = 'skills.yaml'

const MOST_BYTES = 64 * 1024
const NOTHING: ProjectValues = { board: {} }

/**
 * The file `skills.yaml` of a work folder: the one door to it for wrapped agents, runs of skills and commands. It is optional, and is read again
 * each time, because people edit it while an agent runs; an unchanged text is not parsed again.
 */
export class ProjectFile {
  readonly #file: string
  #last: { readonly text: string; readonly read: ReadProject } | undefined

  constructor(workdir: string) {
    this.#file = join(workdir, PROJECT_FILE)
  }

  /** Returns the values of the file; none if there is no file. Throws `R1475` for the first mistake in it, and `R1024` if it cannot be read. */
  async values(): Promise<ProjectValues> {
    const text = this.#text()
    if (text === undefined) return NOTHING
    if (this.#last?.text !== text) {
      const { readProjectYaml } = await import('./project-yaml.ts')
      this.#last = { text, read: readProjectYaml(text, this.#file) }
    }
    const { values, findings } = this.#last.read
    const [first] = findings
    if (first !== undefined) throw first
    return values ?? NOTHING
  }

  #text(): string | undefined {
    const file = this.#file
    try {
      const stat = statSync(file, { throwIfNoEntry: false })
      if (stat === undefined) return undefined
      if (!stat.isFile()) throw unusable(file, `${PROJECT_FILE} is not a file`, 'write a file with ctx, env and goal_labels')
      if (stat.size > MOST_BYTES) throw tooLarge(file, stat.size)
      if (dirname(realpathSync(file)) !== realpathSync(dirname(file)))
        throw unusable(file, `${PROJECT_FILE} is a link that leads out of its folder`, 'write the file itself')
      const bytes = readFileSync(file)
      if (bytes.length > MOST_BYTES) throw tooLarge(file, bytes.length)
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch (thrown) {
      if (isFault(thrown)) throw thrown
      if (thrown instanceof TypeError) throw unusable(file, `${PROJECT_FILE} is not UTF-8`, 'save it as UTF-8')
      throw unreadable(file, thrown)
    }
  }
}

function tooLarge(file: string, size: number): Error {
  return unusable(file, `${PROJECT_FILE} has ${size} B; the limit is ${MOST_BYTES} B`, 'move what skills do not read into another file')
}

function unusable(file: string, message: string, fix: string): Error {
  return faults.make('R1475', message, { file, fix })
}
