import { basename } from 'node:path'
import { faults as composition } from '../runs/faults.ts'
import { type Fault, isObject, type JsonObject, type Program, type Programs } from '../kernel/index.ts'
import { pipelineFormat } from './pipeline-format.ts'
import type { ProgramFormat, ReadOptions, ReadProgram } from './program-format.ts'
import { workflowFormat } from './workflow-format.ts'

/** Every kind that files can hold, in the order in which a name is tried. */
export const FORMATS: readonly ProgramFormat[] = [workflowFormat, pipelineFormat]

/** Named inputs as a program takes them, before its run begins. */
export function acceptInputs({ kind, def }: Program, input: JsonObject, texts: readonly string[] = []): JsonObject {
  return FORMATS.find((format) => format.kind === kind)?.acceptInputs(def, input, texts) ?? input
}

/** The format of a file by its name, or of the kind that was asked for. */
export function formatOf(file: string, kind?: string): ProgramFormat | undefined {
  if (kind !== undefined) return FORMATS.find((format) => format.kind === kind)
  const name = basename(file)
  return FORMATS.find(({ endings }) => endings.some((ending) => name.endsWith(ending)))
}

/** True if a file at this path could be read as a program, or imported as a module of programs or tools. */
export function isProgram(path: string): boolean {
  return formatOf(path) !== undefined || (isModule(path) && !path.includes('/node_modules/'))
}

export function isModule(file: string): boolean {
  return /\.(ts|js|mjs)$/.test(file)
}

/** A program in memory that is no file: the first format that knows it reads it. Throws the first error that it has. */
export function acceptValue(value: unknown, options?: ReadOptions): { readonly kind: string; readonly program: ReadProgram } | undefined {
  for (const format of FORMATS) {
    const result = format.accept(value, '', options)
    if (result === undefined) continue
    if (result.program !== undefined) return { kind: format.kind, program: result.program }
    throw result.findings.find(({ severity }) => severity === 'error') ?? new TypeError('what was not accepted has an error')
  }
  return undefined
}

/** Makes a program known, and those that come along with it. */
export function addPrograms(programs: Programs, kind: string, { id, version, source, def, local, callees = [] }: ReadProgram): Program {
  for (const callee of callees) addPrograms(programs, kind, callee)
  if (version !== undefined) programs.add(kind, `${id}@${version}`, source, { def, local })
  return programs.add(kind, id, source, { def, local })
}

/** Returns a program as one whose text nobody vouches for: its calls have the lowest trust in any run. */
export function asUntrusted(program: ReadProgram): ReadProgram {
  const { source } = program
  return isObject(source) ? { ...program, source: { ...source, author: 'untrusted' }, def: undefined } : program
}

/** Refuses a file of which no format knows the name. */
export function unknownFormat(file: string): Fault {
  const endings = FORMATS.flatMap((format) => format.endings.slice(0, 1))
  return composition.make('R1020', `cannot tell the kind of program from the file name ${file}`, {
    file,
    fix: `name it *${endings.join(', *')}, or say --kind`,
  })
}
