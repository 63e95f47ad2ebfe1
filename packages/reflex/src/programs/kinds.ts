import { basename } from 'node:path'
import { type Definitions, type Fault, type JsonObject, type Program, type Programs, RunPrograms, type State } from '../kernel/index.ts'
import { programFaults } from './faults.ts'
import type { AnyKindModule, KindBody, RunFolder } from './kind-module.ts'
import type { KindView } from './kind-view.ts'
import type { RunOption } from './run-options.ts'
import type { LiveRuns } from './live-runs.ts'
import type { RunCaptures } from './run-captures.ts'
import type { Language, Reader } from './language.ts'
import type { PropertyTester } from './property-tests.ts'
import { loadBody } from './load-body.ts'

/** Kinds by name: how each displays, writes and reads its programs, as far as it is loaded. */
export class Kinds {
  readonly #modules: ReadonlyMap<string, AnyKindModule>
  readonly #bodies = new Map<string, KindBody>()
  readonly #loading = new Map<string, Promise<KindBody>>()
  readonly #readers: ReadonlyMap<string, Reader>

  /** `readers`: by the names of their kinds; without them nothing is read. */
  constructor(modules: readonly AnyKindModule[], readers: ReadonlyMap<string, Reader> = new Map()) {
    this.#modules = new Map(modules.map((module) => [module.name, module]))
    for (const module of modules) if ('make' in module) this.#bodies.set(module.name, module)
    this.#readers = readers
  }

  get names(): readonly string[] {
    return [...this.#modules.keys()]
  }

  get modules(): readonly AnyKindModule[] {
    return [...this.#modules.values()]
  }

  /** Loads the body of a kind; undefined for a kind that is not in the list. Rejects with `R2125` for one that cannot be loaded. */
  async load(kind: string): Promise<KindBody | undefined> {
    const known = this.#bodies.get(kind) ?? this.#loading.get(kind)
    if (known !== undefined) return known
    const module = this.#modules.get(kind)
    if (module === undefined || !('load' in module)) return undefined
    const loading = loadBody(module)
    this.#loading.set(kind, loading)
    try {
      const body = await loading
      this.#bodies.set(kind, body)
      return body
    } finally {
      this.#loading.delete(kind)
    }
  }

  /** Returns the view of a kind that is loaded; the view of any other kind displays nothing. */
  view(kind: string): KindView {
    return this.#bodies.get(kind)?.view ?? NO_VIEW
  }

  /** Returns the language of a kind; undefined if the kind is not loaded. */
  language(kind: string): Language | undefined {
    return this.#bodies.get(kind)?.language
  }

  /** Returns the run options of a kind. */
  optionsOf(kind: string): Readonly<Record<string, RunOption>> {
    return this.#modules.get(kind)?.runOptions ?? {}
  }

  /** Returns the files that runs of a kind keep; undefined if they keep none, or the kind is not loaded. */
  folder(kind: string): RunFolder | undefined {
    return this.#bodies.get(kind)?.folder
  }

  /** Returns how runs of a kind are fed and watched; undefined if they are not, or the kind is not loaded. */
  live(kind: string): LiveRuns | undefined {
    return this.#bodies.get(kind)?.live
  }

  /** Returns the search that tests programs of a kind; undefined if there is none, or the kind is not loaded. */
  tests(kind: string): PropertyTester | undefined {
    return this.#bodies.get(kind)?.tests
  }

  /** Returns how runs of a kind are captured in files; undefined if they are not, or the kind is not loaded. */
  captures(kind: string): RunCaptures | undefined {
    return this.#bodies.get(kind)?.captures
  }

  /** Returns the reader of a kind; undefined before the kind is made. */
  reader(kind: string): Reader | undefined {
    return this.#readers.get(kind)
  }

  /** True for a kind whose runs only the process that began them can continue. */
  isHosted(kind: string): boolean {
    return this.#modules.get(kind)?.isHosted === true
  }

  /** The kind of a file by its name, or the kind that is asked for; undefined if there is none. */
  ofFile(file: string, kind?: string): AnyKindModule | undefined {
    if (kind !== undefined) return this.#modules.get(kind)
    const name = basename(file)
    return this.modules.find(({ language }) => language.endings.some((ending) => name.endsWith(ending)))
  }

  /** The kind of a text that has no file name, by its beginning. */
  ofText(text: string): AnyKindModule | undefined {
    return this.modules.find(({ language }) => language.owns(text))
  }

  /** True if a file at this path can be read as a program, or imported as a module of programs or tools. */
  isProgram(path: string): boolean {
    return this.ofFile(path) !== undefined || (isModule(path) && !path.includes('/node_modules/'))
  }

  /** Checks and returns the named inputs of a program, before its run starts. */
  inputs({ kind, def }: Program, input: JsonObject, texts: readonly string[] = []): JsonObject {
    return this.#readers.get(kind)?.inputs?.(def, input, texts) ?? input
  }

  /** Returns the arguments that label inputs of a program as text from outside; empty for a kind that keeps no labels. */
  outside({ kind }: Program, input: JsonObject): JsonObject {
    return this.#readers.get(kind)?.outside?.(input) ?? {}
  }

  /** Returns the fault of a file whose name belongs to no kind. */
  unknownFile(file: string): Fault {
    const owner = this.modules.find(({ language }) =>
      language.schemas?.some(({ files }) => files.startsWith('*.') && file.endsWith(files.slice(1))),
    )
    if (owner !== undefined) {
      const [ending = ''] = owner.language.endings
      return programFaults.make(
        'R1020',
        `${file} is no program: it belongs to programs of the kind ${owner.name}, and is checked with them`,
        {
          file,
          fix: `name the program, *${ending}`,
        },
      )
    }
    const endings = this.modules.flatMap(({ language }) => language.endings.slice(0, 1))
    return programFaults.make('R1020', `cannot tell the kind of program from the file name ${file}`, {
      file,
      fix: `name it *${endings.join(', *')}, or say --kind`,
    })
  }

  /** Returns the programs of a run with their views. */
  programsOf(programs: Programs, state: State): ViewedPrograms {
    return new ViewedPrograms(this, programs, state)
  }

  /** Returns definitions of a replay with the views of their kinds. */
  viewed(definitions: Definitions): ViewedDefinitions {
    return {
      program: (pin) => definitions.program(pin),
      kind: (name) => definitions.kind(name),
      find: (name) => definitions.find(name),
      withHash: (hash) => definitions.withHash(hash),
      compile: (kind, id, source) => definitions.compile(kind, id, source),
      view: (kind) => this.view(kind),
    }
  }
}

const NO_VIEW: KindView = {}

/** Definitions with the views of their kinds, for displaying runs. */
export interface ViewedDefinitions extends Definitions {
  /** Returns the view of a kind. */
  view(kind: string): KindView
}

/** The programs of one run with the views of their kinds. */
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

/** Returns the programs of a run for display. */
export interface ProgramViewer {
  programsOf(state: State): ViewedPrograms
}

export function isModule(file: string): boolean {
  return /\.(ts|js|mjs)$/.test(file)
}
