import { type Program, type Programs, toFault } from '../kernel/index.ts'
import { addPrograms, asUntrusted } from './add-programs.ts'
import { programFaults } from './faults.ts'
import type { ProgramPlaces } from './file-above.ts'
import type { Kinds } from './kinds.ts'
import type { ReadContext, Reader, ReadResult } from './language.ts'

/** How a text that is no file is read: by its file name or its kind, else by its beginning. */
export interface NamedText {
  readonly name?: string | undefined
  readonly kind?: string | undefined
}

interface TextWorld {
  readonly programs: Programs
  readonly kinds: Kinds
  /** The folders of the files that a text may name. */
  readonly places: ProgramPlaces
  readonly readerOf: (kind: string) => Promise<Reader | undefined>
  readonly resolveCalls: (program: Program) => Promise<void>
}

/** Reads programs that arrive as texts, such as over HTTP: they are no files of this machine, and untrusted. */
export class ProgramTexts {
  readonly #world: TextWorld

  constructor(world: TextWorld) {
    this.#world = world
  }

  /** Returns all findings about a text. Registers nothing. */
  async check(text: string, named: NamedText = {}): Promise<ReadResult> {
    const { kinds, places, readerOf } = this.#world
    const reader = await readerOf(this.#kindOf(text, named))
    if (reader === undefined) throw kinds.unknownFile(named.name ?? 'text')
    return readWith(reader, text, named.name ?? '', { depth: 'all', places })
  }

  /** Registers the program of a text as untrusted. The programs that it calls are found by name. Throws the first error of the text. */
  async accept(text: string, named: NamedText = {}): Promise<Program> {
    const { programs, resolveCalls } = this.#world
    const { program, findings } = await this.check(text, named)
    const first = findings.find(({ severity }) => severity === 'error')
    if (program === undefined || first !== undefined) throw first ?? programFaults.make('R1021', 'the text holds no program')
    const added = addPrograms(programs, this.#kindOf(text, named), asUntrusted(program))
    await resolveCalls(added)
    return added
  }

  #kindOf(text: string, { name = '', kind }: NamedText): string {
    const { kinds } = this.#world
    const module = (kind !== undefined || name !== '' ? kinds.ofFile(name, kind) : undefined) ?? kinds.ofText(text)
    if (module === undefined) throw kinds.unknownFile(name)
    return module.name
  }
}

/** Reads a text. A reader that throws anything but a fault has a bug: `R2119`. */
export async function readWith(reader: Reader, text: string, file: string, context: ReadContext): Promise<ReadResult> {
  try {
    return await reader.read(text, file, context)
  } catch (thrown) {
    throw toFault(thrown, (message, cause) => programFaults.make('R2119', `the reader of ${file} threw: ${message}`, { file, cause }))
  }
}
