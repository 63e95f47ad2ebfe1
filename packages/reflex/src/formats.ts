import { basename } from 'node:path'
import { faults as composition } from './faults.ts'
import type { Fault, FaultDetails, Json, JsonObject, Program, Programs } from './kernel/index.ts'
import { type Locate, unplaced } from './text/index.ts'
import { takeInputs } from './workflow/board-schemas-inputs.ts'
import { calledWorkflows } from './workflow/define.ts'
import { type CompiledWorkflow, compileWorkflow, programRef, workflowSource } from './workflow/compile.ts'
import { locateInWorkflow, type Sought } from './workflow/locate.ts'
import { type Proofs, readWorkflow, shapeFindings } from './workflow/read.ts'
import type { GuardRegistry, Workflow } from './workflow/types.ts'
import { validateWorkflow } from './workflow/validate.ts'
import { type Effects, refusingFindings, verificationFindings } from './workflow/verify.ts'

/** A program as its file gives it, before it is registered. */
export interface ReadProgram {
  readonly id: string
  readonly source: Json
  readonly def: unknown
  /** Why it cannot be stored as data, if it cannot. */
  readonly local: string | undefined
  /** The programs that it calls as objects, and not by name. */
  readonly along?: readonly ReadProgram[]
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
  /** What those who will decide read and write, for proofs. */
  readonly effects?: Effects | undefined
  /** Finds the programs that it calls, by reference; without it calls are not checked. */
  readonly lookup?: (reference: string) => Program | undefined
  /** The names of the programs of a kind that it might call, for guesses; asked when one is not there. */
  readonly names?: (kind: string) => Iterable<string>
  /** How much of a program is proved; all of it unless said. */
  readonly proofs?: Proofs
}

/** How programs of one kind are written in files. */
export interface ProgramFormat {
  readonly kind: string
  /** Endings of file names that belong to it. */
  readonly endings: readonly string[]
  read(text: string, file: string, options: ReadOptions): ReadResult
  /** What a module exports, if it is a program of this kind; `options`: what can be proved of it as well. */
  accept(value: unknown, file: string, options?: ReadOptions): ReadResult | undefined
  /** Named inputs as a program takes them, those of `texts` read as what it declares. Throws for one that it does not take. */
  takes(def: unknown, input: JsonObject, texts: readonly string[]): JsonObject
  /** Where a node or an edge stands in the text of a program, with a note beside it. Never throws. */
  locate?(text: string, file: string | undefined, sought: Sought, note?: string): FaultDetails
}

const workflowFormat: ProgramFormat = {
  kind: 'workflow',
  endings: ['.workflow.json', '.workflow.jsonc', '.workflow.ts', '.workflow.js', '.workflow.mjs'],
  read(text, file, { guards, inspect, effects, lookup, names, proofs }) {
    const called = (id: string): Workflow | undefined => (lookup?.(programRef(id))?.def as CompiledWorkflow | undefined)?.workflow
    const read = readWorkflow(text, file, {
      guards,
      effects,
      proofs,
      ...(lookup === undefined ? {} : { lookup: called }),
      ...(names === undefined ? {} : { names: () => names('workflow') }),
    })
    const { workflow, findings, locate } = read
    if (workflow === undefined) return { findings }
    const seen = inspect?.(workflow, locate ?? unplaced) ?? []
    return { program: workflowProgram(workflow), findings: [...findings, ...seen].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) }
  },
  accept(value, _, options) {
    if (!isWorkflow(value)) return undefined
    const called = calledWorkflows(value)
    const findings = [...called, value].flatMap((workflow) => validateWorkflow(workflow))
    if (findings.some(({ severity }) => severity === 'error')) return { findings }
    const find = (id: string): Workflow | undefined => called.find((workflow) => workflow.id === id)
    const prove = options?.proofs === 'errors' ? refusingFindings : verificationFindings
    const proofs = options === undefined ? [] : prove(value, find, undefined, options.effects)
    const all = [...findings, ...proofs]
    return proofs.some(({ severity }) => severity === 'error') ? { findings: all } : { program: workflowProgram(value), findings: all }
  },
  takes: (def, input, texts) => takeInputs(def as CompiledWorkflow, input, texts),
  locate: locateInWorkflow,
}

/** Named inputs as a program takes them, before its run begins. */
export function acceptInputs({ kind, def }: Program, input: JsonObject, texts: readonly string[] = []): JsonObject {
  return FORMATS.find((format) => format.kind === kind)?.takes(def, input, texts) ?? input
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

/** A workflow in memory as a program, with those that it calls as objects. */
function workflowProgram(workflow: Workflow): ReadProgram {
  return { ...oneProgram(workflow), along: calledWorkflows(workflow).map(oneProgram) }
}

/** The same, of one that may be anything. Throws the first error that it has. */
export function acceptWorkflow(workflow: Workflow): ReadProgram {
  const { program, findings = [] } = workflowFormat.accept(workflow, '') ?? {}
  if (program !== undefined) return program
  throw findings.find(({ severity }) => severity === 'error') ?? new TypeError('what was not accepted has an error')
}

/** Makes a program known, and those that come along with it. */
export function addPrograms(programs: Programs, kind: string, { id, source, def, local, along = [] }: ReadProgram): Program {
  for (const called of along) addPrograms(programs, kind, called)
  return programs.add(kind, id, source, { def, local })
}

function oneProgram(workflow: Workflow): ReadProgram {
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
