import type { Fault } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { loadError } from '../board/errors.ts'
import { judgeTreeName } from '../formats/parameter-values.ts'
import { faults } from '../model/faults.ts'
import type { TreeFiles } from './tree-files.ts'

/** The folder of a registry. Nothing outside of it is read, also not through a link (SEC-04). */
export class TreeFolder {
  readonly path: string
  readonly #files: TreeFiles
  readonly #endings: readonly string[]

  /** Throws `R1201` for a folder that does not exist. */
  constructor(folder: string, files: TreeFiles, endings: readonly string[]) {
    const path = files.realPath(folder)
    if (path === undefined) throw loadError([faults.make('R1201', `${quote(folder)} is no folder`, { rule: 'E4001' })])
    this.path = path
    this.#files = files
    this.#endings = endings
  }

  /** Returns the paths of all trees of the folder. */
  list(): readonly string[] {
    return this.#files.list(this.path).filter((file) => this.#isTree(file))
  }

  /** Returns the path of a file as messages name it. */
  shown(path: string): string {
    return path.slice(this.path.length + 1)
  }

  /** Returns the file of a tree by its name; undefined if there is none. The name was checked before. */
  fileOf(name: string): string | undefined {
    return this.#endings.map((ending) => `${this.path}/${name}${ending}`).find((path) => this.realPath(path) !== undefined)
  }

  /** Returns the path without symbolic links; undefined if there is no such file. */
  realPath(path: string): string | undefined {
    return this.#files.realPath(path)
  }

  /** Returns the real path of a file of this folder. Throws `R1262` for one outside, `R1201` for one that is missing or no tree. */
  inside(path: string): string {
    const given = path.startsWith('/') ? path : `${this.path}/${path}`
    if (path.split(/[/\\]/).includes('..')) throw outside(path)
    if (!this.#isTree(given))
      throw faults.make('R1201', `${quote(path)} has no ending of a tree: ${this.#endings.join(', ')}`, { rule: 'E4001' })
    if (!this.#isBelow(given)) throw outside(path)
    const real = this.realPath(given)
    if (real === undefined) throw faults.make('R1201', `${quote(path)} does not exist`, { rule: 'E4001', file: path })
    if (!this.#isBelow(real)) throw outside(path)
    return real
  }

  #isTree(path: string): boolean {
    return this.#endings.some((ending) => path.endsWith(ending))
  }

  #isBelow(path: string): boolean {
    return path.startsWith(`${this.path}/`)
  }
}

function outside(path: string): Fault {
  return faults.make('R1262', `${quote(path)} is outside of the folder of trees`, { rule: 'E7002', data: { attempted_path: path } })
}

/** Returns the fault of a name that is none. One that could lead out of the folder is an attack: `R1262`. */
export function nameFault(name: string): Fault | undefined {
  const judged = judgeTreeName(name)
  if ('value' in judged) return undefined
  const { fix, leadsOut } = judged
  const message = `${quote(name)} cannot be the name of a tree`
  if (leadsOut !== true) return faults.make('R1202', message, { rule: 'E4002', fix })
  return faults.make('R1262', `${message}: it leads out of the folder of trees`, { rule: 'E7002', fix, data: { name } })
}
