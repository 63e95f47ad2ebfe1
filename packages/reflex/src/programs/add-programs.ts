import { isObject, type Program, type Programs } from '../kernel/index.ts'
import type { ReadProgram } from './language.ts'

/** Registers a program and the programs that it includes. */
export function addPrograms(programs: Programs, kind: string, { id, version, source, def, local, callees = [] }: ReadProgram): Program {
  for (const callee of callees) addPrograms(programs, kind, callee)
  if (version !== undefined) programs.add(kind, `${id}@${version}`, source, { def, local })
  return programs.add(kind, id, source, { def, local })
}

/** Returns a program as untrusted: its calls have the lowest trust in any run. */
export function asUntrusted(program: ReadProgram): ReadProgram {
  const { source } = program
  return isObject(source) ? { ...program, source: { ...source, author: 'untrusted' }, def: undefined } : program
}
