import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TableFormat } from '../../history/tables/files.ts'
import { faults } from '../../faults.ts'
import { readText } from '../../library.ts'
import type { Console } from '../console.ts'
import { plain } from '../documents.ts'
import { EXIT } from '../exit.ts'
import { factLine } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import type { Session } from '../session.ts'
import { counted, size } from '../units.ts'

export interface ExportFlags extends CommonFlags {
  /** A file, or a folder. */
  readonly output?: string
  readonly all?: boolean
  readonly format?: string
  readonly signSecretFile?: string
}

const FORMATS: readonly TableFormat[] = ['jsonl', 'parquet']

/** `reflex export RUN`: its archive; `reflex export --all`: the tables of the store. */
export async function exportRuns(session: Session, ref: string | undefined, flags: ExportFlags): Promise<number> {
  if (flags.all === true) return exportAll(session, ref, flags)
  if (ref === undefined) throw faults.make('R2031', 'no run is named', { fix: 'reflex export RUN, or reflex export --all' })
  if (flags.format !== undefined)
    throw faults.make('R2031', '--format goes with --all: a run is always JSON lines', { fix: 'reflex export --help' })
  return exportOne(session, ref, flags)
}

async function exportOne({ console, reflex }: Session, ref: string, { output, signSecretFile }: ExportFlags): Promise<number> {
  const secret = signSecretFile === undefined ? undefined : secretIn(console, signSecretFile)
  if (output === undefined && console.shape !== 'text')
    throw faults.make('R2031', `the archive and --${console.shape} both want standard output`, { fix: 'name a file with -o' })
  const { id } = await reflex.find(ref)
  const target = output === undefined ? undefined : targetOf(console, output, id)
  const out =
    target === undefined
      ? { write: (text: string) => console.world.out.write(text), end: () => undefined, drop: () => undefined }
      : draftOf(target)
  const written = { records: 0, lines: 0, bytes: 0, last: '' }
  try {
    for await (const line of reflex.export(id, { secret })) {
      out.write(`${line}\n`)
      written.lines++
      written.bytes += Buffer.byteLength(line) + 1
      if (line.startsWith('{"record":')) written.records++
      written.last = line
    }
    out.end()
  } catch (thrown) {
    out.drop()
    throw thrown
  }
  if (target !== undefined) tellOne(console, id, target, written, secret !== undefined)
  return EXIT.done
}

interface Written {
  readonly records: number
  readonly lines: number
  readonly bytes: number
  readonly last: string
}

function tellOne(console: Console, run: string, file: string, { records, lines, bytes, last }: Written, signed: boolean): void {
  const hash = /"hash":"([0-9a-f]{64})"/.exec(last)?.[1] ?? ''
  if (console.shape !== 'text') return console.document(plain({ v: 1, run, file, records, lines, bytes, hash, signed }))
  const facts = ['written', counted(records, 'record'), size(bytes), ...(signed ? ['signed'] : [])]
  const name = console.err.text(console.near(file))
  if (!console.quiet) console.tell(factLine(name, name, facts, console.err))
}

async function exportAll(
  { console, reflex }: Session,
  ref: string | undefined,
  { output, format = 'jsonl', signSecretFile }: ExportFlags,
): Promise<number> {
  if (ref !== undefined) throw faults.make('R2031', `--all goes without a run, and ${ref} is one`, { fix: 'reflex export --help' })
  if (signSecretFile !== undefined) throw faults.make('R2031', 'tables are not signed', { fix: 'leave --sign-secret-file out' })
  if (output === undefined) throw faults.make('R2031', '--all needs a folder', { fix: 'name it with -o DIR' })
  const known = FORMATS.find((one) => one === format)
  if (known === undefined)
    throw faults.make('R2031', `--format ${JSON.stringify(format)} is none`, { fix: 'write --format jsonl or --format parquet' })
  const tables = await reflex.exportTables(output, known)
  if (console.shape !== 'text') console.document(plain({ v: 1, format: known, tables }))
  else if (!console.quiet)
    for (const { file, rows } of tables) {
      const name = console.err.text(console.near(file))
      console.tell(factLine(name, name, ['written', counted(rows, 'row')], console.err))
    }
  return EXIT.done
}

/** The secret in a file, without the line end that an editor leaves. Throws `R1021` if there is no file, `R2031` if it is empty. */
export function secretIn({ world }: Console, file: string): string {
  const secret = readText(resolve(world.surroundings.cwd, file)).replace(/\r?\n$/, '')
  if (secret === '') throw faults.make('R2031', `${file} holds no secret`, { file, fix: 'write a long random text into it' })
  return secret
}

function targetOf({ world }: Console, output: string, run: string): string {
  const file = resolve(world.surroundings.cwd, output)
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true ? join(file, `${run}.run.jsonl`) : file
}

/** A file that takes its name once all of it is written. */
function draftOf(file: string): { write(text: string): void; end(): void; drop(): void } {
  const draft = `${file}.part`
  const unwritten = (cause: unknown): Error =>
    faults.make('R5040', `${file} cannot be written`, { file, cause, fix: 'name a file that may be written, and make room' })
  const attempt = <Result>(act: () => Result): Result => {
    try {
      return act()
    } catch (cause) {
      throw unwritten(cause)
    }
  }
  // Whatever else lies there, such as a device, must not be replaced.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw unwritten(new Error('it is no regular file'))
  const handle = attempt(() => openSync(draft, 'w', 0o600))
  let open = true
  const close = (): void => {
    if (open) closeSync(handle)
    open = false
  }
  return {
    write: (text) =>
      attempt(() => {
        const bytes = Buffer.from(text)
        for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
      }),
    end: () =>
      attempt(() => {
        close()
        renameSync(draft, file)
      }),
    drop() {
      close()
      rmSync(draft, { force: true })
    },
  }
}
