import { importDocument } from '../../protocol/view-document.ts'
import { programName, counted } from '../../protocol/plain.ts'
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ImportedRun, linesOf } from '../../history/archive/import.ts'
import { programFaults } from '../../programs/faults.ts'
import { faults } from '../../runs/faults.ts'
import { Fault, faultData, isFault } from '../../kernel/index.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, commandHint } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import { kindOptions } from '../start-options.ts'
import { secretIn } from '../../app/secret-file.ts'
import type { Session } from '../session.ts'

export interface ImportFlags extends CommonFlags {
  readonly secretFile?: string
  readonly id?: string
  /** The program of a capture. */
  readonly against?: string
}

const SIGNATURES: Readonly<Record<ImportedRun['signature'], string>> = {
  checked: 'signature checked',
  unchecked: 'signature not checked: no --secret-file',
  none: 'not signed',
}

/** `reflex import FILE`: verifies an archive, or a capture of a program, and stores its run. Throws `R1097` for a file that a run wrote. */
export async function importRun(session: Session, file: string, flags: ImportFlags): Promise<number> {
  const { console } = session
  const imported =
    flags.against === undefined ? await importOne(session, file, flags) : await importCapture(session, file, flags.against, flags)
  if (console.shape === 'text') printImported(console, imported)
  else console.document(importDocument(imported))
  return EXIT.done
}

async function importCapture({ reflex }: Session, file: string, against: string, flags: ImportFlags): Promise<ImportedRun> {
  const { secretFile, id } = flags
  if (secretFile !== undefined) throw faults.make('R2031', 'a capture has no signature', { fix: 'leave --secret-file out' })
  if (file === '-') throw faults.make('R2031', 'a capture is imported from a file', { fix: 'write it to a file, and name that' })
  return reflex.importCapture(file, { against, id, ...kindOptions({ ...flags }, 'import') })
}

async function importOne({ console, reflex }: Session, file: string, { secretFile, id }: ImportFlags): Promise<ImportedRun> {
  const secret = secretFile === undefined ? undefined : secretIn(resolve(console.world.surroundings.cwd, secretFile), secretFile)
  if (file !== '-') await reflex.library.rejectWritten(resolve(console.world.surroundings.cwd, file))
  return reflex.import(linesIn(console, file), { secret, id }).catch((thrown: unknown) => {
    throw file === '-' ? thrown : withFile(thrown, resolve(console.world.surroundings.cwd, file))
  })
}

/** Adds the file to a fault of a line of an archive. */
function withFile(thrown: unknown, file: string): unknown {
  if (!isFault(thrown) || thrown.line === undefined || thrown.file !== undefined) return thrown
  return new Fault(thrown.code, thrown.message, thrown.verdict, { ...faultData(thrown), file })
}

function linesIn({ world }: Console, file: string): AsyncIterable<string> {
  if (file === '-') return linesOf(world.receive())
  const path = resolve(world.surroundings.cwd, file)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined)
    throw programFaults.make('R1021', `there is no file ${file}`, { file, fix: 'name an archive that reflex export wrote' })
  if (found.isDirectory()) throw programFaults.make('R1024', `${file} is a folder`, { file, fix: 'name an archive in it' })
  return linesOf(createReadStream(path))
}

function printImported(console: Console, { row, signature, messages, first, earlier, isPart }: ImportedRun): void {
  const { out } = console
  const id = out.text(row.id)
  const facts = [
    out.text(programName(row.program[0])),
    row.status,
    first === 1 ? counted(row.last, 'record') : `records ${first} to ${row.last}`,
    ...(isPart ? ['a part of its run'] : []),
    ...(earlier === undefined ? [] : [`earlier ones in the archive ${earlier.slice(0, 8)}`]),
    SIGNATURES[signature],
    ...(messages === 0 ? [] : [`${counted(messages, 'message')} in the inbox`]),
  ]
  console.print(factLine(id, out.paint('bold', id), facts, out))
  if (console.quiet || row.status !== 'suspended') return
  console.report([
    `${continuationText(row.due !== null, messages > 0)}, with probationary trust at most: this store does not know who was trusted in the other store.`,
    commandHint(console.err, 'continue', console.command('resume', row.id)),
  ])
}

/** Returns the next step of an imported run. If it is due or has messages, a worker of this store continues it. */
function continuationText(isDue: boolean, hasMessages: boolean): string {
  const what = [...(hasMessages ? ['has messages'] : []), ...(isDue ? ['is due'] : [])].join(' and ')
  if (what === '') return 'Nothing was performed; the run continues when you resume it'
  return `Nothing was performed; a worker of this store will continue the run, because it ${what}`
}
