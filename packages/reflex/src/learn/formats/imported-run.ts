import { createHash } from 'node:crypto'
import { canonicalJson, isObject, type Json, type JsonObject, type RunRow } from '../../kernel/index.ts'
import type { TurnSource } from '../../kinds/skill/model/turn.ts'
import { importedRunName } from '../shapes/imported-runs.ts'
import type { TranscriptFormat } from './detect.ts'
import type { TranscriptStrand } from './transcript.ts'

/**
 * Returns the name of the run of a transcript. Equal transcripts of a format have equal names, so that importing a file again adds nothing. Those of
 * one conversation begin equally.
 */
export function importedName(format: TranscriptFormat, { turns }: TranscriptStrand, conversation: string | undefined): string {
  const hash = createHash('sha256').update(format)
  for (const turn of turns) hash.update(`\n${canonicalJson(turn as unknown as Json)}`, 'utf8')
  const named = conversation === undefined ? undefined : createHash('sha256').update(conversation, 'utf8').digest('hex')
  return importedRunName(hash.digest('hex'), named)
}

/** The program of imported turns of a format: it has no skills, and decides nothing. */
export function importedProgram(format: TranscriptFormat): { readonly name: string; readonly source: JsonObject } {
  const source: TurnSource = { agent: `imported.${format}`, tools: [], cards: 0, carrier: 'text', rounds: 0 }
  return { name: source.agent, source: source as unknown as JsonObject }
}

/** True for a run of which only a part is stored, because its import was interrupted. */
export function isInterruptedImport({ status, value }: Pick<RunRow, 'status' | 'value'>): boolean {
  return status === 'cancelled' && isObject(value) && Object.hasOwn(value, 'importing')
}
