import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Fault } from '../kernel/index.ts'
import { programFaults } from './faults.ts'
import { isModule, type Kinds } from './kinds.ts'
import { unreadable } from './unreadable.ts'

/** Returns the fault of a folder without a program that can be read without running it. `modules`: its modules. */
export function noProgram(modules: readonly string[], named: string): Fault {
  const names = modules.map((file) => basename(file))
  const details = names.length === 0 ? {} : { fix: `name the module: ${names.join(', ')}` }
  return programFaults.make('R1021', 'the folder holds no program', { file: named, ...details })
}

/** True if a file has the name of a program file. */
export function isNamedAfter(file: string, id: string): boolean {
  return basename(file).startsWith(`${id}.`)
}

/** Finds program files in folders, by the endings of the kinds. */
export class ProgramFolders {
  readonly #kinds: Kinds

  constructor(kinds: Kinds) {
    this.#kinds = kinds
  }

  /** Returns the program files of a folder that a person named, sorted by name. */
  programsOf(folder: string, named: string): string[] {
    try {
      return this.#files(folder)
    } catch (cause) {
      throw unreadable(named, cause)
    }
  }

  /** Returns the program files of a kind in a folder; empty if the folder cannot be read. */
  ofKind(folder: string, kind: string): string[] {
    try {
      return this.#files(folder).filter((file) => this.#kinds.ofFile(file)?.name === kind)
    } catch {
      return []
    }
  }

  /** Returns the files of a folder that may contain a program, first those with its name. A module must have its name. */
  candidates(folder: string, kind: string, id: string, modules: boolean): string[] {
    const files = this.ofKind(folder, kind)
    const data = files.filter((file) => !isModule(file))
    return [...(modules ? files : data).filter((file) => isNamedAfter(file, id)), ...data.filter((file) => !isNamedAfter(file, id))]
  }

  #files(folder: string): string[] {
    return readdirSync(folder)
      .filter((name) => this.#kinds.ofFile(name) !== undefined)
      .sort()
      .map((name) => join(folder, name))
  }
}
