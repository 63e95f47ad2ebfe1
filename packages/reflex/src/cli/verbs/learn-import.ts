import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Fault, faultData, isFault, type Json } from '../../kernel/index.ts'
import { FORMATS, type TranscriptFormat } from '../../learn/formats/detect.ts'
import { importTranscripts, type ImportedTranscript } from '../../learn/formats/import-transcripts.ts'
import { redaction, secretsIn } from '../../policy/index.ts'
import { programFaults } from '../../programs/faults.ts'
import { counted, plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { quote, suggest } from '../../text/index.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { commandHint, factLine } from '../layout.ts'
import type { Session } from '../session.ts'
import type { LearnFlags } from './learn.ts'

/**
 * `reflex learn import FILE…`: stores transcripts of other agents as ended runs. Nothing is performed. Returns 1 if a file, or a conversation in it,
 * cannot be read; the others are imported. Throws `R2031` for an unknown format.
 */
export async function learnImport({ console, reflex }: Session, names: readonly string[], flags: LearnFlags): Promise<number> {
  const format = formatNamed(flags.format)
  const { cwd, environment } = console.world.surroundings
  const redactor = redaction(secretsIn(environment, () => false))
  const clean = (value: Json): Json => redactor?.value(value) ?? value
  const runs: ImportedTranscript[] = []
  const findings: Fault[] = []
  for (const name of names)
    try {
      const chunks = chunksOf(await checkedFile(resolve(cwd, name), name), name)
      const found = await importTranscripts({ reflex, clean }, { chunks, file: name, format })
      runs.push(...found.runs)
      findings.push(...found.findings)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      findings.push(thrown)
    }
  print(console, runs, findings)
  return findings.some(({ severity }) => severity !== 'warning') ? EXIT.no : EXIT.done
}

function formatNamed(name: string | undefined): TranscriptFormat | undefined {
  const found = FORMATS.find((one) => one === name)
  if (name === undefined || found !== undefined) return found
  const guess = suggest(name, FORMATS) ?? FORMATS[0]
  throw faults.make('R2031', `--format ${quote(name)} is not a format of transcripts; they are ${FORMATS.join(', ')}`, {
    fix: `write --format ${guess}`,
  })
}

async function checkedFile(path: string, name: string): Promise<string> {
  const found = await stat(path).catch((cause: unknown) => {
    throw unreadable(name, cause)
  })
  if (found.isDirectory()) throw programFaults.make('R1024', `${name} is a folder`, { file: name, fix: 'name a transcript in it' })
  return path
}

/** Yields the text of a file in pieces. */
async function* chunksOf(path: string, name: string): AsyncGenerator<string> {
  try {
    yield* createReadStream(path, { encoding: 'utf8', highWaterMark: 1_000_000 }) as AsyncIterable<string>
  } catch (cause) {
    throw unreadable(name, cause)
  }
}

function unreadable(name: string, cause: unknown): Error {
  return programFaults.make('R1021', `${name} cannot be read`, { file: name, cause, fix: 'name an existing file' })
}

function print(console: Console, runs: readonly ImportedTranscript[], findings: readonly Fault[]): void {
  if (console.shape !== 'text') {
    const shown = runs.map(({ isKnown, ...run }) => ({ ...run, known: isKnown }))
    console.document(
      plainJson({
        v: 1,
        runs: shown,
        findings: findings.map((found) => ({ severity: found.severity, ...faultData(found) })),
      }),
    )
    return
  }
  for (const found of findings) console.report(console.fault(found))
  for (const { run, file, format, agent, calls, unpaired, isKnown } of runs) {
    const name = console.out.text(run)
    const facts = [
      console.out.text(file),
      format,
      ...(agent === undefined ? [] : [console.out.text(agent)]),
      counted(calls, 'call'),
      ...(unpaired === 0 ? [] : [`${unpaired} without a partner`]),
      ...(isKnown ? ['imported before'] : []),
    ]
    console.print(factLine(name, console.out.paint('bold', name), facts, console.out))
  }
  if (runs.length > 0 && !console.quiet) console.report([commandHint(console.err, 'next', console.command('learn', 'snapshot'))])
}
