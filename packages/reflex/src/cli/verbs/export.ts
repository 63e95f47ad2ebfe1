import { plainJson, counted } from '../../protocol/plain.ts'
import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isRunName, invalidRunName } from '../../history/run-name.ts'
import { DraftFiles } from '../../history/tables/draft-files.ts'
import type { ExportOptions } from '../../history/archive/export.ts'
import type { ForgottenRecords } from '../../history/archive/forget.ts'
import type { TableFormat } from '../../history/tables/export-tables.ts'
import { faults } from '../../runs/faults.ts'
import { forgetIn, isWritten, lastSegment } from '../archive-file.ts'
import type { Console } from '../console.ts'
import { EXIT, interruptCode } from '../exit.ts'
import { factLine } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import { secretIn } from '../../app/secret-file.ts'
import type { Session } from '../session.ts'
import { size } from '../units.ts'
import type { Interrupt } from '../world.ts'
import { exportSkill, SKILL_FORMAT } from './export-skill.ts'

export interface ExportFlags extends CommonFlags {
  /** A file, or a folder. */
  readonly output?: string
  readonly all?: boolean
  readonly format?: string
  readonly signSecretFile?: string
  readonly through?: string
  readonly forget?: boolean
}

const FORMATS: readonly TableFormat[] = ['jsonl', 'parquet']

/** `reflex export RUN` writes the archive of a run; `reflex export --all` writes the tables of the store. */
export async function exportRuns(session: Session, ref: string | undefined, flags: ExportFlags): Promise<number> {
  if (flags.all === true) return exportAll(session, ref, flags)
  if (ref === undefined) throw faults.make('R2031', 'export needs a run, or --all', { fix: 'reflex export RUN, or reflex export --all' })
  if (flags.format === SKILL_FORMAT) return exportSkill(session, ref, flags.output)
  if (FORMATS.some((format) => format === flags.format))
    throw faults.make('R2031', '--format needs --all: tables are of all runs', { fix: 'reflex export --help' })
  if (flags.format !== undefined) return exportCapture(session, ref, flags, flags.format)
  return exportOne(session, ref, flags)
}

/** Writes a run in another format of its kind. */
async function exportCapture(session: Session, ref: string, flags: ExportFlags, format: string): Promise<number> {
  const { console, reflex } = session
  const { output = '-', signSecretFile, through, forget } = flags
  if (signSecretFile !== undefined || through !== undefined || forget === true)
    throw faults.make('R2031', `--format ${format} writes the whole run without a signature`, { fix: 'leave the other options out' })
  if (output === '-' && console.shape !== 'text')
    throw faults.make('R2031', `the ${format} and --${console.shape} both want standard output`, { fix: 'name a file with -o' })
  const { id } = await reflex.find(ref)
  const target = output === '-' ? undefined : resolve(console.world.surroundings.cwd, output)
  const out = target === undefined ? outputTarget(console) : await draftTarget(target)
  let bytes = 0
  try {
    for await (const piece of reflex.capture(id, format)) {
      if (!(await out.write(piece))) break
      bytes += Buffer.byteLength(piece)
    }
    await out.keep()
  } finally {
    await out.close()
  }
  if (target === undefined) return EXIT.done
  if (console.shape !== 'text') console.document(plainJson({ v: 1, run: id, file: target, format, bytes }))
  else if (!console.quiet) {
    const name = console.err.text(console.nearPath(target))
    console.report(factLine(name, name, ['written', size(bytes)], console.err))
  }
  return EXIT.done
}

async function exportOne(session: Session, ref: string, flags: ExportFlags): Promise<number> {
  const { console, reflex } = session
  const { output = '-', signSecretFile, forget = false } = flags
  const secret =
    signSecretFile === undefined ? undefined : secretIn(resolve(console.world.surroundings.cwd, signSecretFile), signSecretFile)
  if (output === '-' && console.shape !== 'text')
    throw faults.make('R2031', `the archive and --${console.shape} both want standard output`, { fix: 'name a file with -o' })
  if (output === '-' && console.world.out.terminal)
    throw faults.make('R2031', 'an archive cannot be printed on a terminal: it may contain untrusted text', {
      fix: 'name a file with -o, or redirect the output with | or >',
    })
  if (output === '-' && forget)
    throw faults.make('R2031', '--forget needs a file: it becomes the only place of these records', { fix: 'name the file with -o' })
  const { id } = await reflex.find(ref)
  const through = await lastSegment(session, id, flags)
  const target = output === '-' ? undefined : targetOf(console, output, through === undefined ? id : `${id}.through-${through}`, id)
  const isKept = target !== undefined && (await isWritten(session, id, target, forget))
  const written = isKept ? undefined : await writeArchive(session, id, target, { secret, through })
  if (typeof written === 'string') return interruptCode(written)
  const forgotten = !forget || target === undefined || through === undefined ? undefined : await forgetIn(session, id, target, through)
  if (target !== undefined) printWritten(console, { run: id, file: target, written, forgotten, isSigned: secret !== undefined })
  return EXIT.done
}

/** Writes the lines of an archive. Returns their totals, or the signal that stopped it; then no file is left. */
async function writeArchive(
  { console, reflex }: Session,
  id: string,
  target: string | undefined,
  options: ExportOptions,
): Promise<ArchiveTotals | Interrupt> {
  let stopped: Interrupt | undefined
  const stopListening = console.world.onInterrupt((signal) => (stopped ??= signal))
  const out = target === undefined ? outputTarget(console) : await draftTarget(target)
  const written = { records: 0, lines: 0, bytes: 0, last: '' }
  try {
    for await (const line of reflex.export(id, options)) {
      if (!(await out.write(`${line}\n`)) || stopped !== undefined) break
      written.lines++
      written.bytes += Buffer.byteLength(line) + 1
      if (line.startsWith('{"record":')) written.records++
      written.last = line
    }
    if (stopped === undefined) await out.keep()
  } finally {
    await out.close()
    stopListening()
  }
  return stopped ?? written
}

interface ArchiveTotals {
  readonly records: number
  readonly lines: number
  readonly bytes: number
  readonly last: string
}

interface WrittenArchive {
  readonly run: string
  readonly file: string
  /** Absent if the file was there already. */
  readonly written: ArchiveTotals | undefined
  readonly forgotten: ForgottenRecords | undefined
  readonly isSigned: boolean
}

function printWritten(console: Console, { run, file, written, forgotten, isSigned }: WrittenArchive): void {
  const hash = /"hash":"([0-9a-f]{64})"/.exec(written?.last ?? '')?.[1] ?? forgotten?.archive ?? ''
  if (console.shape !== 'text') {
    const { records, lines, bytes } = written ?? {}
    const { through, first, last } = forgotten ?? {}
    const removed = forgotten === undefined ? {} : { forgotten: { through, first, last } }
    return console.document(plainJson({ v: 1, run, file, records, lines, bytes, hash, signed: isSigned, ...removed }))
  }
  if (console.quiet) return
  const facts =
    written === undefined
      ? ['written before']
      : ['written', counted(written.records, 'record'), size(written.bytes), ...(isSigned ? ['signed'] : [])]
  const name = console.err.text(console.nearPath(file))
  console.report(factLine(name, name, facts, console.err))
  if (forgotten === undefined) return
  const { first, last } = forgotten
  console.report(
    factLine('forgotten', console.err.paint('bold', 'forgotten'), [`records ${first} to ${last} are only in this file`], console.err),
  )
}

async function exportAll(
  { console, reflex }: Session,
  ref: string | undefined,
  { output, format = 'jsonl', signSecretFile, through, forget }: ExportFlags,
): Promise<number> {
  if (ref !== undefined)
    throw faults.make('R2031', `--all exports every run, and cannot be combined with the run ${ref}`, { fix: 'reflex export --help' })
  if (signSecretFile !== undefined) throw faults.make('R2031', 'tables are not signed', { fix: 'leave --sign-secret-file out' })
  if (through !== undefined || forget === true)
    throw faults.make('R2031', '--through and --forget are for one run', { fix: 'reflex export RUN --through SEGMENT --forget -o FILE' })
  if (output === undefined || output === '-') throw faults.make('R2031', '--all needs a folder', { fix: 'name it with -o DIR' })
  const known = FORMATS.find((one) => one === format)
  if (known === undefined)
    throw faults.make('R2031', `--format ${JSON.stringify(format)} is not a format`, { fix: 'write --format jsonl or --format parquet' })
  const tables = await reflex.exportTables(output, known)
  if (console.shape !== 'text') console.document(plainJson({ v: 1, format: known, tables }))
  else if (!console.quiet)
    for (const { file, rows } of tables) {
      const name = console.err.text(console.nearPath(file))
      console.report(factLine(name, name, ['written', counted(rows, 'row')], console.err))
    }
  return EXIT.done
}

/** `name` is the name of the file in a folder. */
function targetOf({ world }: Console, output: string, name: string, run: string): string {
  const file = resolve(world.surroundings.cwd, output)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return file
  // The store may come from another person: the name of a run must not lead out of the folder.
  if (!isRunName(run)) throw invalidRunName(run, 'name a file with -o')
  return join(file, `${name}.run.jsonl`)
}

/** The destination of the lines of an archive. */
interface Target {
  /** Returns false once the reader has stopped reading. */
  write(text: string): Promise<boolean>
  /** Keeps the output: it is complete. */
  keep(): Promise<void>
  /** Removes output that was not kept. */
  close(): Promise<void>
}

function outputTarget({ world }: Console): Target {
  return { ...batchedWriter((text) => world.send(text)), close: async () => undefined }
}

/** The number of characters that are written at once. */
const BATCH_SIZE = 100_000

/** Collects lines and writes them in batches. */
function batchedWriter(send: (text: string) => Promise<boolean>): Pick<Target, 'write' | 'keep'> {
  let text = ''
  const flush = async (): Promise<boolean> => {
    const whole = text
    text = ''
    return send(whole)
  }
  return {
    write: async (more) => {
      text += more
      return text.length < BATCH_SIZE || flush()
    },
    keep: async () => void (await flush()),
  }
}

/** Writes a file that takes its name once it is complete. */
async function draftTarget(file: string): Promise<Target> {
  const attempt = async <Result>(act: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await act()
    } catch (cause) {
      throw faults.make('R5040', `${file} cannot be written`, { file, cause, fix: 'name a writable file, and check the free space' })
    }
  }
  const drafts = await attempt(() => {
    // Anything else at this path, such as a device, must not be replaced.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a regular file')
    if (!statSync(dirname(file)).isDirectory()) throw new Error(`${dirname(file)} is not a folder`)
    return new DraftFiles(dirname(file))
  })
  const name = basename(file)
  const handle = await attempt(() => open(drafts.path(name), 'wx', 0o600)).catch((thrown: unknown) => {
    drafts.discard()
    throw thrown
  })
  const lines = batchedWriter(async (text) => {
    await attempt(() => handle.appendFile(text))
    return true
  })
  return {
    write: lines.write,
    async keep() {
      await lines.keep()
      await attempt(() => handle.close())
      await attempt(() => drafts.publish([name]))
    },
    async close() {
      await handle.close()
      drafts.discard()
    },
  }
}
