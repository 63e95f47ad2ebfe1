import type { Reflex } from '../../app/reflex.ts'
import { type Fault, isFault, type Json, toFault } from '../../kernel/index.ts'
import { faults } from '../shapes/faults.ts'
import type { TranscriptFormat } from './detect.ts'
import { ImportReport } from './import-report.ts'
import { importedName, isInterruptedImport } from './imported-run.ts'
import { type RecordedTurn, transcriptArchive } from './transcript-journal.ts'
import type { Transcript, TranscriptStrand } from './transcript.ts'
import { type FoundTranscript, transcriptsIn } from './transcripts-in.ts'

/** A transcript that was imported. */
export interface ImportedTranscript {
  readonly run: string
  readonly file: string
  readonly format: TranscriptFormat
  /** The agent that another agent called; absent for the main one of a transcript. */
  readonly agent?: string
  readonly calls: number
  /** Calls and results without a partner, in the file up to the end of this transcript. */
  readonly unpaired: number
  /** True if it was imported before; nothing has changed then. */
  readonly isKnown: boolean
}

/** The transcripts of one file, and everything that is wrong with it. */
export interface FileImport {
  readonly runs: readonly ImportedTranscript[]
  readonly findings: readonly Fault[]
}

/** What an import needs. */
export interface ImportWorld {
  readonly reflex: Pick<Reflex, 'host' | 'import' | 'runtime' | 'store'>
  /** Removes secrets from a value. */
  readonly clean: (value: Json) => Json
}

/** A file with transcripts. */
export interface TranscriptFile {
  readonly chunks: AsyncIterable<string>
  /** Its name, as it was given. */
  readonly file: string
  /** Default: the one that is recognised. */
  readonly format?: TranscriptFormat | undefined
}

/**
 * Imports the transcripts of a file as ended runs of the kind `turn`, one for each agent of each session. Nothing of them was performed here, and nothing is:
 * their arguments say `imported`. Of a file with one conversation on each line, one is kept in memory at a time. Importing a file again adds nothing.
 * Bad input gives findings with the file and the line, at most 100, and never stops what can be read.
 */
export async function importTranscripts(world: ImportWorld, { chunks, file, format }: TranscriptFile): Promise<FileImport> {
  const report = new ImportReport(file)
  const runs: ImportedTranscript[] = []
  let unpaired = 0
  for await (const found of transcriptsIn(chunks, format, report)) {
    const strands = found.transcript.strands.filter((strand) => callsOf(strand) > 0)
    if (strands.length === 0) report.leftOut('a transcript has no calls of tools', found.line)
    for (const strand of strands)
      try {
        const own = report.unpaired - unpaired
        unpaired = report.unpaired
        runs.push({ ...(await storeRun(world, found, strand, file)), file, unpaired: own })
      } catch (thrown) {
        const { message } = toFault(thrown, (text, cause) => faults.make('R2166', text, { cause }))
        report.notStored(message, found.line)
        if (isFault(thrown) && thrown.verdict === 'bug') throw thrown
      }
  }
  return { runs, findings: report.findings() }
}

function callsOf({ turns }: TranscriptStrand): number {
  return turns.reduce((sum, turn) => sum + (turn.type === 'reply' ? turn.calls.length : 0), 0)
}

async function storeRun(
  { reflex, clean }: ImportWorld,
  { transcript, format, session, line }: FoundTranscript,
  written: TranscriptStrand,
  file: string,
): Promise<Pick<ImportedTranscript, 'run' | 'format' | 'agent' | 'calls' | 'isKnown'>> {
  const strand = cleaned(written, clean)
  const agent = strand.name === '' ? {} : { agent: strand.name }
  const conversation = session === undefined ? undefined : `${session} ${strand.name}`.trim()
  const name = importedName(format, strand, conversation)
  const about = { format, ...agent, calls: callsOf(strand) }
  const turn = {
    format,
    imported: { format, file, line, ...agent },
    conversation: session,
    strand,
    succeeded: strand.name === '' ? transcript.succeeded : undefined,
    started: startOf(transcript, strand) ?? reflex.host.now(),
  }
  for (let n = 1; ; n++) {
    const id = n === 1 ? name : `${name}-${n}`
    const known = (await reflex.store.read(id, 0))?.row
    if (known !== undefined && !isInterruptedImport(known)) return { run: id, isKnown: true, ...about }
    // An import that was interrupted can only be continued with the same bytes.
    if (known === undefined || n > MOST_ATTEMPTS) return { run: await keep(reflex, { ...turn, id }), isKnown: false, ...about }
  }
}

/** Interrupted imports of one transcript. */
const MOST_ATTEMPTS = 100

async function keep(reflex: ImportWorld['reflex'], turn: RecordedTurn): Promise<string> {
  // An import folds the records, and needs the kind for that.
  await reflex.runtime.programs.load('turn')
  const { row } = await reflex.import(await transcriptArchive(reflex.host, turn), { id: turn.id })
  return row.id
}

function startOf({ started }: Transcript, { turns }: TranscriptStrand): number | undefined {
  for (const turn of turns) if (turn.type === 'reply' && turn.at !== undefined) return Math.min(turn.at, started ?? turn.at)
  return started
}

/** Returns a strand without secrets. */
function cleaned({ name, turns }: TranscriptStrand, clean: (value: Json) => Json): TranscriptStrand {
  return { name, turns: clean(turns as unknown as Json) as unknown as TranscriptStrand['turns'] }
}
