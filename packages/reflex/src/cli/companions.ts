import { realpathSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { chosenOptions, companionsOf } from '../app/kind-options.ts'
import { KINDS } from '../app/kinds.ts'
import type { Reflex } from '../app/reflex.ts'
import type { Companion, CompanionFiles, CompanionText } from '../programs/language.ts'
import type { Library } from '../programs/library.ts'
import { readText, statOf } from '../programs/read-text.ts'
import { faults } from '../runs/faults.ts'
import type { Console } from './console.ts'
import { COMPANIONS } from './kind-flags.ts'
import { factLine } from './layout.ts'
import { rewrite } from './rewrite.ts'
import { kindOptions } from './start-options.ts'

/** A companion that was asked for: beside its program, in another file, or `-` for standard output. */
interface Wanted {
  readonly companion: Companion
  readonly target: string | undefined
}

/** A companion file after the command. */
export interface WrittenCompanion {
  readonly file: string
  /** False for a file that already had what its program needs. */
  readonly changed: boolean
}

/**
 * Writes the files that the flags of `validate` ask for, beside each program that has such a file. A program with errors gets none: `validate`
 * lists them. Throws `R2031` for a flag that fits no program, and for one target of several programs.
 */
export async function writeCompanions(
  console: Console,
  library: Library,
  paths: readonly string[],
  { flags, companions }: { readonly flags: Readonly<Record<string, unknown>>; readonly companions: CompanionFiles },
): Promise<readonly WrittenCompanion[]> {
  const { cwd } = console.world.surroundings
  const kind = typeof flags['kind'] === 'string' ? flags['kind'] : undefined
  const written: WrittenCompanion[] = []
  for (const { companion, target } of wanted(flags)) {
    if (target === '-' && console.shape !== 'text')
      throw faults.make('R2031', `${companion.flag} - and --${console.shape} both want standard output`, { fix: 'name a file' })
    const files = paths.flatMap((path) => library.files(resolve(cwd, path)))
    const texts: CompanionText[] = []
    for (const file of files) {
      const text = await library.companion(file, companion.name, { kind, companions })
      if (text !== undefined) texts.push(text)
    }
    if (texts.length === 0) throw faults.make('R2031', `${companion.flag} has no effect on ${paths.join(', ')}`, { fix: 'leave it out' })
    if (target !== undefined && texts.length > 1)
      throw faults.make('R2031', `${companion.flag} ${target} is one file for ${texts.length} programs`, { fix: 'name one program' })
    for (const text of texts) written.push(...put(console, text, target, companion))
  }
  return written
}

/**
 * Returns the companion files that flags name in place of those beside a program. Throws `R2031` for one file of several programs, and for a
 * program of another kind.
 */
export function companionsNamed(
  { world }: Console,
  { kinds, library }: Pick<Reflex, 'kinds' | 'library'>,
  paths: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): CompanionFiles {
  const { cwd } = world.surroundings
  const chosen = chosenOptions(KINDS, kindOptions(flags, 'validate'))
  const [first] = chosen
  if (first === undefined) return {}
  const files = paths.flatMap((path) => library.files(resolve(cwd, path)))
  const { flag, ignored } = first.option
  if (files.length !== 1)
    throw faults.make('R2031', `${flag} ${String(first.value)} is one file for ${files.length} programs`, { fix: 'name one program' })
  const kind = kinds.ofFile(files[0] ?? '', typeof flags['kind'] === 'string' ? flags['kind'] : undefined)?.name
  if (kind !== first.kind)
    throw faults.make('R2031', `${flag} has no effect on ${paths.join(', ')}: ${ignored(kind ?? 'file')}`, { fix: 'leave it out' })
  return companionsOf(chosen, { cwd, workdir: cwd })
}

/** True if the text of a companion goes to standard output. */
export function printsText(flags: Readonly<Record<string, unknown>>): boolean {
  return wanted(flags).some(({ target }) => target === '-')
}

function wanted(flags: Readonly<Record<string, unknown>>): Wanted[] {
  return COMPANIONS.flatMap((companion) => {
    const value = flags[companion.flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
    if (value === undefined || value === false) return []
    return [{ companion, target: typeof value === 'string' ? value : undefined }]
  })
}

function put(console: Console, made: CompanionText, target: string | undefined, { flag }: Companion): WrittenCompanion[] {
  const { text } = made
  if (text === undefined) return []
  if (target === '-') {
    console.world.out.write(text)
    return []
  }
  const { cwd, worker } = console.world.surroundings
  const file = target === undefined ? made.file : resolve(cwd, target)
  const before = target === undefined ? made.before : textOf(file)
  const changed = before !== text
  if (changed && before === undefined) create(file, text)
  else if (changed) rewrite(realpathSync(file), text, worker.id.replace(/[^\w-]/g, '-'))
  const name = console.nearPath(file)
  if (console.shape === 'text' && !console.quiet) {
    const { err } = console
    console.report(factLine(err.text(name), err.text(name), [changed ? 'written' : `has all that ${flag} would add`], err))
  }
  return [{ file: name, changed }]
}

function textOf(file: string): string | undefined {
  try {
    return statOf(file, file).isFile() ? readText(file) : undefined
  } catch {
    return undefined
  }
}

function create(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (cause) {
    throw faults.make('R5040', `${file} cannot be written`, { file, cause, fix: 'name a writable file' })
  }
}
