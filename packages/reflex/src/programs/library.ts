import { statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type Fault, type Host, isFault, type Program, type Programs, systemHost } from '../kernel/index.ts'
import { lesserTrust, type Trust } from '../policy/index.ts'
import { suggest } from '../text/index.ts'
import { realPath } from '../tools/paths.ts'
import { ProgramTexts, readWith } from './program-texts.ts'
import { addPrograms, asUntrusted } from './add-programs.ts'
import { programFaults } from './faults.ts'
import { fileAbove, placed, type ProgramPlaces } from './file-above.ts'
import { isModule, type Kinds } from './kinds.ts'
import type { CompanionFiles, CompanionText, ReadContext, Reader, ReadProgram, ReadResult } from './language.ts'
import { isNamedAfter, noProgram, ProgramFolders } from './program-folder.ts'
import { readModule } from './read-module.ts'
import { readText, statOf, textOrEmpty } from './read-text.ts'
import { type FindProvenance, writtenByRun, type WrittenBy } from './written-by.ts'

/** A program that was loaded from a file, with its findings. */
export interface LoadedProgram {
  readonly program: Program
  readonly file: string
  /** Warnings; errors are thrown. */
  readonly findings: readonly Fault[]
  /** The origin of a file that a run wrote. */
  readonly written?: WrittenBy
}

/** The programs of a file or a folder, with their errors. */
export interface CheckedFile extends ReadResult {
  readonly file: string
  readonly written?: WrittenBy | undefined
}

/** A program that can be named. */
export interface ListedProgram {
  readonly kind: string
  readonly id: string
  /** Absent for one that its kind has stored. */
  readonly file?: string
}

/** The places in which programs find the programs that they name. */
export interface LibraryPlaces {
  /** Folders in which programs are searched for by name, after the folder of the caller. */
  readonly folders: readonly string[]
  /** The folder below which files may be named by path. Default: the folder of the file that a person named. */
  readonly workdir?: string
  /** True if the policy denies everybody reading a file, by its real path. */
  readonly denied?: ((real: string) => boolean) | undefined
  /** Finds the run that wrote a file. Without it every file belongs to the operator. */
  readonly provenance?: FindProvenance | undefined
}

/** The options of loading a program that a person named. */
interface LoadOptions {
  readonly trust?: Trust | undefined
  readonly companions?: CompanionFiles | undefined
}

/**
 * Finds programs in files: by path, and by name from the folder of the caller. An import runs the module, so only modules that
 * a person named, or that those call by name, are imported; never other files of the folder.
 */
interface ResolveOptions {
  readonly modules?: boolean
  readonly besides?: readonly string[]
}

export class Library {
  readonly #programs: Programs
  readonly #kinds: Kinds
  readonly #folders: ProgramFolders
  readonly #places: LibraryPlaces
  readonly #host: Pick<Host, 'now' | 'at'>
  readonly #files = new Map<string, string>()
  /** The names of programs that have no file: what they name can change. */
  readonly #storedNames = new Set<string>()

  constructor(programs: Programs, kinds: Kinds, places: LibraryPlaces, host: Pick<Host, 'now' | 'at'> = systemHost) {
    this.#programs = programs
    this.#kinds = kinds
    this.#folders = new ProgramFolders(kinds)
    this.#places = places
    this.#host = host
  }

  /** Returns a library for other programs that searches the same folders. Its programs do not replace those of this library. */
  withPrograms(programs: Programs): Library {
    return new Library(programs, this.#kinds, this.#places, this.#host)
  }

  /**
   * Registers a program in memory, with the programs that it includes. The first kind that recognizes the value reads it. Resolves
   * with undefined for a value that is not a program. Rejects with the first error of the program.
   */
  async accept(value: unknown, lint = true): Promise<Program | undefined> {
    for (const kind of this.#kinds.names) {
      const result = await (await this.#readerOf(kind))?.accept?.(value, undefined, readContext(lint))
      if (result === undefined) continue
      if (result.program !== undefined) return addPrograms(this.#programs, kind, result.program)
      throw result.findings.find(({ severity }) => severity === 'error') ?? new TypeError('what was not accepted has an error')
    }
    return undefined
  }

  /** Programs that arrive as texts. */
  get texts(): ProgramTexts {
    const { folders, denied, workdir = '' } = this.#places
    return new ProgramTexts({
      programs: this.#programs,
      kinds: this.#kinds,
      places: { roots: folders.map(realPath), denied },
      readerOf: (kind) => this.#readerOf(kind),
      resolveCalls: (program) => this.resolveCalls(program, workdir),
    })
  }

  /** Returns the program `kind:name` of a folder or of the program folders. Throws `R1021` if there is none. */
  async named(name: string, folder: string): Promise<Program> {
    const kind = name.slice(0, Math.max(0, name.indexOf(':')))
    const found = (await this.#readerOf(kind)) === undefined ? undefined : await this.find(name, folder)
    if (found === undefined) {
      const guess = suggest(
        name,
        (await this.all(folder)).map((one) => `${one.kind}:${one.id}`),
      )
      throw programFaults.make('R1021', `there is no program ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`, {
        fix: 'name a program of the folder, or of a folder of programs: KIND:NAME',
      })
    }
    await this.resolveCalls(found, folder)
    return found
  }

  /** Returns the programs of a folder and of the program folders that can be read, without those of modules, and those that kinds have stored. */
  async all(folder: string): Promise<readonly ListedProgram[]> {
    const found = new Map<string, ListedProgram>()
    const files = [folder, ...this.#places.folders].flatMap((where) => this.#folders.programsOf(where, where))
    for (const file of files.filter((one) => !isModule(one))) {
      const kind = this.#kinds.ofFile(file)?.name
      const program = (await this.#resultOf(file))?.program
      if (kind === undefined || program === undefined || found.has(`${kind}:${program.id}`)) continue
      found.set(`${kind}:${program.id}`, { kind, id: program.id, file })
    }
    for (const { name: kind } of this.#kinds.modules.filter(({ hasStored }) => hasStored === true))
      for (const id of (await (await this.#readerOf(kind))?.storedIds?.()) ?? [])
        if (!found.has(`${kind}:${id}`)) found.set(`${kind}:${id}`, { kind, id })
    return [...found.values()]
  }

  /** Returns a text that changes with the program files of a folder and of the program folders. No file is read. */
  version(folder: string): string {
    const files = [folder, ...this.#places.folders].flatMap((where) => this.#folders.programsOf(where, where))
    return files
      .map((file) => {
        const { mtimeMs = 0, ctimeMs = 0, size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
        return `${file} ${mtimeMs} ${ctimeMs} ${size}`
      })
      .join('\n')
  }

  /** Loads a kind, and returns its reader. */
  async #readerOf(kind: string): Promise<Reader | undefined> {
    await this.#programs.load(kind)
    return this.#kinds.reader(kind)
  }

  /** Returns the file that a program was read from, by its hash, if this library read it. */
  fileOf(hash: string): string | undefined {
    return this.#files.get(hash)
  }

  /**
   * Loads a program and all programs that it calls and that can be found. Throws the first error of the file. Checks only
   * errors; without `lint`, skips rules that a run does not need. A called program that is missing is reported by the run. A
   * program that a run wrote from untrusted text, such as a model's, has the lowest trust. `trust`: the level that a person
   * states for this file. `companions`: files that are read in place of those beside it. Throws `R1097` for a module that a run wrote, below
   * `trusted`.
   */
  async load(path: string, kind?: string, lint = true, { trust, companions }: LoadOptions = {}): Promise<LoadedProgram> {
    const { written, ...checked } = await this.#check(path, kind, lint, { trust, companions })
    const first = checked.findings.find(({ severity }) => severity === 'error')
    if (checked.program === undefined || first !== undefined)
      throw first ?? programFaults.make('R1021', `${path} holds no program`, { file: checked.file })
    const program = this.#register(checked.program, checked.file, trust === undefined ? written : undefined, kind)
    await this.resolveCalls(program, dirname(checked.file), { modules: isModule(checked.file) })
    return { program, file: checked.file, findings: checked.findings, ...(written === undefined ? {} : { written }) }
  }

  /** Returns the errors of a program. If the path is a folder, its one program is checked. */
  async check(path: string, kind?: string, lint = true): Promise<CheckedFile> {
    return this.#check(path, kind, lint)
  }

  async #check(path: string, kind?: string, lint = true, { trust, companions }: LoadOptions = {}): Promise<CheckedFile> {
    const file = await this.#fileOf(path)
    const context = { ...readContext(lint), ...(companions === undefined ? {} : { companions }) }
    return { file, ...(await this.#read(file, kind, context, trust)) }
  }

  /**
   * Returns all findings about a program, also warnings, and checks that called programs exist and return matching values, as
   * far as that is known without a run.
   */
  async checkCalls(path: string, kind?: string, companions: CompanionFiles = {}): Promise<CheckedFile> {
    const file = await this.#fileOf(path)
    const all: ReadContext = { depth: 'all', companions }
    if (isModule(file)) return { file, ...(await this.#read(file, kind, all)) }
    const ownResult = await this.#read(file, kind, { depth: 'alone', companions })
    if (ownResult.program === undefined) return { file, ...ownResult }
    const { def } = ownResult.program
    const programKind = await this.#programs.load(this.#kinds.ofFile(file, kind)?.name ?? '')
    // A hash of what calls nothing would be for nothing.
    if (def !== undefined && (programKind.calls?.(def) ?? []).length === 0) return { file, ...ownResult }
    const program = this.#register(ownResult.program, file, ownResult.written, kind)
    if ((programKind.calls?.(program.def) ?? []).length === 0) return { file, ...ownResult }
    await this.resolveCalls(program, dirname(file))
    const lookup = (reference: string): Program | undefined => this.#programs.find(reference)
    const names = (kindName: string): Iterable<string> => this.#namesBeside(dirname(file), kindName)
    return { file, ...(await this.#read(file, kind, { ...all, lookup, names })) }
  }

  /**
   * Returns a companion file of a program as the program needs it; undefined for a program whose kind has no such companion, and for a module.
   * Writes nothing.
   */
  async companion(
    file: string,
    name: string,
    { kind, companions = {} }: { readonly kind?: string | undefined; readonly companions?: CompanionFiles } = {},
  ): Promise<CompanionText | undefined> {
    const module = this.#kinds.ofFile(file, kind)
    if (module?.companions?.some((one) => one.name === name) !== true || isModule(file)) return undefined
    const reader = await this.#readerOf(module.name)
    return reader?.companion?.(name, readText(file), file, { places: this.#placesFrom(dirname(file)), companions })
  }

  /** Returns the program files at a path: for a folder, all except modules, which run when they are read. */
  files(path: string): readonly string[] {
    const full = resolve(path)
    if (!statOf(full, path).isDirectory()) return [full]
    const files = this.#folders.programsOf(full, path).filter((file) => !isModule(file))
    if (files.length === 0) throw noProgram(this.#folders.programsOf(full, path), path)
    return files
  }

  /** Returns the names of the programs of a kind in a folder and in the program folders; for modules, the names of their files. */
  *#namesBeside(folder: string, kind: string): Generator<string> {
    for (const where of [folder, ...this.#places.folders]) {
      for (const file of this.#folders.ofKind(where, kind)) {
        const { id, version } = (isModule(file) ? undefined : this.#programIn(file)) ?? {}
        yield id ?? basename(file).split('.')[0] ?? file
        if (id !== undefined && version !== undefined) yield `${id}@${version}`
      }
    }
  }

  #programIn(file: string): ReadProgram | undefined {
    try {
      const { name } = this.#kinds.ofFile(file) ?? {}
      const result = name === undefined ? undefined : this.#kinds.reader(name)?.read(readText(file), file, { depth: 'errors' })
      return result === undefined || result instanceof Promise ? undefined : result.program
    } catch {
      return undefined
    }
  }

  /**
   * Registers the programs that a program calls, and those that they call, from a folder and the program folders. `modules`:
   * the person named a module of this folder, so its modules may be imported. `besides`: further programs that a run can start.
   */
  async resolveCalls(program: Program, folder: string, { modules = false, besides = [] }: ResolveOptions = {}): Promise<void> {
    const seen = new Set<string>()
    const pending: Program[] = [program]
    for (const caller of pending) {
      const calls = this.#programs.kind(caller.kind).calls?.(caller.def) ?? []
      for (const name of caller === program ? [...calls, ...besides] : calls) {
        if (seen.has(name)) continue
        seen.add(name)
        // Another version may have its calls by now.
        const known = this.#storedNames.has(name) ? undefined : this.#programs.find(name)
        const found = known ?? (await this.find(name, folder, modules))
        if (found !== undefined) pending.push(found)
      }
    }
  }

  /**
   * Finds a program by name: in each folder, first in the file of that name, then in any file of its kind. A name that is a
   * path names a file in the folder of the caller or above; the program is then registered under the path. `id@version` names
   * the program with this version; without a version, the highest version in the first folder that has any is used. A program
   * that a run wrote never replaces a program of a person. Each file must really be in the work folder, the caller's folder or
   * a program folder, and the policy must allow reading it. A program that its kind has stored needs no file.
   */
  async find(name: string, folder: string, modules = false): Promise<Program | undefined> {
    const colon = name.indexOf(':')
    const [kind, id] = [name.slice(0, colon), name.slice(colon + 1)]
    const places = this.#placesFrom(folder)
    const path = this.#kinds.ofFile(id)?.name === kind && !isModule(id) ? fileAbove(folder, id, places) : undefined
    const named = path === undefined ? undefined : await this.#resultOf(path)
    if (path !== undefined && named?.program !== undefined) return this.#register({ ...named.program, id }, path, named.written)
    const search = { kind, id, folder, modules }
    return (await this.#search(search, false)) ?? (await this.#stored(kind, id)) ?? (await this.#search(search, true))
  }

  /** Returns a program that its kind has stored: it comes after the files of persons, and before those of runs. */
  async #stored(kind: string, id: string): Promise<Program | undefined> {
    if (!this.#kinds.names.includes(kind)) return undefined
    const result = await (await this.#readerOf(kind))?.stored?.(id)
    if (result?.program === undefined) return undefined
    this.#storedNames.add(`${kind}:${id}`)
    return addPrograms(this.#programs, kind, id === result.program.id ? result.program : { ...result.program, id, version: undefined })
  }

  /** Searches for a program among those that runs wrote, or among all others. */
  async #search({ kind, id, folder, modules }: ProgramSearch, amongWritten: boolean): Promise<Program | undefined> {
    const places = this.#placesFrom(folder)
    for (const where of [folder, ...this.#places.folders]) {
      for (const [wanted, version] of referencedPrograms(id)) {
        let newest: { readonly program: ReadProgram; readonly file: string; readonly written?: WrittenBy | undefined } | undefined
        for (const file of this.#folders.candidates(where, kind, wanted, modules && where === folder)) {
          if (placed(file, places) === undefined) {
            if (isNamedAfter(file, wanted)) throw outOfPlace(file)
            continue
          }
          const { program, written } = (await (isNamedAfter(file, wanted) ? this.#read(file) : this.#resultOf(file))) ?? {}
          if (program?.id !== wanted || (version !== undefined && program.version !== version)) continue
          if ((written !== undefined) !== amongWritten) continue
          // Registers it only under the requested name: a call without a version names another program.
          if (version !== undefined) return this.#register({ ...program, id, version: undefined }, file, written)
          if (program.version === undefined) return this.#register(program, file, written)
          // Of several versions in one folder, the highest is used.
          if (newest === undefined || compareVersions(program.version, newest.program.version) > 0) newest = { program, file, written }
        }
        if (newest !== undefined) return this.#register(newest.program, newest.file, newest.written)
      }
    }
    return undefined
  }

  /**
   * Throws `R1097` for a file that a run wrote and that would run with all permissions of the person who names it, below the
   * level `trusted`.
   */
  async rejectWritten(file: string, trust?: Trust, only: 'known' | 'tools' = 'known'): Promise<void> {
    const written = isTrustedModule(trust) ? undefined : await this.#places.provenance?.(file, textOrEmpty(file), only)
    if (written !== undefined) throw writtenByRun(file, written)
  }

  #placesFrom(folder: string): ProgramPlaces {
    const { workdir, folders, denied } = this.#places
    return { roots: [folder, ...(workdir === undefined ? [] : [workdir]), ...folders].map(realPath), denied }
  }

  /** Returns the program of a file that was not requested by name; undefined if it cannot be read. */
  async #resultOf(file: string): Promise<ReadFile | undefined> {
    try {
      return await this.#read(file)
    } catch (thrown) {
      if (isFault(thrown)) return undefined
      throw thrown
    }
  }

  #register(program: ReadProgram, file: string, written?: WrittenBy, kind?: string): Program {
    const added = addPrograms(
      this.#programs,
      this.#kinds.ofFile(file, kind)?.name ?? '',
      written === undefined ? program : asUntrusted(program),
    )
    this.#files.set(added.hash, file)
    return added
  }

  async #fileOf(path: string): Promise<string> {
    const full = resolve(path)
    const stat = statOf(full, path)
    if (!stat.isDirectory()) return full
    const files = this.#folders.programsOf(full, path).filter((file) => !isModule(file))
    const [only] = files
    if (only === undefined) throw noProgram(this.#folders.programsOf(full, path), path)
    if (files.length === 1) return only
    const roots = await this.#uncalled(files)
    const [root] = roots
    if (root !== undefined && roots.length === 1) return root
    throw programFaults.make('R1022', `the folder holds ${files.length} programs`, {
      file: path,
      fix: `name one of ${(roots.length > 1 ? roots : files).map((file) => basename(file)).join(', ')}`,
    })
  }

  /** Returns the files of a folder whose programs no other file of the folder calls, and that are no part of another one. */
  async #uncalled(files: readonly string[]): Promise<string[]> {
    const called = new Set<string>()
    const parts = new Set<string>()
    const names = new Map<string, string>()
    for (const file of files) {
      const kind = this.#kinds.ofFile(file)?.name
      const result = await this.#resultOf(file)
      if (kind === undefined || result === undefined) continue
      const { program } = result
      for (const part of result.parts ?? []) parts.add(part)
      if (program === undefined) {
        names.set(file, '')
        continue
      }
      const ownName = `${kind}:${program.id}`
      names.set(file, ownName)
      for (const name of this.#programs.kind(kind).calls?.(program.def) ?? [])
        for (const [meant] of referencedPrograms(name)) if (meant !== ownName) called.add(meant)
    }
    return [...names].filter(([file, name]) => !called.has(name) && !parts.has(file)).map(([file]) => file)
  }

  async #read(file: string, kind?: string, context: ReadContext = readContext(), trust?: Trust): Promise<ReadFile> {
    const { name } = this.#kinds.ofFile(file, kind) ?? {}
    const reader = name === undefined ? undefined : await this.#readerOf(name)
    if (reader === undefined) throw this.#kinds.unknownFile(file)
    const text = readText(file)
    const written = await this.#places.provenance?.(file, text)
    if (isModule(file)) {
      if (written !== undefined && !isTrustedModule(trust)) throw writtenByRun(file, written)
      return readModule(file, reader, this.#host, context)
    }
    return { ...(await readWith(reader, text, file, { ...context, places: this.#placesFrom(dirname(file)) })), written }
  }
}

function readContext(lint = true): ReadContext {
  return { depth: 'errors', lint }
}

/** A name that is searched for from a folder. */
interface ProgramSearch {
  readonly kind: string
  readonly id: string
  readonly folder: string
  readonly modules: boolean
}

/** A file that was read, and its origin if a run wrote it. */
interface ReadFile extends ReadResult {
  readonly written?: WrittenBy | undefined
}

/** True if a person states a trust level for a module at which a run may do everything that the person may. */
function isTrustedModule(trust: Trust = 'untrusted'): boolean {
  return lesserTrust(trust, 'trusted') === 'trusted'
}

/** Returns the programs that a reference can name: the exact id, then a version of the id before the last `@`. */
function referencedPrograms(reference: string): (readonly [id: string, version: string | undefined])[] {
  const at = reference.lastIndexOf('@')
  const exact = [reference, undefined] as const
  return at <= 0 || at === reference.length - 1 ? [exact] : [exact, [reference.slice(0, at), reference.slice(at + 1)]]
}

/** Compares versions by number: `1.10` comes after `1.9`. */
function compareVersions(a: string, b: string | undefined): number {
  return a.localeCompare(b ?? '', 'en', { numeric: true })
}

function outOfPlace(file: string): Fault {
  return programFaults.make('R1024', `${file} is outside of the folders of programs, or the policy denies reading it`, {
    file,
    fix: 'put the file itself there, or name its folder with --programs',
  })
}
