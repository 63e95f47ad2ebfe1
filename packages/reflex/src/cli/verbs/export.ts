import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isRunName, invalidRunName } from '../../history/run-name.ts'
import { DraftFiles } from '../../history/tables/draft-files.ts'
import type { TableFormat } from '../../history/tables/export-tables.ts'
import { faults } from '../../runs/faults.ts'
import type { Console } from '../console.ts'
import { plainJson } from '../run-document.ts'
import { EXIT, interruptCode } from '../exit.ts'
import { factLine } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import { secretIn } from '../../app/secret-file.ts'
import type { Session } from '../session.ts'
import { counted, size } from '../units.ts'
import type { Interrupt } from '../world.ts'

export interface ExportFlags extends CommonFlags {
  /** A file, or a folder. */
  readonly output?: string
  readonly all?: boolean
  readonly format?: string
  readonly signSecretFile?: string
}

const FORMATS: readonly TableFormat[] = ['jsonl', 'parquet']

/** `reflex export RUN` writes the archive of a run; `reflex export --all` writes the tables of the store. */
export async function exportRuns(session: Session, ref: string | undefined, flags: ExportFlags): Promise<number> {
  if (flags.all === true) return exportAll(session, ref, flags)
  if (ref === undefined) throw faults.make('R2031', 'export needs a run, or --all', { fix: 'reflex export RUN, or reflex export --all' })
  if (flags.format !== undefined)
    throw faults.make('R2031', '--format needs --all: a single run is always written as JSON lines', { fix: 'reflex export --help' })
  return exportOne(session, ref, flags)
}

async function exportOne({ console, reflex }: Session, ref: string, { output = '-', signSecretFile }: ExportFlags): Promise<number> {
  const secret =
    signSecretFile === undefined ? undefined : secretIn(resolve(console.world.surroundings.cwd, signSecretFile), signSecretFile)
  if (output === '-' && console.shape !== 'text')
    throw faults.make('R2031', `the archive and --${console.shape} both want standard output`, { fix: 'name a file with -o' })
  if (output === '-' && console.world.out.terminal)
    throw faults.make('R2031', 'an archive cannot be printed on a terminal: it may contain untrusted text', {
      fix: 'name a file with -o, or redirect the output with | or >',
    })
  const { id } = await reflex.find(ref)
  const target = output === '-' ? undefined : targetOf(console, output, id)
  let stopped: Interrupt | undefined
  const stopListening = console.world.onInterrupt((signal) => (stopped ??= signal))
  const out = target === undefined ? outputTarget(console) : await draftTarget(target)
  const written = { records: 0, lines: 0, bytes: 0, last: '' }
  try {
    for await (const line of reflex.export(id, { secret })) {
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
  if (stopped !== undefined) return interruptCode(stopped)
  if (target !== undefined) printWritten(console, id, target, written, secret !== undefined)
  return EXIT.done
}

interface ArchiveTotals {
  readonly records: number
  readonly lines: number
  readonly bytes: number
  readonly last: string
}

function printWritten(console: Console, run: string, file: string, { records, lines, bytes, last }: ArchiveTotals, signed: boolean): void {
  const hash = /"hash":"([0-9a-f]{64})"/.exec(last)?.[1] ?? ''
  if (console.shape !== 'text') return console.document(plainJson({ v: 1, run, file, records, lines, bytes, hash, signed }))
  const facts = ['written', counted(records, 'record'), size(bytes), ...(signed ? ['signed'] : [])]
  const name = console.err.text(console.nearPath(file))
  if (!console.quiet) console.report(factLine(name, name, facts, console.err))
}

async function exportAll(
  { console, reflex }: Session,
  ref: string | undefined,
  { output, format = 'jsonl', signSecretFile }: ExportFlags,
): Promise<number> {
  if (ref !== undefined)
    throw faults.make('R2031', `--all exports every run, and cannot be combined with the run ${ref}`, { fix: 'reflex export --help' })
  if (signSecretFile !== undefined) throw faults.make('R2031', 'tables are not signed', { fix: 'leave --sign-secret-file out' })
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

function targetOf({ world }: Console, output: string, run: string): string {
  const file = resolve(world.surroundings.cwd, output)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return file
  // The store may come from another person: the name of a run must not lead out of the folder.
  if (!isRunName(run)) throw invalidRunName(run, 'name a file with -o')
  return join(file, `${run}.run.jsonl`)
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
