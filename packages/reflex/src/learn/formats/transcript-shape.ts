import { digest, type Json } from '../../kernel/index.ts'
import type { CallLeaves, CallSequence, RunRead } from '../shapes/call-sequence.ts'
import { bounded } from '../shapes/marks.ts'
import { houseTools, operationShape } from '../shapes/operation-shape.ts'
import type { TranscriptFormat } from './detect.ts'
import type { Transcript, TranscriptCall, TranscriptStrand } from './transcript.ts'

/** The most characters of texts of users in one transcript, and of one text. */
const MOST_TEXT = 65_536
const LONGEST_TEXT = 20_000

/** What a shape needs besides the transcript. */
export interface TranscriptFacts {
  readonly run: string
  readonly format: TranscriptFormat
  /** The time of a transcript without times, in milliseconds since the epoch. */
  readonly now: number
  /** Removes secrets from a value. */
  readonly clean: (value: Json) => Json
}

/** Returns the name under which a transcript counts as a run. Equal texts have equal names, so that importing a file again adds nothing. */
export function transcriptName(text: string): string {
  return `imported/${digest(text).slice(0, 16)}`
}

/**
 * Returns a transcript as mining reads it. Its labels say that it is imported: nothing of it was performed here. A session that does not say how it
 * ended counts as one that succeeded, and the outcome of each call decides; an unknown outcome or cost is left out of those figures.
 */
export function transcriptShape(
  { strands, started, succeeded, length }: Transcript,
  { run, format, now, clean }: TranscriptFacts,
): RunRead {
  const leaves: CallLeaves[] = []
  const sequences = strands.map((strand) => sequenceOf(strand, leaves, clean)).filter(({ symbols }) => symbols.length > 0)
  const endsWell = sequences.every(({ ok }) => ok.at(-1) !== 0)
  const shape = {
    run,
    last: length,
    started: started ?? now,
    succeeded: succeeded ?? endsWell,
    labels: { origin: 'imported', format },
    sequences,
    final: cleanText(finalText(strands), clean).slice(0, MOST_TEXT),
  }
  return { shape, leaves }
}

function sequenceOf({ name, turns }: TranscriptStrand, leaves: CallLeaves[], clean: (value: Json) => Json): CallSequence {
  const calls: { readonly call: TranscriptCall; readonly group: number; readonly symbol: string; readonly leaf: number }[] = []
  const replies: { readonly usd?: number; readonly tokens?: number; readonly ms: number }[] = []
  const texts: (readonly [number, string])[] = []
  let left = MOST_TEXT
  for (const turn of turns)
    if (turn.type === 'reply') {
      replies.push({ ...turn.usage, ms: 0 })
      for (const call of turn.calls) {
        const args = clean(call.args)
        const symbol = operationShape(call.tool, args, houseTools(call.tool))
        calls.push({ call, group: replies.length - 1, symbol, leaf: leaves.length })
        leaves.push({ tool: call.tool, args: bounded(args), result: bounded(clean(call.result)) })
      }
    } else if (turn.text.length <= Math.min(LONGEST_TEXT, left)) {
      left -= turn.text.length
      texts.push([calls.length, cleanText(turn.text, clean)])
    }
  return {
    strand: name,
    symbols: calls.map(({ symbol }) => symbol),
    ok: calls.map(({ call }) => call.ok),
    group: calls.map(({ group }) => group),
    cost: calls.map(() => 0),
    ms: calls.map(({ call }) => call.ms),
    record: calls.map(({ call }) => call.place),
    leaves: calls.map(({ leaf }) => leaf),
    replies,
    texts,
    facts: [],
  }
}

function cleanText(text: string, clean: (value: Json) => Json): string {
  const cleaned = clean(text)
  return typeof cleaned === 'string' ? cleaned : ''
}

/** Returns the text of the last reply of the main agent. */
function finalText([main]: readonly TranscriptStrand[]): string {
  const last = main?.turns.at(-1)
  return last?.type === 'reply' ? last.text : ''
}
