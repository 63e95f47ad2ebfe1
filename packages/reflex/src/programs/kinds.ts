import { basename } from 'node:path'
import { type Definitions, type Fault, type JsonObject, type Program, type Programs, RunPrograms, type State } from '../kernel/index.ts'
import { programFaults } from './faults.ts'
import type { KindView } from './kind-view.ts'
import type { Language, ReadContext, Reader, ReadProgram } from './language.ts'

/** The part of a kind that needs no host. */
export interface KindFace {
  readonly name: string
  readonly language: Language
  readonly view: KindView
}

/** Kinds by name: how each displays, writes and reads its programs. */
export class Kinds {
  readonly #faces: ReadonlyMap<string, KindFace>
  readonly #readers: ReadonlyMap<string, Reader>

  /** `readers`: by the names of their kinds; without them nothing is read. */
  constructor(faces: readonly KindFace[], readers: ReadonlyMap<string, Reader> = new Map()) {
    this.#faces = new Map(faces.map((face) => [face.name, face]))
    this.#readers = readers
  }

  get names(): readonly string[] {
    return [...this.#faces.keys()]
  }

  get faces(): readonly KindFace[] {
    return [...this.#faces.values()]
  }

  /** Returns the view of a kind; the view of an unlisted kind displays nothing. */
  view(kind: string): KindView {
    return this.#faces.get(kind)?.view ?? NO_VIEW
  }

  language(kind: string): Language | undefined {
    return this.#faces.get(kind)?.language
  }

  reader(kind: string): Reader | undefined {
    return this.#readers.get(kind)
  }

  /** The kind of a file by its name, or the kind that is asked for; undefined if there is none. */
  ofFile(file: string, kind?: string): KindFace | undefined {
    if (kind !== undefined) return this.#faces.get(kind)
    const name = basename(file)
    return this.faces.find(({ language }) => language.endings.some((ending) => name.endsWith(ending)))
  }

  /** The kind of a text that has no file name, by its beginning. */
  ofText(text: string): KindFace | undefined {
    return this.faces.find(({ language }) => language.owns(text))
  }

  /** True if a file at this path could be read as a program, or imported as a module of programs or tools. */
  isProgram(path: string): boolean {
    return this.ofFile(path) !== undefined || (isModule(path) && !path.includes('/node_modules/'))
  }

  /** A program in memory that is no file: the first kind that knows it reads it. Throws the first error that it has. */
  accept(value: unknown, context?: ReadContext): { readonly kind: string; readonly program: ReadProgram } | undefined {
    for (const [kind, reader] of this.#readers) {
      const result = reader.accept?.(value, undefined, context)
      if (result === undefined) continue
      if (result.program !== undefined) return { kind, program: result.program }
      throw result.findings.find(({ severity }) => severity === 'error') ?? new TypeError('what was not accepted has an error')
    }
    return undefined
  }

  /** Named inputs as a program takes them, before its run begins. */
  inputs({ kind, def }: Program, input: JsonObject, texts: readonly string[] = []): JsonObject {
    return this.#readers.get(kind)?.inputs?.(def, input, texts) ?? input
  }

  /** Refuses a file whose name no kind has. */
  unknownFile(file: string): Fault {
    const endings = this.faces.flatMap(({ language }) => language.endings.slice(0, 1))
    return programFaults.make('R1020', `cannot tell the kind of program from the file name ${file}`, {
      file,
      fix: `name it *${endings.join(', *')}, or say --kind`,
    })
  }

  /** The programs of a run for those who display it. */
  programsOf(programs: Programs, state: State): ViewedPrograms {
    return new ViewedPrograms(this, programs, state)
  }

  /** Definitions of a replay for those who display it. */
  viewed(definitions: Definitions): ViewedDefinitions {
    return {
      program: (pin) => definitions.program(pin),
      kind: (name) => definitions.kind(name),
      find: (name) => definitions.find(name),
      compile: (kind, id, source) => definitions.compile(kind, id, source),
      view: (kind) => this.view(kind),
    }
  }
}

const NO_VIEW: KindView = {}

/** Definitions with the views of their kinds: for those who display a run. */
export interface ViewedDefinitions extends Definitions {
  /** Returns how a kind displays its programs. */
  view(kind: string): KindView
}

/** The programs of one run, with the kinds that display them. */
export class ViewedPrograms extends RunPrograms implements ViewedDefinitions {
  readonly kinds: Kinds

  constructor(kinds: Kinds, programs: Programs, state: State) {
    super(programs, state)
    this.kinds = kinds
  }

  view(kind: string): KindView {
    return this.kinds.view(kind)
  }
}

/** Gives the programs of a run for those who display it. */
export interface ProgramViewer {
  programsOf(state: State): ViewedPrograms
}

export function isModule(file: string): boolean {
  return /\.(ts|js|mjs)$/.test(file)
}
