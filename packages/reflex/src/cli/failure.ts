import { errorDocument } from '../protocol/documents.ts'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CATALOGUE } from '../protocol/catalogue.ts'
import { faults } from '../runs/faults.ts'
import { type FaultData, faultData, isFault } from '../kernel/index.ts'
import type { Console } from './console.ts'
import { nearestStore } from '../app/home.ts'
import { exitCodeOf, messageOf, systemFix } from './exit.ts'
import { commandHint } from './layout.ts'

/** The next commands after faults of the store: continue the run, or see its progress in the other process. */
const NEXT_STEPS: Readonly<Record<string, readonly [lead: string, verb: string]>> = {
  R5002: ['look', 'show'],
  R5005: ['continue', 'resume'],
}

/** Prints a failure on standard error or as a document, and returns the exit code. It prints no stack trace. */
export function printFailure(console: Console, thrown: unknown): number {
  const fault = asFault(console, thrown)
  if (console.shape !== 'text') console.document(errorDocument(fault))
  else {
    console.report(console.fault(fault))
    const [lead, verb] = NEXT_STEPS[fault.code] ?? []
    if (fault.run !== undefined && !console.isInMemory && lead !== undefined && verb !== undefined)
      console.report([commandHint(console.err, lead, console.command(verb, fault.run))])
  }
  return exitCodeOf(fault)
}

function asFault(console: Console, thrown: unknown): FaultData {
  if (isFault(thrown)) {
    const data = faultData(thrown)
    const file = data.verdict === 'bug' ? writeBugReport(console, thrown) : undefined
    const fix = file === undefined ? (data.fix ?? CATALOGUE.get(data.code)?.fix) : reportFix(file)
    return fix === undefined ? data : { ...data, fix }
  }
  const fix = systemFix(thrown)
  if (fix !== undefined) return faultData(faults.make('R5040', messageOf(thrown), { fix }))
  const file = writeBugReport(console, thrown)
  return faultData(faults.make('R9002', `a bug in Reflex: ${messageOf(thrown)}`, { fix: reportFix(file) }))
}

function reportFix(file: string | undefined): string {
  return file === undefined ? 'report it, with the command that you typed' : `report it, with ${file}`
}

/**
 * Writes the details that only developers need to a file for a report. Returns its path; undefined if no place is
 * writable.
 */
function writeBugReport({ world, now }: Console, thrown: unknown): string | undefined {
  const { cwd, environment } = world.surroundings
  const store = nearestStore(cwd)
  const name = `bug-${new Date(now).toISOString().replace(/[:.]/g, '-')}.txt`
  const details = [`reflex ${world.version}`, `node ${process.version} ${process.platform} ${process.arch}`, stackOf(thrown), ''].join('\n')
  for (const place of [...(store === undefined ? [] : [dirname(store)]), environment['TMPDIR'] ?? tmpdir()]) {
    try {
      writeFileSync(join(place, name), details)
      return join(place, name)
    } catch {
      // Tries the next place; without one, the message alone must do.
    }
  }
  return undefined
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return messageOf(thrown)
  const cause: unknown = thrown.cause
  return `${thrown.stack ?? thrown.message}${cause === undefined ? '' : `\ncause: ${cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause)}`}`
}
