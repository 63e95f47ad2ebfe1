import { basename } from 'node:path'
import { faults as composition } from './faults.ts'
import type { Fault, Json, Program } from './kernel/index.ts'
import { type Locate, readJson } from './text/index.ts'
import { type CompiledWorkflow, compileWorkflow, programRef, workflowSource } from './workflow/compile.ts'
import { readWorkflow, shapeFindings } from './workflow/read.ts'
import type { GuardRegistry, Workflow } from './workflow/types.ts'
import { validateWorkflow } from './workflow/validate.ts'

/** A program as its file gives it, before it is registered. */
export interface ReadProgram {
  readonly id: string
  readonly source: Json
  readonly def: unknown
  /** Why it cannot be stored as data, if it cannot. */
  readonly local: string | undefined
}

/** What was read, and everything that was found. */
export interface ReadResult {
  readonly program?: ReadProgram
  readonly findings: readonly Fault[]
}

/** What reading a program needs from its surroundings. */
export interface ReadOptions {
  readonly guards: GuardRegistry
  /** What those who will decide at its nodes say of them. */
  readonly inspect?: (workflow: Workflow, locate: Locate) => readonly Fault[]
  /** Finds the programs that it calls, by reference; without it calls are not checked. */
  readonly lookup?: (reference: string) => Program | undefined
}

/** How programs of one kind are written in files. */
export interface ProgramFormat {
  readonly kind: string
  /** Endings of file names that belong to it. */
  readonly endings: readonly string[]
  read(text: string, file: string, options: ReadOptions): ReadResult
  /** What a module exports, if it is a program of this kind. */
  accept(value: unknown, file: string): ReadResult | undefined
}

const workflowFormat: ProgramFormat = {
  kind: 'workflow',
  endings: ['.workflow.json', '.workflow.jsonc', '.workflow.ts', '.workflow.js', '.workflow.mjs'],
  read(text, file, { guards, inspect, lookup }) {
    const called = (id: string): Workflow | undefined => (lookup?.(programRef(id))?.def as CompiledWorkflow | undefined)?.workflow
    const { workflow, findings } = readWorkflow(text, file, { guards, ...(lookup === undefined ? {} : { lookup: called }) })
    if (workflow === undefined) return { findings }
    const json = readJson(text, file)
    const seen = inspect?.(workflow, (path, at) => json.details(path, at)) ?? []
    return { program: workflowProgram(workflow), findings: [...findings, ...seen].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
  },
  accept(value) {
    if (!isWorkflow(value)) return undefined
    const findings = validateWorkflow(value)
    return findings.some(({ severity }) => severity === 'error') ? { findings } : { program: workflowProgram(value), findings }
  },
}

/** Every kind that files can hold, in the order in which a name is tried. */
export const FORMATS: readonly ProgramFormat[] = [workflowFormat]

/** The format of a file by its name, or of the kind that was asked for. */
export function formatOf(file: string, kind?: string): ProgramFormat | undefined {
  if (kind !== undefined) return FORMATS.find((format) => format.kind === kind)
  const name = basename(file)
  return FORMATS.find(({ endings }) => endings.some((ending) => name.endsWith(ending)))
}

export function isModule(file: string): boolean {
  return /\.(ts|js|mjs)$/.test(file)
}

/** A workflow in memory as a program. */
export function workflowProgram(workflow: Workflow): ReadProgram {
  const { source, local: named } = workflowSource(workflow)
  // What another process could not load again is not data either: values in TypeScript that the JSON form does not know.
  const local = named ?? shapeFindings(source)[0]?.message
  return { id: workflow.id, source, def: compileWorkflow(workflow), local }
}

/** Whether a value has the shape of a workflow, well enough to be checked as one. */
export function isWorkflow(value: unknown): value is Workflow {
  return (
    typeof value === 'object' &&
    value !== null &&
    'entry' in value &&
    'nodes' in value &&
    'edges' in value &&
    Array.isArray(value.edges) &&
    typeof value.nodes === 'object' &&
    value.nodes !== null
  )
}

/** Refuses a file of which no format knows the name. */
export function unknownFormat(file: string): Fault {
  const endings = FORMATS.flatMap((format) => format.endings.slice(0, 1))
  return composition.make('R1020', `${file} is of no kind that its name tells`, {
    file,
    fix: `name it *${endings.join(', *')}, or say --kind`,
  })
}
