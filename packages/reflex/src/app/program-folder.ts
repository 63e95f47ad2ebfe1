import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { faults } from '../runs/faults.ts'
import { formatOf, isModule } from './formats.ts'
import { causeOf, type Fault } from '../kernel/index.ts'

/** Refuses a folder in which nothing is a program, unless it is run. */
export function noProgram(folder: string, named: string): Fault {
  const modules = programsOf(folder, named).map((file) => basename(file))
  const details = modules.length === 0 ? {} : { fix: `name the module: ${modules.join(', ')}` }
  return faults.make('R1021', 'the folder holds no program', { file: named, ...details })
}

/** The program files of a folder that a person named, in the order of their names. */
export function programsOf(folder: string, named: string): string[] {
  try {
    return programFiles(folder)
  } catch (cause) {
    throw unreadable(named, cause)
  }
}

function programFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => formatOf(name) !== undefined)
    .sort()
    .map((name) => join(folder, name))
}

/** Whether a file is called like a program. */
export function isNamedAfter(file: string, id: string): boolean {
  return basename(file).startsWith(`${id}.`)
}

/** The program files of a kind in a folder; none where it cannot be read. */
export function filesOfKind(folder: string, kind: string): string[] {
  try {
    return programFiles(folder).filter((file) => formatOf(file)?.kind === kind)
  } catch {
    return []
  }
}

/** Files of a folder that may hold a program, those that bear its name first. A module must bear it. */
export function candidateFiles(folder: string, kind: string, id: string, modules: boolean): string[] {
  const files = filesOfKind(folder, kind)
  const data = files.filter((file) => !isModule(file))
  return [...(modules ? files : data).filter((file) => isNamedAfter(file, id)), ...data.filter((file) => !isNamedAfter(file, id))]
}

/** Refuses what the system does not let be read. */
export function unreadable(file: string, cause: unknown): Fault {
  return faults.make('R1024', `${file} cannot be read`, { file, cause: causeOf(cause) })
}
