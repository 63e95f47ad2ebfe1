import { plainJson, counted } from '../../protocol/plain.ts'
import { isUtf8 } from 'node:buffer'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { faults } from '../../runs/faults.ts'
import { programFaults } from '../../programs/faults.ts'
import { BUILT_IN } from '../../app/kinds.ts'
import { type Fault, faultData, isFault } from '../../kernel/index.ts'
import { readText } from '../../programs/read-text.ts'
import { isModule } from '../../programs/kinds.ts'
import type { Language } from '../../programs/language.ts'
import { noProgram, ProgramFolders } from '../../programs/program-folder.ts'
import { quote } from '../../text/index.ts'
import { unreadable } from '../../programs/unreadable.ts'
import type { Console } from '../console.ts'
import { EXIT, exitCodeOf } from '../exit.ts'
import { commandHint } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import { rewrite } from '../rewrite.ts'

export interface FmtFlags extends CommonFlags {
  /** True after `--check`: writes nothing and reports what would change. */
  readonly check?: boolean
  readonly kind?: string
  /** The form after `--to`. */
  readonly to?: string
}

/** The result of one file. */
interface FormattedFile {
  readonly file: string
  readonly changed: boolean
  readonly findings: readonly Fault[]
  /** The formatted text of standard input. */
  readonly text?: string
}

/** The word of the command line that means standard input. */
const STANDARD_INPUT = '-'

/**
 * `reflex fmt FILE…`: rewrites programs in the standard form of their format and keeps comments and order. A folder
 * stands for its programs, and `-` for standard input, whose text goes to standard output. A file with errors, or one
 * that already has the form, is not written. With `--check` nothing is written, and the exit code is 1 if anything
 * would change. With `--to` one program is written to standard output in another form.
 */
export async function fmt(console: Console, paths: readonly string[], flags: FmtFlags): Promise<number> {
  if (flags.to !== undefined) return convert(console, paths, flags, flags.to)
  const done: FormattedFile[] = []
  const seen = new Set<string>()
  for (const path of paths) {
    if (path === STANDARD_INPUT) done.push(await standardInput(await console.world.readInput(), flags))
    else done.push(...(await formatPath(path, seen, console, flags)))
  }
  printResults(console, done, flags)
  const errors = done.flatMap(({ findings }) => findings)
  const [first] = errors
  if (first !== undefined) return errors.length === 1 ? exitCodeOf(first) : EXIT.no
  return flags.check === true && done.some(({ changed }) => changed) ? EXIT.no : EXIT.done
}

/** Prints one program in another form. */
async function convert(
  console: Console,
  [path = '', ...others]: readonly string[],
  { kind, check }: FmtFlags,
  form: string,
): Promise<number> {
  if (others.length > 0 || check === true)
    throw faults.make('R2031', '--to prints one program and writes no file', { fix: 'name one file, without --check' })
  const isInput = path === STANDARD_INPUT
  const full = resolve(console.world.surroundings.cwd, path)
  if (!isInput && isFolder(full, path))
    throw faults.make('R2031', '--to takes one program, and not a folder', { fix: 'name the file', file: path })
  const text = isInput ? await console.world.readInput() : readSource(full, path)
  const language = isInput ? await languageOfText(text, kind) : await languageFor(path, kind)
  if (language.convert === undefined || language.forms?.includes(form) !== true) throw unknownForm(form, language)
  const written = await language.convert(text, path, form)
  if (console.shape !== 'text') {
    const errors = written.findings.filter(({ severity }) => severity === 'error').length
    const files = [{ file: path, changed: written.text !== text, ...written, findings: written.findings.map((found) => faultData(found)) }]
    console.document(plainJson({ v: 1, files, changed: written.text === undefined || written.text === text ? 0 : 1, errors }))
  } else {
    for (const found of written.findings) console.report(console.fault(found))
    if (written.text !== undefined) console.world.out.write(written.text)
  }
  const first = written.findings.find(({ severity }) => severity === 'error')
  return first === undefined ? EXIT.done : exitCodeOf(first)
}

function unknownForm(form: string, { forms = [], endings }: Language): Fault {
  const why = forms.length === 0 ? `programs in ${endings.join(', ')} have one form` : `there is no form ${quote(form)}`
  return faults.make('R2031', `--to: ${why}`, forms.length === 0 ? {} : { fix: `write --to ${forms.join(' or --to ')}` })
}

async function formatPath(path: string, seen: Set<string>, console: Console, flags: FmtFlags): Promise<FormattedFile[]> {
  const { cwd, worker } = console.world.surroundings
  const full = resolve(cwd, path)
  const listed = await attempt(path, () => filesOf(full, path))
  if ('findings' in listed) return [listed]
  const done: FormattedFile[] = []
  for (const named of listed) {
    const file = console.nearPath(named)
    const result = await attempt(file, async () => {
      // A link stays a link: its target is written, and only once.
      const real = realFile(named)
      if (seen.has(real)) return []
      seen.add(real)
      const before = readSource(real, file)
      const { text, findings } = (await languageFor(file, flags.kind)).format(before, file)
      const changed = text !== undefined && text !== before
      if (changed && flags.check !== true) rewrite(real, text, worker.id.replace(/[^\w-]/g, '-'))
      return [{ file, changed, findings }]
    })
    done.push(...('findings' in result ? [result] : result))
  }
  return done
}

/** Returns the fault of a file as its result, so that the other files are still formatted. */
async function attempt<Result>(file: string, work: () => Result | Promise<Result>): Promise<Result | FormattedFile> {
  try {
    return await work()
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return { file, changed: false, findings: [thrown] }
  }
}

/** Returns the files of a path. Throws `R1021` if a folder has no program. */
function filesOf(full: string, named: string): readonly string[] {
  if (!isFolder(full, named)) return [full]
  const all = new ProgramFolders(BUILT_IN).programsOf(full, named)
  const files = all.filter((file) => !isModule(file))
  if (files.length === 0) throw noProgram(all, named)
  return files
}

function isFolder(full: string, named: string): boolean {
  try {
    return statSync(full, { throwIfNoEntry: false })?.isDirectory() === true
  } catch (cause) {
    throw unreadable(named, cause)
  }
}

/** Returns the target of a link; if the file is missing, the reader reports it. */
function realFile(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function readSource(file: string, named: string): string {
  const text = readText(file)
  // The replacement character would be written in the place of bytes that are not valid text.
  if (!text.includes('\ufffd') || isUtf8(readFileSync(file))) return text
  throw programFaults.make('R1024', `${named} is not UTF-8`, { file: named, fix: 'convert it to UTF-8' })
}

async function languageFor(file: string, kind: string | undefined): Promise<Language> {
  const body = await BUILT_IN.load(BUILT_IN.ofFile(file, kind)?.name ?? '')
  if (body === undefined) throw BUILT_IN.unknownFile(file)
  if (isModule(file))
    throw faults.make('R2031', `${file} is a module, and fmt does not format modules`, { file, fix: 'use a formatter for TypeScript' })
  return body.language
}

async function languageOfText(text: string, kind: string | undefined): Promise<Language> {
  const { name = '' } = (kind === undefined ? BUILT_IN.ofText(text) : BUILT_IN.ofFile(STANDARD_INPUT, kind)) ?? {}
  const body = await BUILT_IN.load(name)
  if (body === undefined) throw BUILT_IN.unknownFile('standard input')
  return body.language
}

async function standardInput(text: string, { kind }: FmtFlags): Promise<FormattedFile> {
  const file = STANDARD_INPUT
  const result = await attempt(file, async () => {
    return (await languageOfText(text, kind)).format(text, file)
  })
  if ('file' in result) return result
  return { file, changed: result.text !== undefined && result.text !== text, findings: result.findings, text: result.text ?? '' }
}

function printResults(console: Console, done: readonly FormattedFile[], { check = false }: FmtFlags): void {
  const changed = done.filter((one) => one.changed)
  const errors = done.flatMap(({ findings }) => findings)
  if (console.shape !== 'text') {
    const files = done.map(({ findings, ...one }) => ({ ...one, findings: findings.map((found) => faultData(found)) }))
    return console.document(plainJson({ v: 1, files, changed: changed.length, errors: errors.length }))
  }
  for (const found of errors) console.report(console.fault(found))
  const texts = check ? [] : done.flatMap(({ text }) => text ?? [])
  for (const text of texts) console.world.out.write(text)
  const listed = changed.filter(({ text }) => check || text === undefined).map(({ file }) => file)
  console.print(listed.map((file) => console.out.text(file)))
  if (console.quiet || texts.length > 0) return
  const kept = done.length - changed.length - done.filter(({ findings }) => findings.length > 0).length
  console.report(summary(console, listed, kept, errors.length > 0, check))
}

function summary(console: Console, listed: readonly string[], kept: number, failed: boolean, check: boolean): string[] {
  const { err } = console
  const parts = [
    listed.length === 0
      ? undefined
      : check
        ? `${counted(listed.length, 'file')} would change`
        : `${counted(listed.length, 'file')} formatted`,
    kept === 0 ? undefined : `${counted(kept, 'file')} ${check ? 'formatted already' : 'unchanged'}`,
  ].filter((part) => part !== undefined)
  const bad = failed || (check && listed.length > 0)
  const line = parts.length === 0 ? [] : [`${bad ? ' ' : err.paint('green', err.mark('done'))} ${err.text(parts.join(', '))}`]
  return check && listed.length > 0 ? [...line, commandHint(err, 'format', console.command('fmt', ...listed))] : line
}
